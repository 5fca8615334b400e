import { at, isObject, type JsonObject, objectsAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { jsonText } from '../../codec/index.js';
import { structByName } from '../../schema/index.js';
import { parseStored, parseStoredAs } from '../stored.js';

const SCHEMA = 'apiextensions/v1.JSONSchemaProps';
const KEY = '"openAPIV3Schema":';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** A copy of the whole definition. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * A CustomResourceDefinition without its schemas and without managed fields. The schemas are most of its bytes, and few of them are in use at any time, so
 * they are found in the stored bytes without being parsed. Each `openAPIV3Schema` in `head` is a number: its position among the schemas.
 */
export interface DefinitionHead {
  readonly head: JsonObject;
  /** The bytes of the schemas in the JSON of the definition: from, to. */
  readonly schemas: readonly (readonly [number, number])[];
}

/**
 * Reads a stored definition. The keys of its other parts are either fixed or have strings as values, and quotation marks in strings are
 * escaped, so that the name of the field followed by an object is nothing else.
 */
export function readHead(json: Buffer): DefinitionHead {
  const schemas: [number, number][] = [];
  const pieces: Buffer[] = [];
  // A character is a byte, so that offsets are those of the bytes. Strings are searched faster than buffers.
  const text = json.toString('latin1');
  let done = 0;
  for (let found = text.indexOf(KEY); found >= 0; ) {
    const start = found + KEY.length;
    let next = start;
    if (text.charCodeAt(start) === OPEN) {
      next = endOfObject(text, start);
      pieces.push(json.subarray(done, start), Buffer.from(String(schemas.length)));
      schemas.push([start, next]);
      done = next;
    }
    found = text.indexOf(KEY, next);
  }
  pieces.push(json.subarray(done));
  const head = parseStored(Buffer.concat(pieces));
  const { metadata } = head;
  if (isObject(metadata)) {
    // It may be as large as the definition.
    delete metadata['managedFields'];
    if (isObject(metadata['annotations'])) delete metadata['annotations'][LAST_APPLIED];
  }
  return { head, schemas };
}

/** Returns the offset after the object that begins at `start`. Skips each string with one search: they are most of a schema. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === OPEN) depth++;
    else if (c === CLOSE && --depth === 0) return i + 1;
  }
  return text.length;
}

/** Returns the offset of the quotation mark that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const heads = new WeakMap<StoredObject, DefinitionHead>();

/** The same for an object of the cache; it is read once. The result is shared and must not be changed. */
export function headOf(stored: StoredObject): DefinitionHead {
  let known = heads.get(stored);
  if (known === undefined) {
    known = readHead(stored.json);
    heads.set(stored, known);
  }
  return known;
}

/** The schemas of a definition, by version. */
export interface SchemaSource {
  /** The size of the JSON of a schema in bytes; 0 if the version has none. */
  bytes(version: string): number;
  /** Parses the schema; undefined if the version has none. The caller owns the result. */
  schema(version: string): JsonObject | undefined;
}

/** The schemas of a stored definition. `stored` returns the object in memory: it may be replaced by an equal one. */
export function storedSchemas(stored: () => StoredObject): SchemaSource {
  const span = (version: string): readonly [number, number] | undefined => {
    const { head, schemas } = headOf(stored());
    const found = objectsAt(head, 'spec', 'versions').find((v) => textAt(v, 'name') === version);
    const n = at(found, 'schema', 'openAPIV3Schema');
    return typeof n === 'number' ? schemas[n] : undefined;
  };
  return {
    bytes: (version) => {
      const [from, to] = span(version) ?? [0, 0];
      return to - from;
    },
    schema: (version) => {
      const found = span(version);
      return found === undefined ? undefined : parseStoredAs(structByName(SCHEMA), stored().json.subarray(...found));
    },
  };
}

/** The schemas of the `spec` of a definition. */
export function parsedSchemas(spec: JsonObject): SchemaSource {
  const schema = (version: string): JsonObject | undefined => {
    const found = objectsAt(spec, 'versions').find((v) => textAt(v, 'name') === version);
    const declared = at(found, 'schema', 'openAPIV3Schema');
    return isObject(declared) ? declared : undefined;
  };
  return { schema, bytes: (version) => jsonText(schema(version) ?? '').length };
}

/** Reports whether two stored definitions have the same schemas, byte for byte. */
export function sameSchemas(a: StoredObject, b: StoredObject): boolean {
  const [mine, others] = [headOf(a).schemas, headOf(b).schemas];
  if (mine.length !== others.length) return false;
  const [x, y] = [a.json, b.json];
  return mine.every(([from, to], i) => {
    const [start, end] = others[i]!;
    return to - from === end - start && x.compare(y, start, end, from, to) === 0;
  });
}
