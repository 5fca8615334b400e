/** The maximum number of entries of a leaf. Small, so that copying a leaf and inserting into it are cheap. */
const leafMax = 128;

interface Leaf<V> {
  readonly keys: string[];
  readonly values: V[];
  /** The epoch of the map when this leaf was created or copied. A leaf of an older epoch may be shared with a snapshot. */
  readonly epoch: number;
}

/** An immutable map in key order. Keys are compared by UTF-16 code units, which is byte order for ASCII and latin1. */
export interface OrderedView<V> {
  get(key: string): V | undefined;
  /** Visits start <= key < end in ascending order until `visit` returns false. `visit` must not write to the map. */
  scan(start: string, end: string | undefined, visit: (key: string, value: V) => boolean): void;
  /** The same keys in descending order. */
  scanReverse(start: string, end: string | undefined, visit: (key: string, value: V) => boolean): void;
  /** Returns the values with start <= key < end, in order. A map must not be written before the iteration ends; a snapshot may be kept. */
  range(start: string, end: string): IterableIterator<V>;
  /** Appends up to `limit` values with start <= key < end to `into`; faster than `range`. */
  collect(start: string, end: string, limit: number, into: V[]): void;
  /** Returns the number of keys with start <= key < end. The time grows with the number of leaves between them. */
  count(start: string, end: string): number;
  readonly size: number;
}

/** The leaves in order, and for each a key that is not above its keys and above those of every leaf before it. */
interface Level<V> {
  readonly leaves: Leaf<V>[];
  /** Separate from the leaves, so that a search touches one small array and the strings that it compares. The first is ''. */
  readonly fences: string[];
  readonly epoch: number;
}

/**
 * An ordered map as a sorted list of small sorted leaves: two binary searches to find a key, no node objects,
 * about 1.3 pointers and values per entry. `snapshot()` costs nothing at once; afterwards each leaf is copied
 * when it is first written again, and so is the list of leaves.
 *
 * The cache and the stores use it alike. A B+tree with counts in its inner nodes was tried for the cache: with 200,000 keys its gets and
 * puts took 1.3 times the time, and its scans ten times.
 */
export class OrderedMap<V> implements OrderedView<V> {
  #level: Level<V> = { leaves: [{ keys: [], values: [], epoch: 0 }], fences: [''], epoch: 0 };
  #epoch = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return getIn(this.#level, key);
  }

  scan(start: string, end: string | undefined, visit: (key: string, value: V) => boolean): void {
    scanIn(this.#level, start, end, visit);
  }

  scanReverse(start: string, end: string | undefined, visit: (key: string, value: V) => boolean): void {
    scanReverseIn(this.#level, start, end, visit);
  }

  range(start: string, end: string): IterableIterator<V> {
    return rangeIn(this.#level, start, end);
  }

  collect(start: string, end: string, limit: number, into: V[]): void {
    collectIn(this.#level, start, end, limit, into);
  }

  count(start: string, end: string): number {
    return countIn(this.#level, start, end);
  }

  /** Returns the current map as a snapshot. Later writes do not change it. */
  snapshot(): OrderedView<V> {
    this.#epoch++;
    const level = this.#level;
    return {
      size: this.#size,
      get: (key) => getIn(level, key),
      scan: (start, end, visit) => scanIn(level, start, end, visit),
      scanReverse: (start, end, visit) => scanReverseIn(level, start, end, visit),
      range: (start, end) => rangeIn(level, start, end),
      collect: (start, end, limit, into) => collectIn(level, start, end, limit, into),
      count: (start, end) => countIn(level, start, end),
    };
  }

  /** Returns the previous value of the key. */
  set(key: string, value: V): V | undefined {
    const at = leafOf(this.#level.fences, key);
    const leaf = this.#ownLeaf(at);
    const i = lowerBound(leaf.keys, key);
    if (leaf.keys[i] === key) {
      const previous = leaf.values[i];
      leaf.values[i] = value;
      return previous;
    }
    this.#size++;
    if (leaf.keys.length < leafMax) {
      leaf.keys.splice(i, 0, key);
      leaf.values.splice(i, 0, value);
      return undefined;
    }
    // Ascending inserts leave full leaves behind; others split a leaf in the middle.
    const { leaves, fences } = this.#ownLevel();
    const cut = i === leafMax && at === leaves.length - 1 ? leafMax : leafMax >> 1;
    const right: Leaf<V> = { keys: leaf.keys.splice(cut), values: leaf.values.splice(cut), epoch: this.#epoch };
    const into = i >= cut ? right : leaf;
    const place = i >= cut ? i - cut : i;
    into.keys.splice(place, 0, key);
    into.values.splice(place, 0, value);
    leaves.splice(at + 1, 0, right);
    fences.splice(at + 1, 0, right.keys[0]!);
    return undefined;
  }

  /** Returns the value that the key had. */
  delete(key: string): V | undefined {
    const at = leafOf(this.#level.fences, key);
    const i = lowerBound(this.#level.leaves[at]!.keys, key);
    if (this.#level.leaves[at]!.keys[i] !== key) return undefined;
    const leaf = this.#ownLeaf(at);
    leaf.keys.splice(i, 1);
    const [removed] = leaf.values.splice(i, 1);
    this.#size--;
    if (leaf.keys.length < leafMax >> 2 && at > 0) this.#mergeLeft(at);
    return removed;
  }

  /** Merges a small leaf into its left neighbour if both fit, so that deletions do not leave many tiny leaves. */
  #mergeLeft(at: number): void {
    const thin = this.#level.leaves[at]!;
    if (this.#level.leaves[at - 1]!.keys.length + thin.keys.length > leafMax >> 1) return;
    const left = this.#ownLeaf(at - 1);
    for (const key of thin.keys) left.keys.push(key);
    for (const value of thin.values) left.values.push(value);
    const { leaves, fences } = this.#ownLevel();
    leaves.splice(at, 1);
    fences.splice(at, 1);
  }

  #ownLevel(): Level<V> {
    if (this.#level.epoch !== this.#epoch) {
      const { leaves, fences } = this.#level;
      this.#level = { leaves: leaves.slice(), fences: fences.slice(), epoch: this.#epoch };
    }
    return this.#level;
  }

  #ownLeaf(at: number): Leaf<V> {
    const leaf = this.#level.leaves[at]!;
    if (leaf.epoch === this.#epoch) return leaf;
    const copy: Leaf<V> = { keys: leaf.keys.slice(), values: leaf.values.slice(), epoch: this.#epoch };
    this.#ownLevel().leaves[at] = copy;
    return copy;
  }
}

/** The index of the leaf for `key`. */
function leafOf(fences: readonly string[], key: string): number {
  let low = 0;
  let high = fences.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fences[middle]! <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The first index whose key is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function getIn<V>({ leaves, fences }: Level<V>, key: string): V | undefined {
  const leaf = leaves[leafOf(fences, key)]!;
  const i = lowerBound(leaf.keys, key);
  return leaf.keys[i] === key ? leaf.values[i] : undefined;
}

function scanIn<V>(
  { leaves, fences }: Level<V>,
  start: string,
  end: string | undefined,
  visit: (key: string, value: V) => boolean,
): void {
  let at = leafOf(fences, start);
  let i = lowerBound(leaves[at]!.keys, start);
  for (; at < leaves.length; at++, i = 0) {
    const { keys, values } = leaves[at]!;
    for (; i < keys.length; i++) {
      const key = keys[i]!;
      if (end !== undefined && key >= end) return;
      if (!visit(key, values[i]!)) return;
    }
  }
}

function* rangeIn<V>({ leaves, fences }: Level<V>, start: string, end: string): IterableIterator<V> {
  let at = leafOf(fences, start);
  let i = lowerBound(leaves[at]!.keys, start);
  for (; at < leaves.length; at++, i = 0) {
    const { keys, values } = leaves[at]!;
    for (; i < keys.length; i++) {
      if (keys[i]! >= end) return;
      yield values[i]!;
    }
  }
}

function collectIn<V>({ leaves, fences }: Level<V>, start: string, end: string, limit: number, into: V[]): void {
  const most = into.length + limit;
  let at = leafOf(fences, start);
  let i = lowerBound(leaves[at]!.keys, start);
  for (; at < leaves.length && into.length < most; at++, i = 0) {
    const { keys, values } = leaves[at]!;
    const isLast = keys.length > 0 && keys[keys.length - 1]! >= end;
    const stop = Math.min(isLast ? lowerBound(keys, end) : keys.length, i + most - into.length);
    for (; i < stop; i++) into.push(values[i]!);
    if (isLast) return;
  }
}

function countIn<V>({ leaves, fences }: Level<V>, start: string, end: string): number {
  if (end <= start) return 0;
  const first = leafOf(fences, start);
  const last = leafOf(fences, end);
  let found = lowerBound(leaves[last]!.keys, end) - lowerBound(leaves[first]!.keys, start);
  for (let at = first; at < last; at++) found += leaves[at]!.keys.length;
  return found;
}

function scanReverseIn<V>(
  { leaves, fences }: Level<V>,
  start: string,
  end: string | undefined,
  visit: (key: string, value: V) => boolean,
): void {
  let at = end === undefined ? leaves.length - 1 : leafOf(fences, end);
  let i = (end === undefined ? leaves[at]!.keys.length : lowerBound(leaves[at]!.keys, end)) - 1;
  for (; at >= 0; at--, i = at >= 0 ? leaves[at]!.keys.length - 1 : -1) {
    const { keys, values } = leaves[at]!;
    for (; i >= 0; i--) {
      const key = keys[i]!;
      if (key < start) return;
      if (!visit(key, values[i]!)) return;
    }
  }
}
