import { type JsonObject, parseApiVersion, type Status } from '../api/index.js';
import { encodeCbor, encodeProtobuf, encodeYaml, sealEnvelope } from '../codec/index.js';
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
    case 'json':
      return Buffer.from(escaped(pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`));
    case 'protobuf': {
      const raw = encodeProtobuf(schemaOf(apiVersion, kind), value as JsonObject);
      return sealEnvelope({ apiVersion, kind, raw });
    }
    case 'cbor':
      return encodeCbor(schemaOf(apiVersion, kind), value as JsonObject);
  }
}

/** Escapes the characters in texts that kube-apiserver escapes in JSON. Outside of texts there are none of them. */
const escaped = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const gv = parseApiVersion(apiVersion || 'v1') ?? { group: '', version: 'v1' };
  return kindSchema({ ...gv, kind })!.schema;
}
