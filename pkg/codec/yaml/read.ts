import { type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import { parseFast } from '../json/decode.js';
import { membersOf } from '../json/normal.js';
import { countMembers, NEEDS_EXACT_READER } from '../json/scan.js';
import { codecLimits } from '../limits.js';
import { describeKey, floatKey, goSyntax } from './describe.js';
import { type AliasNode, type MapNode, parseYaml, type ScalarNode, type YamlNode } from './parser.js';
import { type Resolved, resolveScalar } from './resolve.js';
import { Source } from './source.js';
import { YamlFailure, yamlFailure } from './token.js';

/** The value of a YAML text as JSON has it, or why there is none, in the reference's words. */
export type ReadYaml =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** `line 5: key "bar" already set in map`, in document order. The last one counts, whole. */
      readonly duplicates: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the first document of a YAML 1.1 text the way the reference does: `yes`, `on` and `010` mean what they meant in 1.1, keys
 * become strings, merge keys are applied where they stand, times stay text. Objects come with sorted keys. A text without a
 * document is null. JSON, which clients send under YAML's name, takes a fast road.
 */
export function readYaml(text: Buffer): ReadYaml {
  if (text[0] === 0x7b) {
    const members = countMembers(text, true);
    const value = members === NEEDS_EXACT_READER ? undefined : parseFast(text);
    if (value !== undefined && membersOf(value) === members)
      return { ok: true, value: withSortedKeys(value), duplicates: [] };
  }
  try {
    const root = parseYaml(new Source(text));
    const reader = new TreeReader();
    const value = root === undefined ? null : reader.json(root);
    return { ok: true, value, duplicates: reader.duplicates };
  } catch (failure) {
    if (failure instanceof YamlFailure) return { ok: false, message: failure.message };
    throw failure;
  }
}

/** Up to here nearly everything may come of aliases; beyond the upper bound a tenth. Between them it goes down evenly. */
const ALIAS_RATIO_FROM = 400_000;
const ALIAS_RATIO_TO = 4_000_000;

class TreeReader {
  readonly duplicates: string[] = [];
  #read = 0;
  #aliased = 0;
  #aliasedCharacters = 0;
  #aliasDepth = 0;
  #depth = 0;
  readonly #open = new Set<AliasNode['target']>();

  /** The parser bounds what is written; aliases put what they stand for deeper than that. */
  json(node: YamlNode): JsonValue {
    if (++this.#depth > codecLimits.valueDepthMax) throw tooDeep();
    const value = this.#value(node);
    this.#depth--;
    return value;
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

  /** Bounds what aliases multiply, as the reference does. */
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
    const members = new Map<string, { readonly name: string; readonly value: JsonValue }>();
    this.#members(node, members);
    const object: JsonObject = {};
    const sorted = [...members.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    for (const { name, value } of sorted) setOwn(object, name, value);
    return object;
  }

  /** Keys are told apart before they become strings: `1` and `"1"` are two. */
  #members(node: MapNode, into: Map<string, { readonly name: string; readonly value: JsonValue }>): void {
    for (let i = 0; i < node.items.length; i += 2) {
      const key = node.items[i]!;
      const value = node.items[i + 1]!;
      if (isMerge(key)) {
        this.#merge(value, into);
        continue;
      }
      const resolved = this.#key(key);
      const held = this.json(value);
      const { identity, name } = nameOfKey(resolved, held);
      if (into.has(identity)) this.#duplicate(value, resolved);
      into.set(identity, { name, value: held });
    }
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

  /** `<<`: members of a map, or of several of which the first ones win. */
  #merge(node: YamlNode, into: Map<string, { readonly name: string; readonly value: JsonValue }>): void {
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

/** The same value with the keys of its objects in order, as every value of YAML has them; reuses what is in order already. */
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
