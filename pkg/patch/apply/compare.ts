import {
  asGiven,
  equalJson,
  getOwn,
  hasGivenEmpty,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../api/index.js';
import { finish, PutOff, type Steps } from '../../base/index.js';
import type { ListSchema, Schema } from '../../schema/index.js';
import { declaredElement, fieldElement, type PathElement } from './element.js';
import { emptySet, type FieldSet, hasElement, leaf, type MutableSet, recursiveDifference } from './field-set.js';
import { asMap, childSchema, isAtomic } from './shape.js';
import { elementOf, everythingIn, itemsByElement } from './to-set.js';

/** Members or items that are compared in one piece. */
const AT_ONCE = 250;

/** The differences between two objects of one type; no path is in two of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export const same: Comparison = { removed: emptySet, modified: emptySet, added: emptySet };

/** The differences below one node, each as a node of a set (see FieldSet). */
interface Diff {
  removed: FieldSet | undefined;
  modified: FieldSet | undefined;
  added: FieldSet | undefined;
}

/** Compares two objects of one type. Values that both share by reference are skipped. */
export function compareObjects(before: JsonObject, after: JsonObject, schema: Schema): Comparison {
  return finish(compareSteps(before, after, schema));
}

/** `compareObjects` in steps, without the fields that are ignored. */
export function* compareSteps(
  before: JsonObject,
  after: JsonObject,
  schema: Schema,
  ignored: FieldSet = emptySet,
): Steps<Comparison> {
  const later = new PutOff();
  const diff = yield* compareValues(before, sharing(before, after, ignored), schema, later);
  yield* later.steps();
  if (diff === undefined) return same;
  const shown = (set: FieldSet | undefined): FieldSet =>
    set === undefined ? emptySet : recursiveDifference(set, ignored);
  return { removed: shown(diff.removed), modified: shown(diff.modified), added: shown(diff.added) };
}

/** Returns `after` with the members of `before` that are ignored as a whole, most often the status or all else, so that they are skipped. */
function sharing(before: JsonObject, after: JsonObject, ignored: FieldSet): JsonObject {
  let shared = after;
  for (const key in before) {
    if (before[key] === after[key] || !Object.hasOwn(after, key) || !hasElement(ignored, fieldElement(key))) continue;
    if (shared === after) shared = { ...after };
    setOwn(shared, key, before[key]!);
  }
  return shared;
}

/** Reports whether the values have no parts that are compared on their own. `compareUnit` compares them, without the cost of steps. */
function isWhole(l: JsonValue, r: JsonValue, schema: Schema): boolean {
  return l === r || schema.kind === 'scalar' || isAtomic(schema);
}

/** Compares two values that are present, and may be null. Returns undefined if they do not differ. */
function* compareValues(l: JsonValue, r: JsonValue, schema: Schema, later: PutOff): Steps<Diff | undefined> {
  if (isWhole(l, r, schema)) return compareUnit(l, r);
  if (schema.kind === 'list') {
    const ll = Array.isArray(l) ? l : [];
    const rl = Array.isArray(r) ? r : [];
    return ll.length === 0 && rl.length === 0 ? compareWhole(l, r) : yield* compareItems(ll, rl, schema, later);
  }
  const lm = asMap(l);
  const rm = asMap(r);
  const lKeys = lm === undefined ? [] : Object.keys(lm);
  const rKeys = rm === undefined ? [] : Object.keys(rm);
  if (lKeys.length === 0 && rKeys.length === 0) return compareWhole(l, r);
  const diff = yield* compareMembers([lm ?? {}, lKeys], [rm ?? {}, rKeys], schema, later);
  // An unknown value that turned from a scalar or list into a map, or back: both the value and its members changed.
  if (schema.kind === 'any' && (!isMapOrNull(l) || !isMapOrNull(r))) {
    return { removed: diff?.removed, added: diff?.added, modified: leaf };
  }
  return diff;
}

function isMapOrNull(v: JsonValue): boolean {
  return v === null || asMap(v) !== undefined;
}

/**
 * Compares two values of one owner. kube-apiserver compares the items of lists as they were sent: there, a list that an update sets to `[]`
 * differs from an absent one, although neither is stored.
 */
function compareUnit(l: JsonValue, r: JsonValue): Diff | undefined {
  return l !== r && (!equalJson(l, r) || hasEmptyInItem(r)) ? MODIFIED : undefined;
}

function hasEmptyInItem(v: JsonValue): boolean {
  if (typeof v !== 'object' || v === null) return false;
  return Array.isArray(v) ? v.some(hasGivenEmpty) : Object.values(v).some((value) => hasEmptyInItem(value!));
}

const MODIFIED: Diff = { removed: undefined, modified: leaf, added: undefined };

function compareWhole(l: JsonValue, r: JsonValue): Diff | undefined {
  return l === r || equalJson(l, r) ? undefined : MODIFIED;
}

function* compareMembers(
  [l, lKeys]: readonly [JsonObject, readonly string[]],
  [r, rKeys]: readonly [JsonObject, readonly string[]],
  schema: Schema,
  later: PutOff,
): Steps<Diff | undefined> {
  let diff: Diff | undefined;
  const isStruct = schema.kind === 'struct';
  let visited = 0;
  for (const key of lKeys) {
    if (++visited % AT_ONCE === 0) yield;
    const before = l[key]!;
    const after = memberOf(r, key);
    if (before === after) continue;
    const child = childSchema(schema, key);
    if (child === undefined) continue;
    const element = isStruct ? declaredElement(key) : fieldElement(key);
    if (after === undefined) {
      diff ??= { removed: undefined, modified: undefined, added: undefined };
      diff.removed = put(diff.removed, element, everythingIn(before, child, later));
    } else {
      const inner = isWhole(before, after, child)
        ? compareUnit(before, after)
        : yield* compareValues(before, after, child, later);
      if (inner !== undefined) diff = merge(diff, element, inner);
    }
  }
  for (const key of rKeys) {
    if (++visited % AT_ONCE === 0) yield;
    if (Object.hasOwn(l, key)) continue;
    const child = childSchema(schema, key);
    if (child === undefined) continue;
    diff ??= { removed: undefined, modified: undefined, added: undefined };
    const element = isStruct ? declaredElement(key) : fieldElement(key);
    diff.added = put(diff.added, element, everythingIn(r[key]!, child, later));
  }
  return diff;
}

/** An update that sets a list to `[]` differs from one without the list, although both are stored without it. */
function memberOf(o: JsonObject, key: string): JsonValue | undefined {
  const value = getOwn(o, key);
  return value === null ? asGiven(o, key) : value;
}

function* compareItems(l: JsonArray, r: JsonArray, schema: ListSchema, later: PutOff): Steps<Diff | undefined> {
  const inPlace = yield* comparePairs(l, r, schema, later);
  if (inPlace !== 'moved') return inPlace;
  let diff: Diff | undefined;
  const before = itemsByElement(l, schema);
  if (l.length > AT_ONCE) yield;
  const after = itemsByElement(r, schema);
  let visited = 0;
  for (const [element, old] of before) {
    if (++visited % AT_ONCE === 0) yield;
    const now = after.get(element);
    if (old.length === 1 && now?.length === 1) {
      const inner = yield* compareValues(old[0]!, now[0]!, schema.items, later);
      if (inner !== undefined) diff = merge(diff, element, inner);
    } else diff = merge(diff, element, compareDuplicates(old, now ?? [], schema, later));
  }
  for (const [element, now] of after) {
    if (++visited % AT_ONCE === 0) yield;
    if (!before.has(element)) diff = merge(diff, element, compareDuplicates([], now, schema, later));
  }
  return diff;
}

/** Compares items at unchanged positions, the common case, without an index. Returns `moved` if positions changed. */
function* comparePairs(
  l: JsonArray,
  r: JsonArray,
  schema: ListSchema,
  later: PutOff,
): Steps<Diff | undefined | 'moved'> {
  if (l.length !== r.length) return 'moved';
  let diff: Diff | undefined;
  const elements: PathElement[] = [];
  for (let i = 0; i < l.length; i++) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    const element = elementOf(schema, l[i]!);
    if (element === undefined || element !== elementOf(schema, r[i]!)) return 'moved';
    elements.push(element);
    const inner = isWhole(l[i]!, r[i]!, schema.items)
      ? compareUnit(l[i]!, r[i]!)
      : yield* compareValues(l[i]!, r[i]!, schema.items, later);
    if (inner !== undefined) diff = merge(diff, element, inner);
  }
  // If all items are equal, duplicates need no handling; otherwise duplicates count as one value.
  return diff === undefined || new Set(elements).size === l.length ? diff : 'moved';
}

/**
 * Compares the items of one identity if one side has none or several. Several count as one value, beside the fields of
 * a single one.
 */
function compareDuplicates(old: JsonArray, now: JsonArray, schema: ListSchema, later: PutOff): Diff {
  const none = { removed: undefined, modified: undefined, added: undefined };
  if (old.length > 1 && now.length > 1) return equalJson(old, now) ? none : { ...none, modified: leaf };
  const of = (items: JsonArray) =>
    items.length === 1 ? everythingIn(items[0]!, schema.items, later) : items.length > 1 ? leaf : undefined;
  return { ...none, removed: of(old), added: of(now) };
}

function put(set: FieldSet | undefined, element: PathElement, node: FieldSet): FieldSet {
  const out: MutableSet = (set as MutableSet | undefined) ?? {};
  out[element] = node;
  return out;
}

function merge(diff: Diff | undefined, element: PathElement, inner: Diff): Diff | undefined {
  if (inner.removed === undefined && inner.modified === undefined && inner.added === undefined) return diff;
  const out = diff ?? { removed: undefined, modified: undefined, added: undefined };
  if (inner.removed !== undefined) out.removed = put(out.removed, element, inner.removed);
  if (inner.modified !== undefined) out.modified = put(out.modified, element, inner.modified);
  if (inner.added !== undefined) out.added = put(out.added, element, inner.added);
  return out;
}
