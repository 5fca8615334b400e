import { equals } from './compare.js';
import { formatDouble } from './library/numbers.js';
import {
  Bytes,
  type CelError,
  CelMap,
  type EntryMap,
  fail,
  isError,
  JsonMap,
  List,
  NO_OVERLOAD,
  Opaque,
  Optional,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from './values.js';

/** Access to the parts of values: fields, elements, keys. */

export function hasFields(value: Value): boolean {
  return value instanceof CelMap || value instanceof Opaque;
}

export function fieldOf(value: Value, field: string): Value | undefined {
  if (value instanceof CelMap) return value.find(field);
  return value instanceof Opaque ? value.field(field) : undefined;
}

export function contains(element: Value, container: Value): Value {
  if (container instanceof CelMap) {
    if (container instanceof JsonMap && typeof element !== 'string')
      return fail(`unsupported map key type: ${goType(element)}`);
    return container.find(element) !== undefined;
  }
  if (!(container instanceof List)) return NO_OVERLOAD;
  for (let i = 0; i < container.size; i++) if (equals(element, container.at(i))) return true;
  return false;
}

const INDEX_MAX = (1n << 63n) - 1n;

export function listIndex(key: Value): number | CelError {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint)
    return key.value <= INDEX_MAX ? Number(key.value) : fail(`unsupported index value ${key.value} in list`);
  if (typeof key === 'number')
    return Number.isInteger(key) ? key : fail(`unsupported index value ${formatDouble(key)} in list`);
  return fail(`unsupported index type '${typeName(key)}' in list`);
}

/** Returns the element, if present. A key that a list cannot have is an error; other values have no elements. */
export function optionalElement(container: Value, key: Value): Value {
  if (container instanceof List) {
    const i = listIndex(key);
    if (typeof i !== 'number') return i;
    return i >= 0 && i < container.size ? new Optional(container.at(i)) : Optional.NONE;
  }
  if (container instanceof CelMap) {
    const value = container.find(key);
    return value === undefined ? Optional.NONE : new Optional(value);
  }
  const value = elementAt(container, key);
  return isError(value) ? Optional.NONE : new Optional(value);
}

export function elementAt(container: Value, key: Value): Value {
  if (container instanceof CelMap) {
    if (container instanceof JsonMap && typeof key !== 'string')
      return fail(`unsupported map key type: ${goType(key)}`);
    return orMissing(container.find(key), showKey(key));
  }
  if (container instanceof List) {
    const i = listIndex(key);
    if (typeof i !== 'number') return i;
    return i >= 0 && i < container.size ? container.at(i) : fail(`index out of bounds: ${showKey(key)}`);
  }
  if (container instanceof Opaque && typeof key === 'string') return orMissing(container.field(key), key);
  return fail(`no such key: ${showKey(key)}`);
}

/** Returns a present value, which may be null, or the error for an absent one. */
export function orMissing(value: Value | undefined, key: string): Value {
  return value === undefined ? fail(`no such key: ${key}`) : value;
}

export function showKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  if (key instanceof Bytes) return new TextDecoder().decode(key.value);
  if (typeof key === 'number') return formatDouble(key);
  if (key === null || typeof key !== 'object') return String(key);
  return typeName(key);
}

/** The Go type under which kube-apiserver reports a value that is no range. */
export function goType(v: Value): string {
  if (v instanceof Optional) return '*types.Optional';
  if (v instanceof TypeValue) return '*types.Type';
  const name = typeName(v);
  const simple = name.slice(name.lastIndexOf('.') + 1);
  if (v instanceof Opaque) return `cel.${simple}`;
  return `types.${name === 'null_type' ? 'Null' : simple.charAt(0).toUpperCase() + simple.slice(1)}`;
}

/** An object with declared fields that an expression creates. */
export class StructValue extends CelMap {
  readonly #name: string;
  readonly fields: EntryMap;

  constructor(name: string, fields: EntryMap) {
    super();
    this.#name = name;
    this.fields = fields;
  }

  override get typeName(): string {
    return this.#name;
  }

  get size(): number {
    return this.fields.size;
  }

  find(key: Value): Value | undefined {
    return this.fields.find(key);
  }

  keys(): readonly Value[] {
    return this.fields.keys();
  }
}
