import {
  formatDuration,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  parseDuration,
  rememberEmpty,
  setOwn,
} from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import {
  type AnySchema,
  compilePerSchema,
  type Field,
  isContainer,
  type ListSchema,
  leftOutWhenZero,
  type MapSchema,
  type ScalarSchema,
  type Schema,
  type StructSchema,
  scalarZero,
} from '../../schema/index.js';
import { canonicalBase64 } from '../scalar/bytes.js';
import { canonicalQuantityText } from '../scalar/quantity.js';
import { canonicalMicroTime, canonicalTime } from '../scalar/time.js';

/**
 * The fast path of decoding. Closures compiled for each schema convert a plain value (of `JSON.parse` or a patch) to normal form
 * (pkg/schema/zero.ts) in place. Any irregularity (an unknown field, a wrong type, a number out of range) only sets a flag; the exact
 * decoder (exact.ts) then reports it. This code therefore builds no paths and messages.
 */
export interface Normalised {
  /** If false, the exact decoder must decode the source again; `value` is incomplete. */
  readonly clean: boolean;
  readonly value: JsonValue;
  /** The number of keys of all objects, including those of raw values. */
  readonly members: number;
}

/** Converts `value` to the normal form of `schema`, reusing its objects and lists. */
export function normalise(schema: StructSchema, value: JsonValue): Normalised {
  clean = true;
  members = 0;
  itemsLeft = Number.POSITIVE_INFINITY;
  const result = value === null ? zeroStruct(schema) : stepOf(schema)(value);
  return { clean, value: result, members };
}

/** `normalise` in steps. */
export function* normaliseSteps(schema: StructSchema, value: JsonValue): Steps<Normalised> {
  clean = true;
  members = 0;
  itemsLeft = ITEMS_AT_ONCE;
  putOff = [];
  const result = value === null ? zeroStruct(schema) : stepOf(schema)(value);
  const found = { clean, value: result, members };
  const pending = putOff;
  for (let next = pending.pop(); next !== undefined && found.clean; next = pending.pop()) {
    yield;
    ({ clean, members } = found);
    itemsLeft = ITEMS_AT_ONCE;
    putOff = pending;
    next();
    found.clean = clean;
    found.members = members;
  }
  return found;
}

/** Items of lists and entries of maps that are normalised in one step. */
const ITEMS_AT_ONCE = 1_000;

// The state of the current step of a normalisation. A step is synchronous, and closures without an extra parameter are faster.
let clean = true;
let members = 0;
/** Items and entries until the end of the step. Then lists and maps put off their rest: they are changed in place, so its values may come later. */
let itemsLeft = Number.POSITIVE_INFINITY;
let putOff: (() => void)[] = [];

/** Returns the normalised value. It is never called with null, which each caller handles. */
type Step = (value: JsonValue) => JsonValue;

interface FieldStep {
  readonly name: string;
  readonly step: Step;
  /** The value of an absent or null field; undefined if it is omitted. */
  readonly zero: (() => JsonValue) | undefined;
  /** A zero value is the same as an absent field. */
  readonly dropZero: boolean;
  /** An empty list or map becomes null, as after a round trip through the store of kube-apiserver. */
  readonly nullEmpty: boolean;
  /** A list or map whose empty value in the source is remembered. */
  readonly container: boolean;
}

const { now: stepOf, later } = compilePerSchema<JsonValue>({ struct, map, list, scalar, any });

function unclean(value: JsonValue): JsonValue {
  clean = false;
  return value;
}

function zeroStruct(schema: StructSchema): JsonValue {
  return stepOf(schema)({});
}

function zeroOf(schema: Schema): () => JsonValue {
  if (schema.kind === 'struct') return () => zeroStruct(schema);
  const zero = scalarZero(schema);
  return () => zero;
}

function fieldStep(owner: StructSchema, field: Field): FieldStep {
  const { schema } = field;
  const leftOut = leftOutWhenZero(owner, field);
  return {
    name: field.name,
    step: later(schema),
    zero: leftOut ? undefined : field.pointer ? () => null : zeroOf(schema),
    dropZero: leftOut && !field.pointer,
    nullEmpty: !leftOut && !field.pointer && isContainer(schema),
    container: isContainer(schema),
  };
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function struct(schema: StructSchema): Step {
  const fields = new Map<string, FieldStep>();
  const always: FieldStep[] = [];
  for (const field of schema.fields) {
    const step = fieldStep(schema, field);
    fields.set(field.name, step);
    if (step.zero !== undefined) always.push(step);
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return unclean(value);
    let dropped = false;
    let empty: Record<string, JsonArray | JsonObject> | undefined;
    // Keys come from JSON.parse or from our own code. All are own properties, even `__proto__`, and no inherited
    // property is enumerable.
    for (const key in value) {
      members++;
      const field = fields.get(key);
      const given = value[key]!;
      if (field === undefined) {
        if (!schema.preserveUnknown) return unclean(value);
        if (typeof given === 'object') members += membersOf(given);
        continue;
      }
      let held: JsonValue | undefined;
      if (given === null) held = field.zero === undefined ? undefined : field.zero();
      else {
        held = field.step(given);
        // A value of a wrong type stays in its place for the exact decoder, also if it is an empty list or text.
        if (clean && (field.dropZero || field.nullEmpty) && isEmpty(held)) {
          if (field.container) {
            empty ??= {};
            empty[key] = held as JsonArray | JsonObject;
          }
          held = field.dropZero ? undefined : null;
        }
      }
      if (held === undefined) {
        value[key] = undefined as unknown as JsonValue;
        dropped = true;
      } else if (held !== given) value[key] = held;
    }
    const result = dropped ? withoutDropped(value) : value;
    for (const field of always) if (result[field.name] === undefined) result[field.name] = field.zero!();
    if (empty !== undefined) rememberEmpty(result, empty);
    return result;
  };
}

function withoutDropped(value: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const key in value) {
    const held = value[key];
    if (held !== undefined) setOwn(kept, key, held);
  }
  return kept;
}

function map(schema: MapSchema): Step {
  const step = later(schema.values);
  const zero = zeroOf(schema.values);
  const put = (value: JsonObject, key: string): void => {
    const given = value[key]!;
    // Go decodes null in a map of byte strings as nil, which becomes empty bytes when stored.
    const held = given === null ? (isBytes(schema.values) ? '' : zero()) : step(given);
    if (held !== given) setOwn(value, key, held);
  };
  const rest = (value: JsonObject, keys: readonly string[], from: number): void => {
    for (let i = from; i < keys.length; i++) {
      if (--itemsLeft < 0) return void putOff.push(() => rest(value, keys, i));
      put(value, keys[i]!);
    }
  };
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return unclean(value);
    let done = 0;
    for (const key in value) {
      if (--itemsLeft < 0) {
        const keys = Object.keys(value);
        members += keys.length - done;
        putOff.push(() => rest(value, keys, done));
        break;
      }
      members++;
      done++;
      put(value, key);
    }
    return value;
  };
}

const isBytes = (schema: Schema): boolean => schema.kind === 'scalar' && schema.type === 'bytes';

function list(schema: ListSchema): Step {
  const step = later(schema.items);
  const zero = zeroOf(schema.items);
  const rest = (value: JsonArray, from: number): void => {
    for (let i = from; i < value.length; i++) {
      if (--itemsLeft < 0) return void putOff.push(() => rest(value, i));
      const given = value[i]!;
      const held = given === null ? zero() : step(given);
      if (held !== given) value[i] = held;
    }
  };
  return (value) => {
    if (!Array.isArray(value)) return unclean(value);
    rest(value, 0);
    return value;
  };
}

function scalar(schema: ScalarSchema): Step {
  switch (schema.type) {
    case 'string':
      return (v) => (typeof v === 'string' ? v : unclean(v));
    case 'bool':
      return (v) => (typeof v === 'boolean' ? v : unclean(v));
    case 'int32':
      return (v) => (typeof v === 'number' && (v | 0) === v ? v : unclean(v));
    case 'int64':
      return (v) => (Number.isSafeInteger(v) || isInt64(v) ? v : unclean(v));
    case 'float64':
      return (v) => (typeof v === 'number' && Number.isFinite(v) ? v : typeof v === 'bigint' ? Number(v) : unclean(v));
    case 'bytes':
      return (v) => (typeof v === 'string' ? canonical(canonicalBase64, v) : unclean(v));
    case 'time':
      return (v) => (typeof v === 'string' ? canonical(canonicalTime, v) : unclean(v));
    case 'microTime':
      return (v) => (typeof v === 'string' ? canonical(canonicalMicroTime, v) : unclean(v));
    case 'quantity':
      return (v) =>
        typeof v === 'string'
          ? canonical(canonicalQuantityText, v)
          : typeof v === 'number' || typeof v === 'bigint'
            ? canonical(canonicalQuantityText, String(v))
            : unclean(v);
    case 'duration':
      return (v) => {
        const nanos = typeof v === 'string' ? parseDuration(v) : undefined;
        return nanos === undefined ? unclean(v) : formatDuration(nanos);
      };
    case 'intOrString':
      return (v) => (typeof v === 'string' || (typeof v === 'number' && (v | 0) === v) ? v : unclean(v));
  }
}

function canonical(read: typeof canonicalTime, text: string): JsonValue {
  const result = read(text);
  return result.ok ? result.text : unclean(text);
}

/** Reports whether a bigint is an int64. Smaller integers are numbers. */
export function isInt64(v: JsonValue): boolean {
  return typeof v === 'bigint' && BigInt.asIntN(64, v) === v;
}

function any(schema: AnySchema): Step {
  const { either } = schema;
  if (either === undefined) {
    return (value) => {
      if (typeof value === 'object') members += membersOf(value);
      else checkWhole(value);
      return value;
    };
  }
  const object = later(either.object);
  return (value) => {
    if (Array.isArray(value)) {
      if (either.or === 'bool') return unclean(value);
      if (either.or === 'stringList') return value.every((v) => typeof v === 'string') ? value : unclean(value);
      for (let i = 0; i < value.length; i++) value[i] = object(value[i]!);
      return value;
    }
    if (typeof value === 'object') return object(value);
    return either.or === 'bool' && typeof value === 'boolean' ? value : unclean(value);
  };
}

/** YAML has integers beyond int64; without a schema, the exact path converts them to doubles. */
function checkWhole(value: JsonValue): void {
  if (typeof value === 'bigint' && !isInt64(value)) clean = false;
}

/** Returns the number of keys of all objects in a value. It is iterative, because raw values may be nested as deeply as a text. */
export function membersOf(root: JsonValue): number {
  return countNext([root], Number.POSITIVE_INFINITY);
}

/** `membersOf` in steps. */
export function* memberSteps(root: JsonValue): Steps<number> {
  const pending = [root];
  let count = countNext(pending, COUNTED_AT_ONCE);
  while (pending.length > 0) {
    yield;
    count += countNext(pending, COUNTED_AT_ONCE);
  }
  return count;
}

/** Values that are visited in one step. */
const COUNTED_AT_ONCE = 5_000;

/** Visits up to `most` of the pending values, and returns the number of their keys. Their members become pending. */
function countNext(pending: JsonValue[], most: number): number {
  let count = 0;
  for (let i = 0; i < most && pending.length > 0; i++) {
    const next = pending.pop()!;
    if (typeof next !== 'object') checkWhole(next);
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else {
      for (const key in next) {
        count++;
        pending.push(next[key]!);
      }
    }
  }
  return count;
}
