import type { JsonObject, JsonValue } from '../api/index.js';
import type { Type } from './types.js';

/**
 * Values at run time. An int is a bigint, a double a number. Whole numbers of JSON become ints. The fields of an object
 * are converted only when an expression reads them.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Bytes
  | List
  | CelMap
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Opaque
  | CelError;

/** The result of a failed operation. `&&`, `||` and the macros over them may ignore it. */
export class CelError {
  readonly message: string;
  /** No signature of the function accepts these arguments. */
  readonly noOverload: boolean;

  constructor(message: string, noOverload = false) {
    this.message = message;
    this.noOverload = noOverload;
  }
}

export const isError = (v: Value): v is CelError => v instanceof CelError;
export const fail = (message: string): CelError => new CelError(message);

/** An operand has a type that the operation does not accept. */
export const NO_OVERLOAD = new CelError('no such overload', true);

/** `no such overload: f(int, list)`. */
export function noOverload(name: string, ...args: readonly Value[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(typeName).join(', ')})`, true);
}

export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Bytes {
  readonly value: Uint8Array;

  constructor(value: Uint8Array) {
    this.value = value;
  }
}

/** Nanoseconds; the range is that of a signed 64-bit number. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** An instant, with the offset in which it was written (seconds east of UTC). */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  readonly offset: number;

  constructor(seconds: number, nanos: number, offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

export class TypeValue {
  /** The name for `type()`: `list`, `google.protobuf.Timestamp`. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }

  static readonly NONE = new Optional(undefined);
}

/** A value of a named type, such as a quantity. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Value): boolean;
  /** Whether the operator == compares a value of this type with any other value. */
  get comparesAny(): boolean {
    return false;
  }
  /** The size for costs. */
  get size(): number | undefined {
    return undefined;
  }
  /** The value of a field, for opaque types that have fields. */
  field(_name: string): Value | undefined {
    return undefined;
  }
}

export abstract class List {
  abstract readonly size: number;
  abstract at(i: number): Value;

  /** `a + b`, if the list has its own rule (sets and lists of maps by key). */
  concat(other: List): List {
    return concatLists(this, other);
  }

  /** Undefined: compare the elements in order. */
  equals(_other: List): boolean | undefined {
    return undefined;
  }
}

export class ArrayList extends List {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(i: number): Value {
    return this.items[i]!;
  }
}

/** Two concatenated lists, without a copy. */
class ConcatList extends List {
  readonly #a: List;
  readonly #b: List;
  readonly size: number;

  constructor(a: List, b: List) {
    super();
    this.#a = a;
    this.#b = b;
    this.size = a.size + b.size;
  }

  at(i: number): Value {
    return i < this.#a.size ? this.#a.at(i) : this.#b.at(i - this.#a.size);
  }
}

const COPY_BELOW = 64;

export function concatLists(a: List, b: List): List {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  if (a.size + b.size > COPY_BELOW) return new ConcatList(a, b);
  return new ArrayList([...itemsOf(a), ...itemsOf(b)]);
}

export function itemsOf(list: List): Value[] {
  const out: Value[] = [];
  for (let i = 0; i < list.size; i++) out.push(list.at(i));
  return out;
}

export abstract class CelMap {
  abstract readonly size: number;
  abstract find(key: Value): Value | undefined;
  abstract keys(): readonly Value[];

  /** The name of the type of objects with declared fields. */
  get typeName(): string {
    return 'map';
  }
}

/**
 * Keys that are equal by the rules of CEL have the same text, so equal numbers of different types have the same text.
 */
export function keyText(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'number' && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

/**
 * The text of a key in a map that an expression creates. kube-apiserver accepts keys of more types than the language
 * has, and of two equal keys the last one decides.
 */
export function entryText(key: Value): string | undefined {
  if (typeof key === 'number') return keyText(key) ?? `d${key}`;
  if (key === null) return 'null';
  if (key instanceof Timestamp) return `t${key.seconds}.${key.nanos}`;
  if (key instanceof Duration) return `D${key.nanos}`;
  if (key instanceof TypeValue) return `T${key.name}`;
  return keyText(key);
}

export class EntryMap extends CelMap {
  readonly entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super();
    this.entries = entries;
  }

  get size(): number {
    return this.entries.size;
  }

  find(key: Value): Value | undefined {
    const text = entryText(key);
    return text === undefined ? undefined : this.entries.get(text)?.[1];
  }

  keys(): readonly Value[] {
    return [...this.entries.values()].map(([key]) => key);
  }
}

export function mapFrom(pairs: Iterable<readonly [string, Value]>): EntryMap {
  const entries = new Map<string, readonly [Value, Value]>();
  for (const [key, value] of pairs) entries.set(`s${key}`, [key, value]);
  return new EntryMap(entries);
}

/** Converts a JSON value; a schema provides the types of the fields. */
export type Adapt = (json: JsonValue) => Value;

export class JsonList extends List {
  readonly json: readonly JsonValue[];
  readonly #adapt: Adapt;

  constructor(json: readonly JsonValue[], adapt: Adapt = fromJson) {
    super();
    this.json = json;
    this.#adapt = adapt;
  }

  get size(): number {
    return this.json.length;
  }

  at(i: number): Value {
    return this.#adapt(this.json[i]!);
  }
}

export class JsonMap extends CelMap {
  readonly json: JsonObject;

  constructor(json: JsonObject) {
    super();
    this.json = json;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined;
    return fromJson(this.json[key]!);
  }

  keys(): readonly Value[] {
    return Object.keys(this.json);
  }
}

/** Converts a JSON value without a schema. */
export function fromJson(json: JsonValue): Value {
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json;
  if (typeof json === 'bigint') return json;
  if (typeof json === 'number') return Number.isSafeInteger(json) && !Object.is(json, -0) ? BigInt(json) : json;
  if (Array.isArray(json)) return new JsonList(json);
  return new JsonMap(json as JsonObject);
}

export function typeName(v: Value): string {
  if (v === null) return 'null_type';
  switch (typeof v) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (v instanceof Uint) return 'uint';
  if (v instanceof Bytes) return 'bytes';
  if (v instanceof List) return 'list';
  if (v instanceof CelMap) return v.typeName;
  if (v instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (v instanceof Duration) return 'google.protobuf.Duration';
  if (v instanceof TypeValue) return 'type';
  if (v instanceof Optional) return 'optional_type';
  if (v instanceof Opaque) return v.typeName;
  return 'error';
}

/** The run-time name of a type of the checker. */
export function runtimeName(t: Type): string {
  switch (t.kind) {
    case 'null':
      return 'null_type';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'opaque':
    case 'struct':
    case 'param':
      return t.name;
    default:
      return t.kind;
  }
}

/** A type with its parameters, by the names of run time: `list(google.protobuf.Duration)`. */
export function runtimeText(t: Type): string {
  const parameters = parametersOf(t);
  if (t.kind === 'param') return `<${t.name}>`;
  return parameters.length === 0 ? runtimeName(t) : `${runtimeName(t)}(${parameters.map(runtimeText).join(', ')})`;
}

function parametersOf(t: Type): readonly Type[] {
  if (t.kind === 'list') return [t.element];
  if (t.kind === 'map') return [t.key, t.value];
  if (t.kind === 'opaque') return t.params;
  return t.kind === 'type' && t.of !== undefined ? [t.of] : [];
}

/** The size for costs: characters, bytes, elements, entries; 1 for all other values. */
export function costSize(v: Value): number {
  if (typeof v === 'string') return codePoints(v);
  if (v instanceof Bytes) return v.value.length;
  if (v instanceof List || v instanceof CelMap) return v.size;
  if (v instanceof Optional && v.value !== undefined) return costSize(v.value);
  if (v instanceof Opaque) return v.size ?? 1;
  return 1;
}

/** Code points of a string. */
export function codePoints(s: string): number {
  let n = s.length;
  for (let i = 0; i < s.length; i++) {
    const unit = s.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) n--;
  }
  return n;
}
