import {
  getOwn,
  goTypeName,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
} from '../../../api/index.js';
import {
  BOOL,
  BYTES,
  Bytes,
  CelMap,
  concatLists,
  DOUBLE,
  DURATION,
  DYN,
  equals,
  escapeName,
  fail,
  fieldNamed,
  fromJson,
  INT,
  JsonList,
  List,
  listOf,
  mapOf,
  parseDuration,
  parseTimestamp,
  STRING,
  type StructType,
  struct,
  TIMESTAMP,
  type Type,
  type Value,
} from '../../../cel/index.js';

/**
 * The CEL type of a structural schema, with the conversion from a JSON value to a value of the type. The mapping is that of
 * https://kubernetes.io/docs/reference/using-api/cel/#type-system-integration.
 */
export interface RuleType {
  readonly type: Type;
  readonly adapt: (json: JsonValue) => Value;
  /** All object types in the type, for the environment. */
  readonly structs: readonly StructType[];
}

const META: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};
const EMBEDDED: JsonObject = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: META };

/** Returns undefined if the schema declares no type; expressions cannot access such a value. `name` is the name of the type. */
export function ruleType(schema: JsonObject, name: string, root = false): RuleType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: DYN, adapt: fromJson, structs: [] };
  const embedded = root || schema['x-kubernetes-embedded-resource'] === true;
  switch (textAt(schema, 'type')) {
    case 'array':
      return arrayType(schema, name);
    case 'object': {
      const values = schema['additionalProperties'];
      if (!embedded && isObject(values)) return mapType(values, name);
      return objectType(schema, name, embedded);
    }
    case 'boolean':
      return plain(BOOL);
    case 'number':
      return {
        type: DOUBLE,
        adapt: (v) => (typeof v === 'number' || typeof v === 'bigint' ? Number(v) : fromJson(v)),
        structs: [],
      };
    case 'integer':
      return plain(INT);
    case 'string':
      return stringType(textAt(schema, 'format'));
    default:
      return embedded ? objectType(schema, name, true) : undefined;
  }
}

const plain = (type: Type): RuleType => ({ type, adapt: fromJson, structs: [] });

function stringType(format: string): RuleType {
  const read = (type: Type, parse: (text: string) => Value): RuleType => ({
    type,
    adapt: (v) => {
      if (typeof v === 'string') return parse(v);
      // Validation accepts a list for a text with a format; a rule that reads it fails.
      return v === null ? fromJson(v) : fail(`invalid data, expected string, got ${goTypeName(v)}`);
    },
    structs: [],
  });
  switch (format) {
    case 'byte':
      return read(BYTES, (text) => new Bytes(Uint8Array.from(Buffer.from(text, 'base64'))));
    case 'duration':
      return read(DURATION, (text) => parseDuration(text) ?? fail(`Invalid duration ${JSON.stringify(text)}`));
    case 'date':
      return read(
        TIMESTAMP,
        (text) => parseTimestamp(`${text}T00:00:00Z`) ?? fail(`Invalid date ${JSON.stringify(text)}`),
      );
    case 'date-time':
      return read(
        TIMESTAMP,
        (text) => parseTimestamp(text.toUpperCase()) ?? fail(`Invalid date-time ${JSON.stringify(text)}`),
      );
    default:
      return read(STRING, (text) => text);
  }
}

function mapType(values: JsonObject, name: string): RuleType | undefined {
  const inner = ruleType(values, `${name}.@values`);
  if (inner === undefined) return undefined;
  return {
    type: mapOf(STRING, inner.type),
    adapt: (v) => (isObject(v) ? new TypedMap(v, inner.adapt) : fromJson(v)),
    structs: inner.structs,
  };
}

function arrayType(schema: JsonObject, name: string): RuleType | undefined {
  const items = schema['items'];
  const inner = isObject(items) ? ruleType(items, `${name}.@items`) : undefined;
  if (inner === undefined) return undefined;
  const { adapt } = inner;
  const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(String);
  // Only this is kept, not the schema.
  const listType = schema['x-kubernetes-list-type'];
  const make = (v: JsonArray): List => {
    if (listType === 'set') return new SetList(v, adapt);
    if (listType === 'map') return new KeyedList(v, adapt, keys);
    return new JsonList(v, adapt);
  };
  return { type: listOf(inner.type), adapt: (v) => (Array.isArray(v) ? make(v) : fromJson(v)), structs: inner.structs };
}

interface TypedField {
  /** The JSON value. */
  readonly name: string;
  readonly of: RuleType;
}

function objectType(schema: JsonObject, name: string, embedded: boolean): RuleType {
  const fields = new Map<string, TypedField>();
  const structs: StructType[] = [];
  const declared = isObject(schema['properties']) ? schema['properties'] : {};
  for (const [property, inner] of Object.entries(embedded ? { ...declared, ...EMBEDDED } : declared)) {
    const escaped = escapeName(property);
    const of = isObject(inner) ? ruleType(inner, `${name}.${property}`) : undefined;
    if (escaped === undefined || of === undefined) continue;
    fields.set(escaped, { name: property, of });
    structs.push(...of.structs);
  }
  structs.push({ name, field: (f) => fieldNamed(fields, f)?.of.type });
  return { type: struct(name), adapt: (v) => (isObject(v) ? new TypedObject(v, name, fields) : fromJson(v)), structs };
}

class TypedObject extends CelMap {
  readonly #json: JsonObject;
  readonly #fields: ReadonlyMap<string, TypedField>;
  readonly #name: string;

  constructor(json: JsonObject, name: string, fields: ReadonlyMap<string, TypedField>) {
    super();
    this.#json = json;
    this.#name = name;
    this.#fields = fields;
  }

  override get typeName(): string {
    return this.#name;
  }

  get size(): number {
    return this.keys().length;
  }

  find(key: Value): Value | undefined {
    const field = typeof key === 'string' ? fieldNamed(this.#fields, key) : undefined;
    const json = field === undefined ? undefined : getOwn(this.#json, field.name);
    return json === undefined ? undefined : field!.of.adapt(json);
  }

  keys(): readonly Value[] {
    return [...this.#fields].filter(([, f]) => getOwn(this.#json, f.name) !== undefined).map(([escaped]) => escaped);
  }
}

class TypedMap extends CelMap {
  readonly #json: JsonObject;
  readonly #adapt: (json: JsonValue) => Value;

  constructor(json: JsonObject, adapt: (json: JsonValue) => Value) {
    super();
    this.#json = json;
    this.#adapt = adapt;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: Value): Value | undefined {
    const json = typeof key === 'string' ? getOwn(this.#json, key) : undefined;
    return json === undefined ? undefined : this.#adapt(json);
  }

  keys(): readonly Value[] {
    return Object.keys(this.#json);
  }
}

/** A list of type set: the order is irrelevant, and a sum is a union. */
class SetList extends JsonList {
  override equals(other: List): boolean {
    if (other.size !== this.size) return false;
    for (let i = 0; i < other.size; i++) if (!this.#has(other.at(i))) return false;
    return true;
  }

  #has(value: Value): boolean {
    for (let i = 0; i < this.size; i++) if (equals(this.at(i), value)) return true;
    return false;
  }

  override concat(other: List): List {
    const added: Value[] = [];
    for (let i = 0; i < other.size; i++) if (!this.#has(other.at(i))) added.push(other.at(i));
    return concatLists(this, new ValueList(added));
  }
}

/** A list of type map: items are identified by their keys, the order is irrelevant, and in a sum the right operand wins. */
class KeyedList extends JsonList {
  readonly #keys: readonly string[];

  constructor(json: JsonArray, adapt: (json: JsonValue) => Value, keys: readonly string[]) {
    super(json, adapt);
    this.#keys = keys.map((k) => escapeName(k) ?? k);
  }

  #keyOf(value: Value): string {
    if (!(value instanceof CelMap)) return '';
    return JSON.stringify(this.#keys.map((k) => String(value.find(k) ?? '')));
  }

  #byKey(list: List): Map<string, Value> {
    const found = new Map<string, Value>();
    for (let i = 0; i < list.size; i++) found.set(this.#keyOf(list.at(i)), list.at(i));
    return found;
  }

  override equals(other: List): boolean {
    if (other.size !== this.size) return false;
    const mine = this.#byKey(this);
    for (const [key, value] of this.#byKey(other)) {
      const own = mine.get(key);
      if (own === undefined || !equals(own, value)) return false;
    }
    return true;
  }

  override concat(other: List): List {
    const merged = this.#byKey(this);
    for (const [key, value] of this.#byKey(other)) merged.set(key, value);
    return new ValueList([...merged.values()]);
  }
}

class ValueList extends List {
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(i: number): Value {
    return this.#items[i]!;
  }
}
