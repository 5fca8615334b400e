import { type JsonObject, parseApiVersion, type Status } from '../api/index.js';
import { encodeCbor, encodeProtobuf, encodeYaml, sealEnvelope } from '../codec/index.js';
import { kindSchema, type StructSchema } from '../schema/index.js';
import type { Encoding } from './negotiate.js';

/** Encodes answers that are no stored objects: Status, discovery. They are values made by this program, complete as they are. */
export function encodeDocument(value: JsonObject | Status, encoding: Encoding, pretty: boolean): Buffer {
  const { apiVersion = 'v1', kind } = value as { apiVersion?: string; kind: string };
  switch (encoding) {
    case 'yaml':
      return encodeYaml(value as JsonObject);
    case 'json':
      return Buffer.from(pretty ? `${JSON.stringify(value, null, 2)}\n` : `${JSON.stringify(value)}\n`);
    case 'protobuf': {
      const raw = encodeProtobuf(schemaOf(apiVersion, kind), value as JsonObject);
      return sealEnvelope({ apiVersion, kind, raw });
    }
    case 'cbor':
      return encodeCbor(schemaOf(apiVersion, kind), value as JsonObject);
  }
}

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const gv = parseApiVersion(apiVersion) ?? { group: '', version: 'v1' };
  return kindSchema({ ...gv, kind })!.schema;
}
