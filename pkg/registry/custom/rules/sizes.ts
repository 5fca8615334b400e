import { isObject, type JsonObject, type JsonValue, listAt, textAt } from '../../../api/index.js';
import { escapeName, type SizeOf } from '../../../cel/index.js';

/**
 * The maximum sizes of the values of a structural schema, for the estimate of rule costs. If the schema sets no bound,
 * the largest request does: https://kubernetes.io/docs/reference/using-api/cel/#resource-constraints.
 */
export interface ValueSize {
  /** The number of elements, properties or characters. */
  readonly countMax: number;
  /** The length of the shortest JSON text of such a value. */
  readonly bytesMin: number;
  readonly fields?: ReadonlyMap<string, ValueSize>;
  readonly element?: ValueSize;
  readonly isMap?: boolean;
}

/** The largest request, in bytes. */
const REQUEST_BYTES_MAX = 3 * 1024 * 1024;
const TEXT_BYTES_MAX = REQUEST_BYTES_MAX - 2;

/** `root` is true for the schema of a whole object. Undefined if the schema declares no type. */
export function valueSize(schema: JsonObject, root = false): ValueSize | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return { countMax: characters(schema) ?? TEXT_BYTES_MAX, bytesMin: 1 };
  const embedded = root || schema['x-kubernetes-embedded-resource'] === true;
  switch (textAt(schema, 'type')) {
    case 'array': {
      const element = isObject(schema['items']) ? valueSize(schema['items']) : undefined;
      if (element === undefined) return undefined;
      const countMax = bound(schema['maxItems']) ?? Math.floor(TEXT_BYTES_MAX / (element.bytesMin + 1));
      return { countMax, bytesMin: 2, element };
    }
    case 'object':
      return isObject(schema['additionalProperties'])
        ? mapSize(schema, schema['additionalProperties'])
        : objectSize(schema, embedded);
    case 'string':
      return textSize(schema);
    case 'boolean':
      return { countMax: 0, bytesMin: 4 };
    case 'number':
    case 'integer':
      return { countMax: 0, bytesMin: 1 };
    default:
      return embedded ? objectSize(schema, true) : undefined;
  }
}

function mapSize(schema: JsonObject, values: JsonObject): ValueSize | undefined {
  const element = valueSize(values);
  if (element === undefined) return undefined;
  // A property takes quotes, a colon and a comma besides its name and value.
  const countMax = bound(schema['maxProperties']) ?? Math.floor(TEXT_BYTES_MAX / (element.bytesMin + 6));
  return { countMax, bytesMin: 2, element, isMap: true };
}

function objectSize(schema: JsonObject, embedded: boolean): ValueSize {
  const declared = embedded ? withObjectFields(schema) : propertiesOf(schema);
  const required = new Set(listAt(schema, 'required'));
  const fields = new Map<string, ValueSize>();
  let bytesMin = 2;
  for (const [name, inner] of Object.entries(declared)) {
    const size = isObject(inner) ? valueSize(inner) : undefined;
    if (size === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, size);
    const hasDefault = isObject(inner) && (inner['default'] ?? null) !== null;
    if (required.has(name) && !hasDefault) bytesMin += Buffer.byteLength(name) + size.bytesMin + 4;
  }
  return { countMax: 0, bytesMin, fields };
}

const propertiesOf = (schema: JsonValue | undefined): JsonObject =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};

const NAME_LENGTH_MAX = 253;

/**
 * Adds the fields of every object. Names have the maximum length of names, unless the schema declares all of the
 * fields.
 */
function withObjectFields(schema: JsonObject): JsonObject {
  const declared = propertiesOf(schema);
  const names = propertiesOf(declared['metadata']);
  const isText = (s: JsonValue | undefined) => textAt(s ?? null, 'type') === 'string';
  if (
    [declared['kind'], declared['apiVersion'], names['name'], names['generateName']].every(isText) &&
    textAt(declared['metadata'] ?? null, 'type') === 'object'
  )
    return declared;
  const name = (s: JsonValue | undefined, max: number): JsonObject => {
    const own = isObject(s) ? bound(s['maxLength']) : undefined;
    return { type: 'string', maxLength: own === undefined ? max : Math.min(own, max) };
  };
  const metadata = {
    name: name(names['name'], NAME_LENGTH_MAX),
    generateName: name(names['generateName'], NAME_LENGTH_MAX - 1),
  };
  const text: JsonObject = { type: 'string' };
  return { ...declared, kind: text, apiVersion: text, metadata: { type: 'object', properties: metadata } };
}

function textSize(schema: JsonObject): ValueSize {
  switch (textAt(schema, 'format')) {
    case 'byte':
      return { countMax: bound(schema['maxLength']) ?? TEXT_BYTES_MAX, bytesMin: 2 };
    case 'duration':
      return { countMax: 32, bytesMin: 3 };
    case 'date':
      return { countMax: 12, bytesMin: 12 };
    case 'date-time':
      return { countMax: 32, bytesMin: 21 };
    default:
      return { countMax: characters(schema) ?? longestChoice(schema) ?? TEXT_BYTES_MAX, bytesMin: 2 };
  }
}

/** maxLength counts characters of up to four bytes. */
function characters(schema: JsonObject): number | undefined {
  const length = bound(schema['maxLength']);
  return length === undefined ? undefined : length * 4;
}

function longestChoice(schema: JsonObject): number | undefined {
  const choices = listAt(schema, 'enum');
  if (choices.length === 0) return undefined;
  return Math.max(0, ...choices.map((c) => (typeof c === 'string' ? Buffer.byteLength(c) : 0)));
}

function bound(v: JsonValue | undefined): number | undefined {
  return typeof v === 'number' || typeof v === 'bigint' ? Math.max(0, Number(v)) : undefined;
}

/** The sizes below a value, for any variable that refers to it. */
export function sizesBelow(root: ValueSize): SizeOf {
  return (path) => {
    let at: ValueSize | undefined = root;
    for (const step of path.slice(1)) {
      // kube-apiserver treats the names of properties as empty.
      if (step === '@keys') return at.isMap === true ? 0 : undefined;
      at = step === '@items' || step === '@values' ? at.element : at.fields?.get(step);
      if (at === undefined) return undefined;
    }
    return at.countMax;
  };
}
