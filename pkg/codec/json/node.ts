import type { JsonArray, JsonObject, JsonValue } from '../../api/index.js';
import { asGiven, givenFields, setOwn } from '../../api/index.js';

/**
 * A lossless tree of a JSON text, with duplicate keys, the order of keys and the spelling of numbers. Strings, booleans and null are
 * plain values.
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

/** Returns the JSON type of a node, as in the errors of kube-apiserver. */
export function nodeName(node: Node): 'null' | 'bool' | 'string' | 'number' | 'array' | 'object' {
  if (node === null) return 'null';
  if (typeof node === 'boolean') return 'bool';
  if (typeof node === 'string') return 'string';
  return node.kind === 'number' ? 'number' : node.kind === 'list' ? 'array' : 'object';
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * Returns the value of a number's text: a bigint for int64 values that a double cannot represent, else a double;
 * undefined if it is beyond the range of a double.
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
 * Converts a plain value (of YAML, CBOR or a patch) to a node, which is then decoded like a text. Keys with the value
 * undefined, which an aborted normalisation leaves behind, are skipped, and the empty lists and maps that it took out are put back.
 */
export function nodeOf(value: JsonValue): Node {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return { kind: 'number', text: String(value) };
    case 'object': {
      if (value === null) return null;
      if (Array.isArray(value)) return { kind: 'list', items: value.map(nodeOf) };
      const keys = [...new Set([...Object.keys(value), ...givenFields(value)])].filter(
        (key) => asGiven(value, key) !== undefined,
      );
      return { kind: 'map', keys, values: keys.map((key) => nodeOf(asGiven(value, key)!)) };
    }
    default:
      return value;
  }
}

/** Like `nodeOf`, but lists and maps below the top level are empty: enough to find the type of an object. */
export function topOf(value: JsonValue): Node {
  const shallow = (v: JsonValue): JsonValue => (v === null || typeof v !== 'object' ? v : Array.isArray(v) ? [] : {});
  if (value === null || typeof value !== 'object') return nodeOf(value);
  if (Array.isArray(value)) return { kind: 'list', items: [] };
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return { kind: 'map', keys, values: keys.map((key) => nodeOf(shallow(value[key]!))) };
}

/**
 * Returns the value of a node without a schema; the last of duplicate keys wins. `repeated` gets the objects that have
 * keys twice, with these keys.
 */
export function jsonOf(node: Node, repeated?: Map<JsonValue, readonly string[]>): JsonValue {
  if (node === null || typeof node !== 'object') return node;
  switch (node.kind) {
    case 'number':
      // Beyond the range of a double: keep the largest one, because JSON has no infinity.
      return numberOf(node.text) ?? (node.text.startsWith('-') ? -Number.MAX_VALUE : Number.MAX_VALUE);
    case 'list': {
      const list: JsonArray = [];
      for (const item of node.items) list.push(jsonOf(item, repeated));
      return list;
    }
    case 'map': {
      const object: JsonObject = {};
      for (let i = 0; i < node.keys.length; i++) setOwn(object, node.keys[i]!, jsonOf(node.values[i]!, repeated));
      if (repeated !== undefined) noteRepeated(node.keys, object, repeated);
      return object;
    }
  }
}

function noteRepeated(keys: readonly string[], object: JsonObject, repeated: Map<JsonValue, readonly string[]>): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const key of keys) (seen.has(key) ? twice : seen).add(key);
  if (twice.size > 0) repeated.set(object, [...twice]);
}

/** Returns the nesting depth of a node, without recursion. */
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
