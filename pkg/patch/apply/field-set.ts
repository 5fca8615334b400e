import { isObject, type JsonValue } from '../../api/index.js';
import { finish, type Steps, sortInPlace } from '../../base/index.js';
import { fieldSetDepthMax } from '../limits.js';
import { canonicalElement, compareElements, type PathElement, sortedElements } from './element.js';
import { elementSchema, isOpen, type Node } from './shape.js';

/**
 * A set of paths, in the form of managedFields: a tree of objects keyed by path element.
 *
 *     { "f:spec": { "f:containers": { "k:{\"name\":\"c\"}": { ".": {}, "f:image": {} } } } }
 *
 * has the members `.spec.containers[name="c"]` (the `.`) and `.spec.containers[name="c"].image` (a node without children is a member),
 * but neither `.spec` nor `.spec.containers`. So no decoding is needed, and a set that does not change stays the same object.
 *
 * Invariants: sets are immutable; only the root may be empty without being a member; the root has no `.`. The order of keys
 * has no meaning until `sortedSet` sorts them as kube-apiserver does.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction, which is not shared yet. */
export interface MutableSet {
  [element: PathElement]: FieldSet;
}

/** A node that is a member and has no children; as a root, the empty set. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet: FieldSet = leaf;

/** Reports whether a node has no key: the empty set, or a member without children. */
function bare(node: FieldSet): boolean {
  for (const _ in node) return false;
  return true;
}

export function isEmptySet(set: FieldSet): boolean {
  return bare(set);
}

function isMember(node: FieldSet): boolean {
  return node['.'] !== undefined || bare(node);
}

/** Reports whether a node has children. */
export function hasChildren(node: FieldSet): boolean {
  for (const k in node) if (k !== '.') return true;
  return false;
}

/**
 * Builds a node from its two parts; undefined if it is neither a member nor has children. Takes ownership of
 * `children`.
 */
function makeNode(member: boolean, children: MutableSet | undefined): FieldSet | undefined {
  if (children === undefined || bare(children)) return member ? leaf : undefined;
  if (member) children['.'] = leaf;
  return children;
}

/** Adds the node itself as a member. Changes `node`, which must not be shared. */
export function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined || node === leaf) return leaf;
  (node as MutableSet)['.'] = leaf;
  return node;
}

/** Returns the set of one path. */
export function setOfPath(path: readonly PathElement[]): FieldSet {
  let node: FieldSet = leaf;
  for (let i = path.length - 1; i >= 0; i--) node = { [path[i]!]: node };
  return node;
}

export function setOfPaths(paths: Iterable<readonly PathElement[]>): FieldSet {
  let set = emptySet;
  for (const path of paths) if (path.length > 0) set = union(set, setOfPath(path));
  return set;
}

/** Reports whether the path is a member. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** Reports whether `element` itself is a member of the set. */
export function hasElement(set: FieldSet, element: PathElement): boolean {
  const node = set[element];
  return node !== undefined && isMember(node);
}

/** Returns the set below `element`, which may be empty. */
export function below(set: FieldSet, element: PathElement): FieldSet {
  const node = set[element];
  if (node === undefined || !hasChildren(node)) return emptySet;
  if (node['.'] === undefined) return node;
  const { '.': _, ...children } = node;
  return children;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || bare(b)) return a;
  if (bare(a)) return b;
  return unionChildren(a, b);
}

function unionChildren(a: FieldSet, b: FieldSet): MutableSet {
  const out: MutableSet = {};
  for (const k in a) {
    if (k === '.') continue;
    const other = b[k];
    out[k] = other === undefined ? a[k]! : unionNodes(a[k]!, other);
  }
  for (const k in b) if (k !== '.' && a[k] === undefined) out[k] = b[k]!;
  return out;
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return makeNode(isMember(a) || isMember(b), unionChildren(a, b))!;
}

/** Returns the members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectChildren(a, b) ?? emptySet;
}

function intersectChildren(a: FieldSet, b: FieldSet): MutableSet | undefined {
  let out: MutableSet | undefined;
  for (const k in a) {
    if (k === '.') continue;
    const other = b[k];
    if (other === undefined) continue;
    const node = makeNode(isMember(a[k]!) && isMember(other), intersectChildren(a[k]!, other));
    if (node === undefined) continue;
    out ??= {};
    out[k] = node;
  }
  return out;
}

/**
 * Returns the members of `a` that are not members of `b`; `a` itself if none is removed. Children of a removed member
 * stay.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, false);
}

/** Like `difference`, but children of a removed member are removed too. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, true);
}

function without(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  let touched = false;
  for (const k in b) {
    if (k !== '.' && a[k] !== undefined) {
      touched = true;
      break;
    }
  }
  if (!touched) return a;
  const out: MutableSet = {};
  let changed = false;
  for (const k in a) {
    if (k === '.') continue;
    const old = a[k]!;
    const other = b[k];
    const node = other === undefined ? old : withoutNode(old, other, recursive);
    if (node !== undefined) out[k] = node;
    if (node !== old) changed = true;
  }
  return changed ? out : a;
}

function withoutNode(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  const member = isMember(a);
  const gone = isMember(b);
  if (recursive && gone) return undefined;
  const children = without(a, b, recursive);
  if (children !== a) return makeNode(member && !gone, children as MutableSet);
  if (!member || !gone) return a;
  return hasChildren(a) ? below({ a }, 'a') : undefined;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let n = 0;
  for (const k in a) {
    const other = b[k];
    if (other === undefined || !equalSets(a[k]!, other)) return false;
    n++;
  }
  for (const _ in b) n--;
  return n === 0;
}

/** Returns only the members without children. */
export function leaves(set: FieldSet): FieldSet {
  const out: MutableSet = {};
  for (const k in set) if (k !== '.') out[k] = hasChildren(set[k]!) ? leaves(set[k]!) : leaf;
  return out;
}

/** Lists the paths of all members: those of one level in order, then their children, in order. */
export function paths(set: FieldSet): PathElement[][] {
  const out: PathElement[][] = [];
  walk(set, [], out);
  return out;
}

function walk(set: FieldSet, prefix: readonly PathElement[], out: PathElement[][]): void {
  const elements = finish(sortedElements(Object.keys(set).filter((k) => k !== '.')));
  for (const k of elements) if (isMember(set[k]!)) out.push([...prefix, k]);
  for (const k of elements) if (hasChildren(set[k]!)) walk(set[k]!, [...prefix, k], out);
}

/**
 * Adds every declared field on the path to a member: for `a.b.c`, also `a` if it is a field, not a map key. Returns the
 * set itself if nothing is added.
 */
export function withNamedFields(set: FieldSet, schema: Node): FieldSet {
  let out: MutableSet | undefined;
  for (const k in set) {
    const node = set[k]!;
    if (k === '.' || !hasChildren(node)) continue;
    const child = elementSchema(schema, k);
    const isField =
      schema?.kind === 'struct' && child !== undefined && (!isOpen(schema) || schema.byName.has(k.slice(2)));
    let named = withNamedFields(node, child);
    if (isField && node['.'] === undefined) named = { '.': leaf, ...named };
    if (named === node) continue;
    out ??= { ...set };
    out[k] = named;
  }
  return out ?? set;
}

/** Builds a set from paths of field names: `[['status'], ['metadata', 'labels']]`. */
export function setOfNames(fields: readonly (readonly string[])[]): FieldSet {
  return setOfPaths(fields.map((path) => path.map((name) => `f:${name}`)));
}

/** Sorts the keys of a set as kube-apiserver writes them; returns the set itself if they are sorted. */
export function sortedSet(set: FieldSet): FieldSet {
  return finish(sortedSteps(set));
}

/** `sortedSet` in steps. A set of the usual size is sorted at once, without a generator for each of its nodes. */
export function* sortedSteps(set: FieldSet): Steps<FieldSet> {
  return left(set, AT_ONCE) >= 0 ? sortedNow(set) : yield* sortedNodes(set);
}

/** Returns how many of `nodes` remain after those of the set are counted; negative if it has more. */
function left(set: FieldSet, nodes: number): number {
  let rest = nodes;
  for (const k in set) {
    if (--rest < 0) return rest;
    const node = set[k]!;
    if (node !== leaf) rest = left(node, rest);
  }
  return rest;
}

function sortedNow(set: FieldSet): FieldSet {
  let last: string | undefined;
  for (const k in set) {
    if (last !== undefined && compareKeys(last, k) >= 0) return resorted(set);
    last = k;
  }
  let out: MutableSet | undefined;
  for (const k in set) {
    const node = set[k]!;
    const child = node === leaf ? node : sortedNow(node);
    if (child === node) continue;
    out ??= { ...set };
    out[k] = child;
  }
  return out ?? set;
}

function resorted(set: FieldSet): FieldSet {
  const out: MutableSet = {};
  for (const k of sortInPlace(Object.keys(set), compareKeys)) {
    const node = set[k]!;
    out[k] = node === leaf ? node : sortedNow(node);
  }
  return out;
}

function* sortedNodes(set: FieldSet): Steps<FieldSet> {
  const keys = Object.keys(set);
  if (keys.length === 0) return set;
  let visited = 0;
  let out: MutableSet | undefined;
  if (yield* inOrder(keys)) {
    for (const k of keys) {
      if (++visited % AT_ONCE === 0) yield;
      const node = set[k]!;
      const child = node === leaf ? node : yield* sortedNodes(node);
      if (child === node) continue;
      out ??= { ...set };
      out[k] = child;
    }
    return out ?? set;
  }
  out = set['.'] === undefined ? {} : { '.': leaf };
  for (const k of yield* sortedElements(keys.filter((e) => e !== '.'))) {
    if (++visited % AT_ONCE === 0) yield;
    const node = set[k]!;
    out[k] = node === leaf ? node : yield* sortedNodes(node);
  }
  return out;
}

function* inOrder(keys: readonly string[]): Steps<boolean> {
  for (let i = 1; i < keys.length; i++) {
    if (compareKeys(keys[i - 1]!, keys[i]!) >= 0) return false;
    if (i % AT_ONCE === 0) yield;
  }
  return true;
}

/** Keys of one node that are visited in one piece. */
const AT_ONCE = 250;

function compareKeys(a: string, b: string): number {
  if (a === '.') return -1;
  return b === '.' ? 1 : compareElements(a, b);
}

/**
 * Reads `fieldsV1` from a client or the store. Elements of unknown type are dropped, the others are made canonical and
 * sorted; a canonical set is returned unchanged. Throws an Error if the value is not a set.
 */
export function parseSet(json: JsonValue): FieldSet {
  if (json === null) return emptySet;
  if (!isObject(json)) throw new Error('a field set must be an object');
  return parseNode(json, 0).node ?? emptySet;
}

function parseNode(json: JsonValue, depth: number): { readonly node: FieldSet | undefined } {
  if (depth > fieldSetDepthMax) throw new Error('a field set is nested too deeply');
  if (json === null) return { node: depth === 0 ? undefined : leaf };
  if (!isObject(json)) throw new Error('a field set must consist of objects');
  const keys = Object.keys(json);
  let out: MutableSet | undefined;
  let before: string | undefined;
  let children = 0;
  for (let i = 0; i < keys.length; i++) {
    const k = keys[i]!;
    const isDot = k === '.';
    const element = isDot ? k : canonicalElement(k);
    const child = element === undefined ? undefined : isDot ? leaf : parseNode(json[k]!, depth + 1).node;
    const dropped = element === undefined || child === undefined || (isDot && depth === 0);
    const fine =
      !dropped && element === k && sameOrLeaf(child, json[k]!) && (before === undefined || compareKeys(before, k) < 0);
    if (!fine && out === undefined) {
      out = {};
      for (let j = 0; j < i; j++) out[keys[j]!] = json[keys[j]!] as FieldSet;
    }
    if (dropped) continue;
    if (!isDot) children++;
    if (out !== undefined) out[element] = child;
    before = element;
  }
  if (children === 0) return { node: depth === 0 ? undefined : leaf };
  return { node: out === undefined ? (json as FieldSet) : sortedSet(out) };
}

function sameOrLeaf(node: FieldSet, json: JsonValue): boolean {
  return node === json || (node === leaf && isObject(json) && bare(json as FieldSet));
}
