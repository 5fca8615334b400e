import {
  equalJson,
  type FieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../api/index.js';
import type { Schema } from '../types.js';
import { formats } from './formats.js';
import type { Rule } from './rules.js';

/** A value under validation. Absent and null are both undefined. */
export interface Subject {
  readonly value: JsonValue | undefined;
  readonly old: JsonValue | undefined;
  /** Whether this is an update; `old` is then the previous value (which may be absent). */
  readonly updated: boolean;
  /** A pointer field: zero and empty count as set. */
  readonly zeroCounts: boolean;
  readonly path: FieldPath;
  readonly errors: FieldErrors;
  /**
   * By which fields the items of a list are matched with old ones; none: by their whole value. Undefined if the rules of the field do not
   * say, and then its schema decides.
   */
  readonly matchedBy?: readonly string[];
  /** The schema of the value, where the rule is for the whole value. */
  readonly schema?: Schema;
}

type Check = (s: Subject, argument: string) => void;

/** The requirements of rules on a value, by rule name. A rule for another type of value has no effect. */
export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['minimum', (s, a) => limit(s, Number(a), 'greater than or equal to', (v, m) => v < m)],
  ['maximum', (s, a) => limit(s, Number(a), 'less than or equal to', (v, m) => v > m)],
  ['maxLength', maxLength],
  ['maxBytes', maxBytes],
  ['format', ({ value, path, errors }, a) => void (typeof value === 'string' && formats.get(a)?.(value, path, errors))],
  ['enum', oneOf],
  ['unique', unique],
  ['update', update],
  ['monotonic', monotonic],
]);

export function run(rule: Rule, subject: Subject): void {
  checks.get(rule.name)?.(subject, rule.value);
}

function limit(
  { value, path, errors }: Subject,
  bound: number,
  words: string,
  beyond: (value: number | bigint, bound: number) => boolean,
): void {
  if ((typeof value === 'number' || typeof value === 'bigint') && beyond(value, bound)) {
    errors.invalid(path, value, `must be ${words} ${bound}`);
  }
}

/** In characters (code points). */
function maxLength({ value, path, errors }: Subject, argument: string): void {
  const max = Number(argument);
  // A text with few UTF-16 units cannot have more code points, so only long texts are counted.
  if (typeof value !== 'string' || value.length <= max || [...value].length <= max) return;
  errors.add('FieldValueTooLong', path, `Too long: may not be more than ${max} character${max === 1 ? '' : 's'}`);
}

function maxBytes({ value, path, errors }: Subject, argument: string): void {
  const max = Number(argument);
  if (typeof value === 'string' && Buffer.byteLength(value) > max) errors.tooLong(path, max);
}

function oneOf({ value, path, errors }: Subject, argument: string): void {
  if (typeof value !== 'string') return;
  const values = argument.split(',');
  if (!values.includes(value)) errors.notSupported(path, value, values.sort());
}

/** `set`: no two items equal; `map(a,b)`: no two items with the same values of these fields. */
function unique({ value, path, errors, schema }: Subject, argument: string): void {
  if (!Array.isArray(value)) return;
  const keys = keyNames(argument);
  const items = schema?.kind === 'list' ? schema.items : undefined;
  const seen = new Set<string>();
  value.forEach((item, i) => {
    const identity = identityOf(item, keys);
    if (seen.has(identity)) errors.duplicate(path.index(i), inFieldOrder(item, items));
    seen.add(identity);
  });
}

/** Returns the value with its fields in the order of the schema, in which Go prints them. */
export function inFieldOrder(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (Array.isArray(value)) {
    const items = schema?.kind === 'list' ? schema.items : undefined;
    return value.map((item) => inFieldOrder(item, items));
  }
  if (!isObject(value)) return value;
  if (schema?.kind === 'map')
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, inFieldOrder(value[key] ?? null, schema.values)]),
    );
  if (schema?.kind !== 'struct') return value;
  const ordered: JsonObject = {};
  for (const { name, schema: inner } of schema.fields) {
    const v = getOwn(value, name);
    if (v !== undefined) setOwn(ordered, name, inFieldOrder(v, inner));
  }
  return { ...ordered, ...Object.fromEntries(Object.entries(value).filter(([k]) => !Object.hasOwn(ordered, k))) };
}

export function keyNames(argument: string): readonly string[] {
  return argument.startsWith('map(') ? argument.slice(4, -1).split(',') : [];
}

/** A text that is equal for duplicate items. */
export function identityOf(item: JsonValue, keys: readonly string[]): string {
  if (keys.length === 0 || !isObject(item)) return stable(item);
  return stable(keys.map((k) => getOwn(item, k) ?? null));
}

function stable(value: JsonValue): string {
  return JSON.stringify(value, (_, v: unknown) => {
    if (typeof v === 'bigint') return `${v}n`;
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return v;
    return Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1));
  });
}

export function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === 0 || value === false || value === 0n;
}

/** `+k8s:update=`: the changes of a value that are not allowed. Only called if the value changed. */
function update(s: Subject, constraint: string): void {
  const { value, old, updated, zeroCounts, path, errors } = s;
  if (!updated) return;
  const was = zeroCounts ? old !== undefined : !isEmpty(old);
  const is = zeroCounts ? value !== undefined : !isEmpty(value);
  if (constraint === 'NoSet' && !was && is) errors.invalid(path, undefined, 'field cannot be set once created');
  if (constraint === 'NoUnset' && was && !is) errors.invalid(path, undefined, 'field cannot be cleared once set');
  if (constraint === 'NoModify' && was && is) errors.invalid(path, undefined, 'field cannot be modified once set');
  if (constraint === 'NoAddItem' || constraint === 'NoRemoveItem') {
    itemChanges(s, constraint === 'NoAddItem', (item) => keyOf(item));
  }
}

/** These constraints require lists of objects with a name. */
const keyOf = (item: JsonValue): string =>
  identityOf(item, isObject(item) && Object.hasOwn(item, 'name') ? ['name'] : []);

function itemChanges({ value, old, path, errors }: Subject, added: boolean, key: (item: JsonValue) => string): void {
  const now: JsonArray = Array.isArray(value) ? value : [];
  const before: JsonArray = Array.isArray(old) ? old : [];
  const known = new Set((added ? before : now).map(key));
  (added ? now : before).forEach((item, i) => {
    if (known.has(key(item))) return;
    if (added) errors.forbidden(path.index(i), 'item may not be added');
    else errors.forbidden(path, 'item may not be removed');
  });
}

function monotonic({ value, old, updated, path, errors }: Subject): void {
  if (!updated || !isNumber(value) || !isNumber(old) || value >= old) return;
  errors.invalid(path, value, `may not be decreased from ${old}`);
}

const isNumber = (v: JsonValue | undefined): v is number | bigint => typeof v === 'number' || typeof v === 'bigint';

export const same = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalJson(a, b);
