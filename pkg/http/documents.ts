import { type JsonObject, parseApiVersion, type Status } from '../api/index.js';
import { encodeCbor, encodeProtobuf, encodeYaml, jsonText, prettyText, sealEnvelope } from '../codec/index.js';
import { kindSchema, type StructSchema } from '../schema/index.js';
import type { Encoding } from './negotiate.js';

/**
 * Encodes responses that are not stored objects, such as Status and discovery. They are built by the server and need no defaults.
 */
export function encodeDocument(value: JsonObject | Status, encoding: Encoding, pretty: boolean): Buffer {
  const { apiVersion = '', kind } = value as { apiVersion?: string; kind: string };
  switch (encoding) {
    case 'yaml':
      return encodeYaml(value as JsonObject);
    case 'json': {
      const json = jsonText(value as JsonObject);
      return Buffer.from(pretty ? prettyText(Buffer.from(json)) : `${json}\n`);
    }
    case 'protobuf': {
      const raw = encodeProtobuf(schemaOf(apiVersion, kind), value as JsonObject);
      return sealEnvelope({ apiVersion, kind, raw });
    }
    case 'cbor':
      return encodeCbor(schemaOf(apiVersion, kind), value as JsonObject);
  }
}

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const gv = parseApiVersion(apiVersion || 'v1') ?? { group: '', version: 'v1' };
  return kindSchema({ ...gv, kind })!.schema;
}
