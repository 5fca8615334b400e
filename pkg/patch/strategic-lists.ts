import {
  getOwn,
  goFormat,
  goStringVerb,
  goTypeName,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../api/index.js';
import { PatchError } from './errors.js';

/** The merge rules of a list. */
export interface ListRules {
  /** `merge`, or any other value for a list that is replaced. */
  readonly strategy: string;
  /** '' if items have no merge key: primitives. */
  readonly mergeKey: string;
  /** Two entries with one merge key. */
  readonly mergeEntry: (live: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges a list of the patch into the live one; `deletion` if the patch lists primitives to remove. */
export function mergeList(live: JsonArray, patch: JsonArray, rules: ListRules, deletion: boolean): JsonArray {
  if (live.length === 0 && patch.length === 0) return live;
  if (itemType(live, patch) !== 'map') {
    if (deletion) {
      const gone = new Set(patch);
      return live.filter((v) => !gone.has(v));
    }
    return interleave([...new Set([...live, ...patch])], patch, live, '');
  }
  const key = rules.mergeKey;
  if (key === '') throw malformed('cannot merge lists without merge key for struct');
  const special = applyListDirectives(live as JsonObject[], patch as JsonObject[], key);
  const merged = mergeEntries(special.live, special.patch, rules);
  return interleave(merged, special.patch, special.live, key);
}

/**
 * Merges like `mergeList` and sorts the result by a `$setElementOrder` list. Undefined if there is neither a live nor a
 * patched list.
 */
export function orderList(
  live: JsonArray | undefined,
  patch: JsonArray | undefined,
  order: JsonArray,
  rules: ListRules,
): JsonArray | undefined {
  checkOrder(patch ?? [], order, rules.mergeKey);
  if (live === undefined && patch === undefined) return undefined;
  let merged: JsonArray;
  if (patch === undefined) merged = live!;
  else if (live === undefined) merged = withoutDirectives(patch) as JsonArray;
  else merged = rules.strategy === 'merge' ? mergeList(live, patch, rules, false) : patch;
  itemType(live ?? [], patch ?? []);
  return interleave(merged, order, live ?? [], rules.mergeKey);
}

/** Returns the kind of all items: `map` or a scalar's type name. Mixed lists and lists of lists are refused. */
function itemType(live: JsonArray, patch: JsonArray): string {
  let type: string | undefined;
  for (const list of [live, patch]) {
    for (const item of list) {
      const t = isObject(item) ? 'map' : goTypeName(item);
      if (type !== undefined && type !== t) {
        throw malformed(`list element types are not identical: ${goFormat([live, patch])}`);
      }
      if (Array.isArray(item)) throw new PatchError('rejected', 'lists of lists are not supported');
      type = t;
    }
  }
  if (type === undefined) throw malformed('no elements in any of the given slices');
  return type;
}

/** Removes entries with `$patch` from the patch and applies their directives. */
function applyListDirectives(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
): { readonly live: readonly JsonObject[]; readonly patch: readonly JsonObject[] } {
  const plain: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let replace = false;
  for (const entry of patch) {
    const directive = getOwn(entry, '$patch');
    if (directive === undefined) plain.push(entry);
    else if (directive === 'delete') deleted.add(keyOf(entry, key));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw malformed('merging lists cannot yet be specified in the patch');
    else throw malformed(`unknown patch type: ${goStringVerb(directive)} in map: ${goFormat(entry)}`);
  }
  if (replace) return { live: plain, patch: [] };
  const kept = (e: JsonObject) => {
    const k = getOwn(e, key);
    return k === undefined || !deleted.has(k);
  };
  return { live: deleted.size === 0 ? live : live.filter(kept), patch: plain };
}

/** Merges each entry of the patch into the first one with its key, or appends it. */
function mergeEntries(live: readonly JsonObject[], patch: readonly JsonObject[], rules: ListRules): JsonObject[] {
  const out = [...live];
  const at = firstPositions(out.map((entry) => getOwn(entry, rules.mergeKey)));
  for (const entry of patch) {
    const key = keyOf(entry, rules.mergeKey);
    const i = at.get(key);
    if (i === undefined) {
      at.set(key, out.length);
      out.push(entry);
    } else out[i] = rules.mergeEntry(out[i]!, entry);
  }
  return out;
}

/** An item with its sort ranks, which are looked up once. */
interface Placed {
  readonly item: JsonValue;
  /** The first position of its value or key in the named list and in the live list. */
  readonly namedAt: number | undefined;
  readonly liveAt: number | undefined;
}

/**
 * Orders a merged list: items of `named` in its order, the others in the order of `live`. The two are merged by their
 * positions in `live`.
 */
function interleave(
  merged: JsonArray,
  named: JsonArray | readonly JsonObject[],
  live: readonly JsonValue[],
  key: string,
): JsonArray {
  const value = (v: JsonValue) => (key === '' ? v : keyOf(v, key));
  const values = merged.map(value);
  const namedAt = firstPositions(named.map(value));
  const liveAt = firstPositions(live.map(value));
  const left: Placed[] = [];
  const right: Placed[] = [];
  merged.forEach((item, i) => {
    const placed = { item, namedAt: namedAt.get(values[i]!), liveAt: liveAt.get(values[i]!) };
    (placed.namedAt === undefined ? left : right).push(placed);
  });
  const others = ranked(left, key, (p) => p.liveAt ?? 0);
  const out: JsonArray = [];
  let i = 0;
  for (const { item, liveAt: place } of ranked(right, key, (p) => p.namedAt ?? 0)) {
    while (i < others.length && place !== undefined) {
      const own = others[i]!.liveAt;
      if (own === undefined || own >= place) break;
      out.push(others[i++]!.item);
    }
    out.push(item);
  }
  for (; i < others.length; i++) out.push(others[i]!.item);
  return out;
}

/** Sorts by rank, deletions last. The sort is stable: entries with the same key keep their order. */
function ranked(items: readonly Placed[], key: string, rank: (p: Placed) => number): readonly Placed[] {
  const isDeletion = ({ item }: Placed) => key !== '' && getOwn(item as JsonObject, '$patch') === 'delete';
  const kept: Placed[] = [];
  const deletions: Placed[] = [];
  for (const p of items) (isDeletion(p) ? deletions : kept).push(p);
  return kept.sort((a, b) => rank(a) - rank(b)).concat(deletions);
}

/** The patch list must have the order of the `$setElementOrder` list and no other items, except deletions. */
function checkOrder(patch: JsonArray, order: JsonArray, key: string): void {
  if (order.length === 0 || patch.length === 0) return;
  let entries = patch;
  if (key !== '') {
    entries = patch.filter((v) => getOwn(asMap(v), '$patch') !== 'delete');
  }
  let p = 0;
  let o = 0;
  while (p < entries.length && o < order.length) {
    const entry = entries[p]!;
    if (isObject(entry) && Object.hasOwn(entry, '$patch')) {
      p++;
      continue;
    }
    const same = key === '' ? entry === order[o] : keyOf(entry, key) === keyOf(order[o]!, key);
    if (same) p++;
    o++;
  }
  if (p < entries.length && o >= order.length) {
    throw malformed(
      `The order in patch list:\n${goFormat(patch)}\n doesn't match $setElementOrder list:\n${goFormat(order)}\n`,
    );
  }
}

/**
 * Returns the value without maps that have a `$patch` directive, and without the values that those replace; undefined
 * if the value itself is such a map.
 */
export function withoutDirectives(v: JsonValue): JsonValue | undefined {
  if (Array.isArray(v)) {
    return v.flatMap((item) => {
      const kept = withoutDirectives(item);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isObject(v)) return v;
  if (Object.hasOwn(v, '$patch')) return undefined;
  const out: JsonObject = {};
  for (const key of Object.keys(v)) {
    const kept = withoutDirectives(v[key]!);
    if (kept !== undefined) setOwn(out, key, kept);
  }
  return out;
}

/** Maps each value to its first position. */
function firstPositions(values: readonly (JsonValue | undefined)[]): Map<JsonValue, number> {
  const at = new Map<JsonValue, number>();
  values.forEach((v, i) => {
    if (v !== undefined && !at.has(v)) at.set(v, i);
  });
  return at;
}

function asMap(v: JsonValue): JsonObject {
  if (isObject(v)) return v;
  throw malformed(`expected a map[string]interface {}, but received a ${v === null ? '%!s(<nil>)' : goTypeName(v)}`);
}

function keyOf(v: JsonValue, key: string): JsonValue {
  const entry = asMap(v);
  const k = getOwn(entry, key);
  if (k === undefined) throw malformed(`map: ${goFormat(entry)} does not contain declared merge key: ${key}`);
  return k;
}

function malformed(message: string): PatchError {
  return new PatchError('malformed', message);
}
