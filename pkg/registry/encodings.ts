import type { JsonObject } from '../api/index.js';
import { encodeCbor, encodeJson, encodeProtobuf, encodeYaml, jsonText, sealEnvelope } from '../codec/index.js';
import type { StructSchema } from '../schema/index.js';
import type { Representation } from './requests.js';
import { parseStored } from './stored.js';

export type Encoding = Representation['encoding'];

/** An object with its kind and apiVersion, complete as a body: line break, envelope and all. */
export function encodeBody(encoding: Encoding, schema: StructSchema, o: JsonObject, pretty: boolean): Buffer {
  switch (encoding) {
    case 'yaml':
      return encodeYaml(parseStored(encodeJson(schema, o)));
    case 'json':
      return lineEnded(pretty ? indented(encodeJson(schema, o)) : encodeJson(schema, o));
    case 'cbor':
      return encodeCbor(schema, o);
    case 'protobuf':
      return sealEnvelope({
        apiVersion: String(o['apiVersion'] ?? ''),
        kind: String(o['kind'] ?? ''),
        raw: encodeProtobuf(schema, o),
      });
  }
}

/** A value that no schema describes inside (the cells of a Table). Protobuf has no form for it. */
export function encodeAny(encoding: Encoding, value: JsonObject, pretty: boolean): Buffer {
  switch (encoding) {
    case 'yaml':
      return encodeYaml(value);
    case 'cbor':
      return encodeCbor(undefined, value);
    case 'json':
    case 'protobuf': {
      const json = Buffer.from(jsonText(value));
      return lineEnded(pretty ? indented(json) : json);
    }
  }
}

export function lineEnded(json: Buffer): Buffer {
  const out = Buffer.allocUnsafe(json.length + 1);
  json.copy(out);
  out[json.length] = 0x0a;
  return out;
}

/** JSON without white space as people read it: two spaces a level, as Go indents. */
export function indented(json: Buffer): Buffer {
  const text = json.toString();
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') {
      for (i++; text[i] !== '"'; i++) if (text[i] === '\\') i++;
      continue;
    }
    if (c === '{' || c === '[') {
      const empty = text[i + 1] === '}' || text[i + 1] === ']';
      if (empty) i++;
      else {
        depth++;
        out.push(text.slice(from, i + 1), line());
        from = i + 1;
      }
    } else if (c === '}' || c === ']') {
      depth--;
      out.push(text.slice(from, i), line());
      from = i;
    } else if (c === ',') {
      out.push(text.slice(from, i + 1), line());
      from = i + 1;
    } else if (c === ':') {
      out.push(text.slice(from, i + 1), ' ');
      from = i + 1;
    }
  }
  out.push(text.slice(from));
  return Buffer.from(out.join(''));
}
