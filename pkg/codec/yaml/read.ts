import { type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import { fastSteps } from '../json/decode.js';
import { memberSteps } from '../json/normal.js';
import { codecLimits, tooManyKeys } from '../limits.js';
import { describeKey, floatKey, goSyntax } from './describe.js';
import { type AliasNode, type ListNode, type MapNode, parseYaml, type ScalarNode, type YamlNode } from './parser.js';
import { type Resolved, resolveScalar } from './resolve.js';
import { Source } from './source.js';
import { YamlFailure, yamlFailure } from './token.js';

/** The JSON value of a YAML text, or the error with the message of kube-apiserver. */
export type ReadYaml =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** `line 5: key "bar" already set in map`, in document order. The last value wins. */
      readonly duplicates: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the first document of a YAML 1.1 text as kube-apiserver does: `yes`, `on` and `010` have their meaning of YAML
 * 1.1, keys become strings, merge keys are applied in place, and times stay text. Keys of objects are sorted. A text
 * without a document is null. JSON in a YAML body is decoded by a faster path.
 */
export function readYaml(text: Buffer): ReadYaml {
  return finish(yamlSteps(text));
}

/** `readYaml` in steps. */
export function* yamlSteps(text: Buffer): Steps<ReadYaml> {
  if (text[0] === 0x7b) {
    const read = yield* fastSteps(text, true);
    if (read.kind === 'refused') return { ok: false, message: read.why('body') };
    if (read.kind === 'value' && (yield* memberSteps(read.value)) === read.members) {
      yield;
      return { ok: true, value: withSortedKeys(read.value), duplicates: [] };
    }
  }
  try {
    const source = new Source(text);
    yield;
    const root = yield* parseYaml(source);
    const reader = new TreeReader();
    const value = root === undefined ? null : yield* reader.steps(root);
    return { ok: true, value, duplicates: reader.duplicates };
  } catch (failure) {
    if (failure instanceof YamlFailure) return { ok: false, message: failure.message };
    throw failure;
  }
}

/**
 * Below the lower bound, aliases may make up nearly the whole document; above the upper bound, a tenth. Between them
 * the share decreases linearly.
 */
const ALIAS_RATIO_FROM = 400_000;
const ALIAS_RATIO_TO = 4_000_000;

/** Nodes that are read in one step. */
const NODES_PER_STEP = 500;

class TreeReader {
  readonly duplicates: string[] = [];
  #read = 0;
  #aliased = 0;
  #aliasedCharacters = 0;
  #aliasDepth = 0;
  #depth = 0;
  #sincePause = 0;
  readonly #open = new Set<AliasNode['target']>();

  /** The parser bounds the nesting of the text; aliases can add to that nesting. */
  json(node: YamlNode): JsonValue {
    if (++this.#depth > codecLimits.valueDepthMax) throw tooDeep();
    const value = this.#value(node);
    this.#depth--;
    return value;
  }

  /** `json` in steps. What aliases and merge keys refer to is read at once; its size is bounded. */
  *steps(node: YamlNode): Steps<JsonValue> {
    if (node.kind === 'scalar' || node.kind === 'alias') return this.json(node);
    if (node.size <= NODES_PER_STEP) {
      const value = this.json(node);
      this.#sincePause += node.size;
      if (this.#sincePause > NODES_PER_STEP) {
        this.#sincePause = 0;
        yield;
      }
      return value;
    }
    if (++this.#depth > codecLimits.valueDepthMax) throw tooDeep();
    this.#count();
    const value = node.kind === 'list' ? yield* this.#listSteps(node) : yield* this.#mapSteps(node);
    this.#depth--;
    return value;
  }

  *#listSteps(node: ListNode): Steps<JsonArray> {
    const list: JsonArray = [];
    for (const item of node.items) {
      list.push(isLeaf(item) ? this.json(item) : yield* this.steps(item));
      if (this.#pauses()) yield;
    }
    return list;
  }

  *#mapSteps(node: MapNode): Steps<JsonObject> {
    if (node.items.length > 2 * codecLimits.keysMax) throw yamlFailure(tooManyKeys('document'));
    const members: Members = new Map();
    for (let i = 0; i < node.items.length; i += 2) {
      const key = node.items[i]!;
      const value = node.items[i + 1]!;
      if (isMerge(key)) this.#merge(value, members);
      else {
        const resolved = this.#key(key);
        this.#put(members, resolved, value, isLeaf(value) ? this.json(value) : yield* this.steps(value));
      }
      if (this.#pauses()) yield;
    }
    yield;
    return sortedObject(members);
  }

  #pauses(): boolean {
    if (++this.#sincePause <= NODES_PER_STEP) return false;
    this.#sincePause = 0;
    return true;
  }

  #value(node: YamlNode): JsonValue {
    this.#count();
    switch (node.kind) {
      case 'scalar':
        return jsonScalar(this.#scalar(node));
      case 'list': {
        const list: JsonArray = [];
        for (const item of node.items) list.push(this.json(item));
        return list;
      }
      case 'map':
        return this.#map(node);
      case 'alias':
        return this.#alias(node, () => this.json(node.target));
    }
  }

  /** Bounds the expansion of aliases, as kube-apiserver does. */
  #count(): void {
    this.#read++;
    if (this.#aliasDepth === 0) return;
    this.#aliased++;
    const over = (this.#read - ALIAS_RATIO_FROM) / (ALIAS_RATIO_TO - ALIAS_RATIO_FROM);
    const allowed = 0.99 - 0.89 * Math.min(1, Math.max(0, over));
    const excessive = this.#aliased > 100 && this.#read > 1000 && this.#aliased / this.#read > allowed;
    if (excessive || this.#aliased > codecLimits.yamlAliasedNodesMax) throw excessiveAliasing();
  }

  #scalar(node: ScalarNode): Resolved {
    if (this.#aliasDepth > 0) {
      this.#aliasedCharacters += node.value.length;
      if (this.#aliasedCharacters > codecLimits.yamlAliasedCharactersMax) throw excessiveAliasing();
    }
    return resolveScalar(node);
  }

  #alias<T>(node: AliasNode, read: () => T): T {
    if (this.#open.has(node.target)) throw yamlFailure(`anchor '${node.name}' value contains itself`);
    this.#open.add(node.target);
    this.#aliasDepth++;
    const value = read();
    this.#aliasDepth--;
    this.#open.delete(node.target);
    return value;
  }

  #map(node: MapNode): JsonObject {
    const members: Members = new Map();
    this.#members(node, members);
    return sortedObject(members);
  }

  /** Keys are compared before they become strings: `1` and `"1"` differ. */
  #members(node: MapNode, into: Members): void {
    for (let i = 0; i < node.items.length; i += 2) {
      const key = node.items[i]!;
      const value = node.items[i + 1]!;
      if (isMerge(key)) {
        this.#merge(value, into);
        continue;
      }
      const resolved = this.#key(key);
      this.#put(into, resolved, value, this.json(value));
    }
  }

  #put(into: Members, key: Resolved, node: YamlNode, value: JsonValue): void {
    const { identity, name } = nameOfKey(key, value);
    if (into.has(identity)) this.#duplicate(node, key);
    into.set(identity, { name, value });
  }

  #duplicate(value: YamlNode, key: Resolved): void {
    if (this.duplicates.length >= codecLimits.strictFindingsMax) return;
    this.duplicates.push(`line ${value.mark.line + 1}: key ${goSyntax(key)} already set in map`);
  }

  #key(node: YamlNode): Resolved {
    if (node.kind === 'alias') return this.#alias(node, () => this.#key(node.target));
    this.#count();
    if (node.kind === 'scalar') return this.#scalar(node);
    throw yamlFailure(`invalid map key: ${describeKey(this.json(node))}`);
  }

  /** `<<`: the members of a map, or of a list of maps, whose first ones win. */
  #merge(node: YamlNode, into: Members): void {
    this.#count();
    if (node.kind === 'alias') {
      if (node.target.kind !== 'map') throw notMergeable();
      const { target } = node;
      this.#alias(node, () => this.#members(target, into));
    } else if (node.kind === 'map') this.#members(node, into);
    else if (node.kind === 'list') {
      for (let i = node.items.length - 1; i >= 0; i--) {
        const item = node.items[i]!;
        if (item.kind === 'list' || item.kind === 'scalar') throw notMergeable();
        this.#merge(item, into);
      }
    } else throw notMergeable();
  }
}

/** The members of a map by the identity of their keys. */
type Members = Map<string, { readonly name: string; readonly value: JsonValue }>;

function sortedObject(members: Members): JsonObject {
  const object: JsonObject = {};
  const sorted = [...members.values()];
  if (!sorted.every(({ name }, i) => i === 0 || sorted[i - 1]!.name <= name))
    sorted.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const { name, value } of sorted) setOwn(object, name, value);
  return object;
}

const isLeaf = (node: YamlNode): boolean => node.kind === 'scalar' || node.kind === 'alias';

function tooDeep(): YamlFailure {
  return yamlFailure(`exceeded max depth of ${codecLimits.textDepthMax}`);
}

function excessiveAliasing(): YamlFailure {
  return yamlFailure('document contains excessive aliasing');
}

function notMergeable(): YamlFailure {
  return yamlFailure('map merge requires map or sequence of maps as the value');
}

function isMerge(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === '<<' && (node.implicit || node.tag === '!!merge');
}

function nameOfKey(key: Resolved, value: JsonValue): { readonly identity: string; readonly name: string } {
  switch (typeof key) {
    case 'string':
      return { identity: `"${key}`, name: key };
    case 'number':
      return { identity: `.${key}`, name: floatKey(key) };
    case 'object':
      throw new YamlFailure(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value)}`);
    case 'bigint':
      if (key > INT64_MAX)
        throw new YamlFailure(
          `unsupported map key of type: uint64, key: 0x${key.toString(16)}, value: ${goSyntax(value)}`,
        );
      return { identity: String(key), name: String(key) };
    default:
      return { identity: String(key), name: String(key) };
  }
}

const INT64_MAX = 2n ** 63n - 1n;

function jsonScalar(value: Resolved): JsonValue {
  if (typeof value === 'bigint') {
    const n = Number(value);
    return Number.isSafeInteger(n) ? n : value;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new YamlFailure(`json: unsupported value: ${name}`);
  }
  return value;
}

/**
 * Returns the value with the keys of all objects sorted, as YAML values have them. It reuses objects that are sorted.
 */
function withSortedKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withSortedKeys(value[i]!);
    return value;
  }
  let last = '';
  let inOrder = true;
  for (const key in value) {
    if (key < last) inOrder = false;
    last = key;
    const inner = value[key]!;
    const sorted = withSortedKeys(inner);
    if (sorted !== inner) setOwn(value, key, sorted);
  }
  if (inOrder) return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(object, key, value[key]!);
  return object;
}
