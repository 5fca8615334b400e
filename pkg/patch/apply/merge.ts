import { equalJson, getOwn, type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import type { ListSchema } from '../../schema/index.js';
import type { PathElement } from './element.js';
import { asMap, childSchema, isAtomic, listElement, type Node } from './shape.js';

/**
 * Merges an applied object into the live one: every leaf of the applied object is set, and no field is removed. The result shares values
 * with both.
 *
 * Order of a merged list: items of the applied list in its order; a live-only item stays before the live item that followed it.
 * Live `1 2 3 4` with applied `4 2` gives `1 3 4 2`.
 */
export function mergeObjects(live: JsonObject, applied: JsonObject, schema: Node): JsonObject {
  return mergeValues(live, applied, schema) as JsonObject;
}

/** `undefined`: the value is absent on that side. */
function mergeValues(l: JsonValue | undefined, r: JsonValue | undefined, schema: Node): JsonValue {
  if (r === undefined) return l!;
  if (l === undefined || l === r || schema === undefined || schema.kind === 'scalar') return r;
  // If both are equal the live value is kept, so unchanged values can be detected by identity.
  if (isAtomic(schema)) return equalJson(l, r) ? l : r;
  if (schema.kind === 'list') {
    const ll = Array.isArray(l) ? l : [];
    const rl = Array.isArray(r) ? r : [];
    if (ll.length === 0 || (rl.length === 0 && !Array.isArray(r) && r !== null)) return r;
    return rl.length === 0 ? l : mergeLists(ll, rl, schema);
  }
  const lm = asMap(l);
  const rm = asMap(r);
  // A scalar or list replaces a map only if the type is unknown; null does not change a map.
  if (lm === undefined || (rm === undefined && r !== null)) return r;
  if (isEmpty(lm)) return r;
  return rm === undefined ? l : mergeMaps(lm, rm, schema);
}

function isEmpty(map: JsonObject): boolean {
  for (const _ in map) return false;
  return true;
}

function mergeMaps(l: JsonObject, r: JsonObject, schema: Node): JsonObject {
  let out = l;
  for (const key of Object.keys(r)) {
    const old = getOwn(l, key);
    const value = mergeValues(old, r[key]!, childSchema(schema, key));
    if (value === old) continue;
    if (out === l) out = { ...l };
    setOwn(out, key, value);
  }
  return out;
}

function mergeLists(l: JsonArray, r: JsonArray, schema: ListSchema): JsonArray {
  const live = l.map((item) => listElement(schema, item));
  const applied = r.map((item) => listElement(schema, item));
  if (live.length === applied.length && live.every((e, i) => e === applied[i])) {
    // The same items in the same order. An applied list has no duplicates.
    const out = l.map((item, i) => mergeValues(item, r[i]!, schema.items));
    return sameItems(l, out) ? l : out;
  }
  const liveItems = new Map<PathElement, JsonValue>();
  // The applied item replaces all duplicates in the live list instead of merging with them.
  for (const [i, e] of live.entries()) liveItems.set(e, liveItems.has(e) ? null : l[i]!);
  const appliedItems = new Map(applied.map((e, i) => [e, r[i]!]));

  const shared = applied.filter((e) => liveItems.has(e));
  let nextShared = 0;
  const merged = new Set<PathElement>();
  const out: JsonArray = [];
  const take = (e: PathElement): void => {
    merged.add(e);
    out.push(mergeValues(liveItems.get(e), appliedItems.get(e)!, schema.items));
  };
  for (let i = 0, j = 0; i < live.length || j < applied.length; ) {
    const left = live[i];
    const right = applied[j];
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        take(left);
        i++;
        j++;
        nextShared++;
        continue;
      }
      if (appliedItems.has(left) && nextShared < shared.length && shared[nextShared] !== left) {
        // The item is merged later, at its position in the applied list.
        i++;
        continue;
      }
    }
    if (left !== undefined) {
      if (!appliedItems.has(left)) {
        out.push(l[i]!);
        i++;
        continue;
      }
      if (merged.has(left)) i++;
    }
    if (right !== undefined) {
      take(right);
      j++;
      if (shared[nextShared] === right) nextShared++;
    }
  }
  return sameItems(l, out) ? l : out;
}

function sameItems(a: JsonArray, b: JsonArray): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
