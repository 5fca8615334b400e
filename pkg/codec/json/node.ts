import type { JsonArray, JsonObject, JsonValue } from '../../api/index.js';
import { setOwn } from '../../api/index.js';

/**
 * A JSON text with nothing lost: duplicate keys, order of keys, spelling of numbers. Strings, booleans and null stand for
 * themselves.
 */
export type Node = null | boolean | string | NumberNode | ListNode | MapNode;

export interface NumberNode {
  readonly kind: 'number';
  readonly text: string;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: Node[];
}

/** `keys[i]` belongs to `values[i]`; keys may repeat. */
export interface MapNode {
  readonly kind: 'map';
  readonly keys: string[];
  readonly values: Node[];
}

/** JSON's name of what a node is, as the reference's errors say it. */
export function nodeName(node: Node): 'null' | 'bool' | 'string' | 'number' | 'array' | 'object' {
  if (node === null) return 'null';
  if (typeof node === 'boolean') return 'bool';
  if (typeof node === 'string') return 'string';
  return node.kind === 'number' ? 'number' : node.kind === 'list' ? 'array' : 'object';
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * The value of a number's text: a bigint for whole numbers of an int64 that a double cannot hold, else a double; undefined when
 * it is beyond any double.
 */
export function numberOf(text: string): number | bigint | undefined {
  const n = Number(text);
  if (Number.isSafeInteger(n)) return n === 0 ? 0 : n;
  if (/^-?\d+$/.test(text) && text.length <= 20) {
    const big = BigInt(text);
    if (big >= INT64_MIN && big <= INT64_MAX) return big;
  }
  return Number.isFinite(n) ? n : undefined;
}

/**
 * A value as a node: what came from YAML, CBOR or a patch and is then decoded like a text. Keys that hold undefined (marks of a
 * normalisation that gave up) are absent.
 */
export function nodeOf(value: JsonValue): Node {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return { kind: 'number', text: String(value) };
    case 'object': {
      if (value === null) return null;
      if (Array.isArray(value)) return { kind: 'list', items: value.map(nodeOf) };
      const keys = Object.keys(value).filter((key) => value[key] !== undefined);
      return { kind: 'map', keys, values: keys.map((key) => nodeOf(value[key]!)) };
    }
    default:
      return value;
  }
}

/** The value of a node whose inside no schema knows: the last of duplicate keys counts. */
export function jsonOf(node: Node): JsonValue {
  if (node === null || typeof node !== 'object') return node;
  switch (node.kind) {
    case 'number':
      // Beyond any double: keep the largest one rather than an infinity that JSON cannot say.
      return numberOf(node.text) ?? (node.text.startsWith('-') ? -Number.MAX_VALUE : Number.MAX_VALUE);
    case 'list': {
      const list: JsonArray = [];
      for (const item of node.items) list.push(jsonOf(item));
      return list;
    }
    case 'map': {
      const object: JsonObject = {};
      for (let i = 0; i < node.keys.length; i++) setOwn(object, node.keys[i]!, jsonOf(node.values[i]!));
      return object;
    }
  }
}

/** Nesting of a node, counted without recursion. */
export function depthOf(root: Node): number {
  let deepest = 0;
  const pending: [Node, number][] = [[root, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, depth] = next;
    if (node === null || typeof node !== 'object' || node.kind === 'number') continue;
    if (depth > deepest) deepest = depth;
    for (const child of node.kind === 'list' ? node.items : node.values) pending.push([child, depth + 1]);
  }
  return deepest;
}
