/**
 * An ordered map with snapshots in constant time: a B+tree whose nodes are shared between snapshots and copied on the first write after
 * one. Inner nodes have the number of entries below them, so that counting a range is a walk from the root and not a scan.
 *
 * Values contain their key. Keys compare by code unit, which for ASCII is the byte order of the keyspace.
 */
export interface Keyed {
  readonly key: string;
}

interface Leaf<T> {
  readonly leaf: true;
  /** The tree that may change this node in place: the one that made it, until its next snapshot. */
  owner: object;
  items: T[];
}

interface Inner<T> {
  readonly leaf: false;
  owner: object;
  children: Node<T>[];
  /** `first[i]`: a lower bound for the keys of `children[i]`, above all keys of the children before. */
  first: string[];
  count: number;
}

type Node<T> = Leaf<T> | Inner<T>;

const FANOUT = 64;
const countOf = <T>(n: Node<T>): number => (n.leaf ? n.items.length : n.count);

/** An immutable state of a tree. */
export class Snapshot<T extends Keyed> {
  readonly #root: Node<T>;

  constructor(root: Node<T>) {
    this.#root = root;
  }

  get size(): number {
    return countOf(this.#root);
  }

  get(key: string): T | undefined {
    return find(this.#root, key);
  }

  /** Returns the values with start <= key < end, in order. */
  range(start: string, end: string): IterableIterator<T> {
    return walk(this.#root, start, end);
  }

  /** Appends up to `limit` values from `start` on to `into`; faster than `range`. */
  collect(start: string, end: string, limit: number, into: T[]): void {
    collect(this.#root, start, end, into.length + limit, into);
  }

  /** Returns the number of keys with start <= key < end. */
  count(start: string, end: string): number {
    return below(this.#root, end) - below(this.#root, start);
  }
}

export class Tree<T extends Keyed> {
  #owner: object = {};
  #root: Node<T> = { leaf: true, owner: this.#owner, items: [] };

  get size(): number {
    return countOf(this.#root);
  }

  snapshot(): Snapshot<T> {
    this.#owner = {};
    return new Snapshot(this.#root);
  }

  get(key: string): T | undefined {
    return find(this.#root, key);
  }

  range(start: string, end: string): IterableIterator<T> {
    return walk(this.#root, start, end);
  }

  /** Returns the previous value of the key. */
  set(value: T): T | undefined {
    const own = this.#own(this.#root);
    this.#root = own;
    const replaced = this.#insert(own, value);
    if (widthOf(own) > FANOUT) {
      const right = split(own, this.#owner);
      const children = [own, right];
      this.#root = {
        leaf: false,
        owner: this.#owner,
        children,
        first: ['', firstKey(right)],
        count: countOf(own) + countOf(right),
      };
    }
    return replaced;
  }

  delete(key: string): T | undefined {
    if (find(this.#root, key) === undefined) return undefined;
    const own = this.#own(this.#root);
    this.#root = own;
    const removed = this.#remove(own, key);
    if (!own.leaf && own.children.length === 1) this.#root = own.children[0]!;
    return removed;
  }

  #own<N extends Node<T>>(node: N): N {
    if (node.owner === this.#owner) return node;
    return (
      node.leaf
        ? { leaf: true, owner: this.#owner, items: node.items.slice() }
        : {
            leaf: false,
            owner: this.#owner,
            children: node.children.slice(),
            first: node.first.slice(),
            count: node.count,
          }
    ) as N;
  }

  #insert(node: Node<T>, value: T): T | undefined {
    if (node.leaf) {
      const at = lowerBound(node.items, value.key);
      const there = node.items[at];
      if (there !== undefined && there.key === value.key) {
        node.items[at] = value;
        return there;
      }
      node.items.splice(at, 0, value);
      return undefined;
    }
    const i = childFor(node, value.key);
    const child = this.#own(node.children[i]!);
    node.children[i] = child;
    const replaced = this.#insert(child, value);
    if (replaced === undefined) node.count++;
    if (widthOf(child) > FANOUT) {
      const right = split(child, this.#owner);
      node.children.splice(i + 1, 0, right);
      node.first.splice(i + 1, 0, firstKey(right));
    }
    return replaced;
  }

  #remove(node: Node<T>, key: string): T {
    if (node.leaf) {
      return node.items.splice(lowerBound(node.items, key), 1)[0]!;
    }
    const i = childFor(node, key);
    const child = this.#own(node.children[i]!);
    node.children[i] = child;
    const removed = this.#remove(child, key);
    node.count--;
    if (widthOf(child) < FANOUT / 4 && node.children.length > 1) this.#join(node, i === 0 ? 0 : i - 1);
    return removed;
  }

  /** Joins child `i` with the next when both fit into one node. */
  #join(node: Inner<T>, i: number): void {
    const left = node.children[i]!;
    const right = node.children[i + 1]!;
    if (widthOf(left) + widthOf(right) > (FANOUT * 3) / 4) return;
    const own = this.#own(left);
    if (own.leaf && right.leaf) own.items.push(...right.items);
    else if (!own.leaf && !right.leaf) {
      own.children.push(...right.children);
      own.first.push(node.first[i + 1]!, ...right.first.slice(1));
      own.count += right.count;
    }
    node.children[i] = own;
    node.children.splice(i + 1, 1);
    node.first.splice(i + 1, 1);
  }
}

function widthOf<T>(node: Node<T>): number {
  return node.leaf ? node.items.length : node.children.length;
}

function split<T extends Keyed>(node: Node<T>, owner: object): Node<T> {
  // Splits in the middle would leave every node half empty when keys are appended in order (filling, numbered names).
  const at = node.leaf ? Math.ceil(node.items.length * 0.75) : Math.ceil(node.children.length / 2);
  if (node.leaf) return { leaf: true, owner, items: node.items.splice(at) };
  const children = node.children.splice(at);
  const count = children.reduce((n, c) => n + countOf(c), 0);
  node.count -= count;
  return { leaf: false, owner, children, first: node.first.splice(at), count };
}

function firstKey<T extends Keyed>(node: Node<T>): string {
  return node.leaf ? node.items[0]!.key : node.first[0]!;
}

/** Returns the index of the first item with key >= `key`. */
function lowerBound<T extends Keyed>(items: readonly T[], key: string): number {
  let lo = 0;
  let hi = items.length;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (items[mid]!.key < key) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/** Returns the index of the only child that may contain `key`. */
function childFor<T>(node: Inner<T>, key: string): number {
  let lo = 1;
  let hi = node.first.length;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (node.first[mid]! <= key) lo = mid + 1;
    else hi = mid;
  }
  return lo - 1;
}

function find<T extends Keyed>(node: Node<T>, key: string): T | undefined {
  while (!node.leaf) node = node.children[childFor(node, key)]!;
  const there = node.items[lowerBound(node.items, key)];
  return there !== undefined && there.key === key ? there : undefined;
}

function* walk<T extends Keyed>(node: Node<T>, start: string, end: string): IterableIterator<T> {
  if (node.leaf) {
    for (let i = lowerBound(node.items, start); i < node.items.length; i++) {
      const item = node.items[i]!;
      if (item.key >= end) return;
      yield item;
    }
    return;
  }
  for (let i = childFor(node, start); i < node.children.length; i++) {
    if (i > 0 && node.first[i]! >= end) return;
    yield* walk(node.children[i]!, start, end);
  }
}

/** Returns false when `into` is full or the end is reached. */
function collect<T extends Keyed>(node: Node<T>, start: string, end: string, full: number, into: T[]): boolean {
  if (node.leaf) {
    for (let i = lowerBound(node.items, start); i < node.items.length; i++) {
      const item = node.items[i]!;
      if (item.key >= end || into.length >= full) return false;
      into.push(item);
    }
    return true;
  }
  for (let i = childFor(node, start); i < node.children.length; i++) {
    if (i > 0 && node.first[i]! >= end) return false;
    if (!collect(node.children[i]!, start, end, full, into)) return false;
  }
  return true;
}

/** Returns the number of keys < `key`. */
function below<T extends Keyed>(node: Node<T>, key: string): number {
  let n = 0;
  while (!node.leaf) {
    const i = childFor(node, key);
    for (let j = 0; j < i; j++) n += countOf(node.children[j]!);
    node = node.children[i]!;
  }
  return n + lowerBound(node.items, key);
}
