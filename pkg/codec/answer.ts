import { apiVersionOf, type JsonObject, parseApiVersion } from '../api/index.js';
import { finish, invariant, type Steps } from '../base/index.js';
import { kindSchema, type StructSchema } from '../schema/index.js';
import type { BodyEncoding } from './body.js';
import { encodeCbor } from './cbor/write.js';
import { readJson } from './json/decode.js';
import { encodeJsonSteps } from './json/encode.js';
import { metadataSlice } from './json/splice.js';
import { writeValue } from './json/write.js';
import { encodeProtobuf } from './protobuf/encode.js';
import { sealEnvelope } from './protobuf/envelope.js';
import { encodeYamlSteps } from './yaml/write.js';

export interface AnswerOptions {
  /**
   * The schema of the value, looked up by its kind and apiVersion if absent. Without a schema (custom resources), JSON
   * keeps the order of keys.
   */
  readonly schema?: StructSchema;
  /** Indented JSON. */
  readonly pretty?: boolean;
}

/**
 * Encodes a complete response (an object, a Status, a discovery document): JSON ends with a line break, protobuf has its envelope, CBOR its
 * tag. Returns undefined if the kind has no protobuf form.
 */
export function encodeAnswer(
  value: JsonObject,
  encoding: BodyEncoding,
  options: AnswerOptions = {},
): Buffer | undefined {
  return finish(answerSteps(value, encoding, options));
}

/** `encodeAnswer` in steps. */
export function* answerSteps(
  value: JsonObject,
  encoding: BodyEncoding,
  options: AnswerOptions = {},
): Steps<Buffer | undefined> {
  const known = options.schema ?? schemaOf(value);
  // Kinds without a protobuf form (Tables) have fields of any type, which the schema does not describe.
  const schema = known !== undefined && hasProtobuf(known) ? known : undefined;
  switch (encoding) {
    case 'json': {
      const json = schema === undefined ? Buffer.from(writeValue(value)) : yield* encodeJsonSteps(schema, value);
      return options.pretty ? yield* prettySteps(json) : Buffer.concat([json, LINE_END]);
    }
    case 'yaml':
      return yield* encodeYamlSteps(schema === undefined ? value : yield* canonical(schema, value));
    case 'cbor':
      return encodeCbor(schema, value);
    case 'protobuf': {
      if (schema === undefined) return undefined;
      const { apiVersion = '', kind = '' } = value as { apiVersion?: string; kind?: string };
      return sealEnvelope({ apiVersion, kind, raw: encodeProtobuf(schema, value) });
    }
  }
}

const LINE_END = Buffer.from('\n');

/** Returns the value with the fields that its kind always writes, and without those that it omits. */
function* canonical(schema: StructSchema, value: JsonObject): Steps<JsonObject> {
  const read = readJson(yield* encodeJsonSteps(schema, value));
  invariant(read.ok, 'what was encoded here cannot be read');
  yield;
  return read.value as JsonObject;
}

function schemaOf(value: JsonObject): StructSchema | undefined {
  const { apiVersion, kind } = value;
  const gv = typeof apiVersion === 'string' ? parseApiVersion(apiVersion) : undefined;
  if (gv === undefined || typeof kind !== 'string') return undefined;
  // Metadata-only responses are requested in two versions, which are the same type.
  const version = gv.group === 'meta.k8s.io' ? 'v1' : gv.version;
  return kindSchema({ group: gv.group, version, kind })?.schema;
}

/** Kinds without field numbers, such as Table, have no protobuf form. */
export function hasProtobuf(schema: StructSchema): boolean {
  return schema.fields.some((f) => f.proto > 0);
}

/** Lays out JSON without white space, with two spaces a level, in steps. */
export function* prettySteps(json: Buffer): Steps<Buffer> {
  return Buffer.from(yield* layout(json, 0));
}

/**
 * Pretty-prints a value at nesting `level`. It works on the text, so numbers keep all digits.
 */
export function prettyText(json: Buffer, level = 0): string {
  return finish(layout(json, level));
}

/** Characters that are laid out in one step. */
const CHARACTERS_AT_ONCE = 64 * 1024;

function* layout(json: Buffer, level: number): Steps<string> {
  const text = json.toString('utf8');
  const parts: string[] = [];
  let from = 0;
  let pause = CHARACTERS_AT_ONCE;
  let indent = `\n${'  '.repeat(level)}`;
  const flush = (to: number): void => {
    if (to > from) parts.push(text.slice(from, to));
    from = to;
  };
  for (let i = 0; i < text.length; i++) {
    if (i > pause) {
      yield;
      pause = i + CHARACTERS_AT_ONCE;
    }
    const c = text.charCodeAt(i);
    if (c === 0x22) i = endOfString(text, i);
    else if (c === 0x7b || c === 0x5b) {
      const next = text.charCodeAt(i + 1);
      if (next === 0x7d || next === 0x5d) {
        i++;
        continue;
      }
      indent += '  ';
      flush(i + 1);
      parts.push(indent);
    } else if (c === 0x7d || c === 0x5d) {
      flush(i);
      indent = indent.slice(0, -2);
      parts.push(indent);
    } else if (c === 0x2c) {
      flush(i + 1);
      parts.push(indent);
    } else if (c === 0x3a) {
      flush(i + 1);
      parts.push(' ');
    }
  }
  flush(text.length);
  return parts.join('');
}

/** Position of the closing quote. */
function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) return i;
    if (c === 0x5c) i++;
  }
  return text.length;
}

/**
 * Extracts the `PartialObjectMetadata` of an object from its canonical JSON, without parsing. No line break at the end.
 */
export function partialMetadata(json: Buffer, version: 'v1' | 'v1beta1'): Buffer {
  const apiVersion = apiVersionOf({ group: 'meta.k8s.io', version });
  const metadata = metadataSlice(json) ?? Buffer.from('{}');
  return Buffer.concat([
    Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":`),
    metadata,
    Buffer.from('}'),
  ]);
}
