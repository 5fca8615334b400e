import type { Steps } from '../../base/index.js';
import { codecLimits, tooManyValues } from '../limits.js';
import { Scanner } from './scanner.js';
import type { Source } from './source.js';
import { type Mark, parserFailure, type Token, type TokenType, yamlFailure } from './token.js';

export type YamlNode = ScalarNode | ListNode | MapNode | AliasNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly mark: Mark;
  /** `''`, a core type with its shorthand (`!!str`), `!`, or any other tag (`!?`). */
  readonly tag: string;
  readonly value: string;
  /** The tag is resolved from the text. */
  readonly implicit: boolean;
}

export interface ListNode {
  readonly kind: 'list';
  readonly mark: Mark;
  readonly items: YamlNode[];
  /** Nodes in it, without those behind aliases. */
  size: number;
}

/** Keys and values alternate. */
export interface MapNode {
  readonly kind: 'map';
  readonly mark: Mark;
  readonly items: YamlNode[];
  size: number;
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly mark: Mark;
  readonly name: string;
  readonly target: YamlNode;
}

/**
 * Parses the first document of a text, in steps; undefined if there is none. The rest of the text is ignored. Throws YamlFailure.
 */
export function parseYaml(source: Source): Steps<YamlNode | undefined> {
  return new Parser(source).document();
}

/** A collection whose items are being parsed. */
interface Open {
  readonly node: ListNode | MapNode;
  readonly form: 'blockList' | 'indentlessList' | 'blockMap' | 'flowList' | 'flowMap' | 'flowPair';
  /** The number of nodes before it. */
  readonly nodesBefore: number;
  /** Where the key of the next value is. */
  keyMark: Mark;
}

/** Items, keys and values of one step. */
const ITEMS_PER_STEP = 500;

const NOT_CONTENT: ReadonlySet<TokenType> = new Set(['directive', 'documentStart', 'documentEnd', 'streamEnd']);
const NO_ENTRY: ReadonlySet<TokenType> = new Set(['blockEntry', 'blockEnd']);
const NO_INDENTLESS_ENTRY: ReadonlySet<TokenType> = new Set(['blockEntry', 'key', 'value', 'blockEnd']);
const NO_MAP_PART: ReadonlySet<TokenType> = new Set(['key', 'value', 'blockEnd']);
const NO_FLOW_KEY: ReadonlySet<TokenType> = new Set(['value', 'flowEntry', 'flowMappingEnd', 'flowSequenceEnd']);
const NO_FLOW_VALUE: ReadonlySet<TokenType> = new Set(['flowEntry', 'flowMappingEnd', 'flowSequenceEnd']);

const CORE_TAG = 'tag:yaml.org,2002:';
/** Longer than any tag that has a meaning here (`timestamp`). */
const CORE_TAG_LENGTH_MAX = CORE_TAG.length + 16;
const OTHER_TAG = '!?';

class Parser {
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #handles = new Map([
    ['!', '!'],
    ['!!', CORE_TAG],
  ]);
  /** The collections around the position, the innermost last. The stack is explicit so that the parser can pause anywhere. */
  readonly #open: Open[] = [];
  /** Open collections that count as a level. */
  #depth = 0;
  #nodes = 0;

  constructor(source: Source) {
    this.#scanner = new Scanner(source);
  }

  *document(): Steps<YamlNode | undefined> {
    const first = this.#scanner.peek();
    if (first.type === 'streamEnd') return undefined;
    if (NOT_CONTENT.has(first.type)) {
      const any = this.#directives();
      const start = this.#scanner.take();
      if (start.type === 'streamEnd' && !any) return undefined;
      if (start.type !== 'documentStart')
        throw parserFailure(undefined, 'did not find expected <document start>', start.mark);
    }
    const content = this.#scanner.peek();
    const root = NOT_CONTENT.has(content.type) ? empty(content.mark) : this.#node(true, false);
    for (let left = ITEMS_PER_STEP; ; left--) {
      if (this.#open.length === 0) break;
      const inner = this.#open[this.#open.length - 1]!;
      this.#item(inner);
      if (left > 0) continue;
      yield;
      left = ITEMS_PER_STEP;
    }
    // The parser looks for the end of the document, so a token must follow.
    this.#scanner.peek();
    return root;
  }

  /** Reads the directives of a document. Returns whether there are any. */
  #directives(): boolean {
    const seen = new Set<string>();
    for (;;) {
      const token = this.#scanner.peek();
      if (token.type === 'documentEnd') {
        this.#scanner.take();
        continue;
      }
      if (token.type !== 'directive') return seen.size > 0;
      this.#scanner.take();
      const { handle = '', mark, value } = token;
      const name = handle === '' ? 'YAML' : 'TAG';
      if (seen.has(handle)) throw parserFailure(undefined, `found duplicate %${name} directive`, mark);
      seen.add(handle);
      if (handle !== '') this.#handles.set(handle, value);
      else if (value !== '1.1') throw parserFailure(undefined, 'found incompatible YAML document', mark);
    }
  }

  /** Parses a node. A collection is returned open and without items. */
  #node(block: boolean, indentless: boolean): YamlNode {
    if (++this.#nodes > codecLimits.valuesMax) throw yamlFailure(tooManyValues('document'));
    if (this.#depth >= codecLimits.valueDepthMax)
      throw yamlFailure(`exceeded max depth of ${codecLimits.textDepthMax}`);
    return this.#anyNode(block, indentless);
  }

  #enter<N extends ListNode | MapNode>(node: N, form: Open['form']): N {
    this.#open.push({ node, form, nodesBefore: this.#nodes, keyMark: node.mark });
    if (form !== 'flowPair') this.#depth++;
    return node;
  }

  #leave({ node, form, nodesBefore }: Open): void {
    this.#open.pop();
    if (form !== 'flowPair') this.#depth--;
    node.size = this.#nodes - nodesBefore;
  }

  /** Parses the next item, key or value of the innermost collection, or its end. */
  #item(open: Open): void {
    switch (open.form) {
      case 'blockList':
        this.#blockItem(open);
        return;
      case 'indentlessList':
        this.#indentlessItem(open);
        return;
      case 'blockMap':
        this.#blockMember(open);
        return;
      case 'flowList':
        this.#flowItem(open);
        return;
      case 'flowMap':
        this.#flowMember(open);
        return;
      case 'flowPair':
        this.#flowPair(open);
        return;
    }
  }

  #anyNode(block: boolean, indentless: boolean): YamlNode {
    const first = this.#scanner.peek();
    if (first.type === 'alias') {
      this.#scanner.take();
      const target = this.#anchors.get(first.value);
      if (target === undefined) throw yamlFailure(`unknown anchor '${first.value}' referenced`);
      return { kind: 'alias', mark: first.mark, name: first.value, target };
    }
    let anchor: string | undefined;
    let tag = '';
    for (let i = 0; i < 2; i++) {
      const token = this.#scanner.peek();
      if (token.type === 'anchor' && anchor === undefined) anchor = token.value;
      else if (token.type === 'tag' && tag === '') tag = this.#resolveTag(token, first.mark);
      else break;
      this.#scanner.take();
    }
    const keep = <N extends YamlNode>(node: N): N => {
      if (anchor !== undefined) this.#anchors.set(anchor, node);
      return node;
    };
    const token = this.#scanner.peek();
    const { mark } = token;
    if (indentless && token.type === 'blockEntry') {
      return this.#enter(keep({ kind: 'list', mark, items: [], size: 0 }), 'indentlessList');
    }
    switch (token.type) {
      case 'scalar': {
        this.#scanner.take();
        const implicit = (token.plain === true && tag === '') || tag === '!';
        return keep({ kind: 'scalar', mark, tag, value: token.value, implicit });
      }
      case 'flowSequenceStart':
        this.#scanner.take();
        return this.#enter(keep({ kind: 'list', mark, items: [], size: 0 }), 'flowList');
      case 'flowMappingStart':
        this.#scanner.take();
        return this.#enter(keep({ kind: 'map', mark, items: [], size: 0 }), 'flowMap');
      case 'blockSequenceStart':
        if (!block) break;
        this.#scanner.take();
        return this.#enter(keep({ kind: 'list', mark, items: [], size: 0 }), 'blockList');
      case 'blockMappingStart':
        if (!block) break;
        this.#scanner.take();
        return this.#enter(keep({ kind: 'map', mark, items: [], size: 0 }), 'blockMap');
      default:
        break;
    }
    if (anchor === undefined && tag === '') throw parserFailure(first.mark, 'did not find expected node content', mark);
    return keep({ kind: 'scalar', mark: first.mark, tag, value: '', implicit: tag === '' });
  }

  /** Resolves a tag: `!!int` for the core types with any handle, `!` unchanged, `!?` for all others. */
  #resolveTag(token: Token, start: Mark): string {
    const prefix = token.handle === '' ? '' : this.#handles.get(token.handle!);
    if (prefix === undefined) throw parserFailure(start, 'found undefined tag handle', token.mark);
    // A document may use a long prefix many times, so the prefix is not copied for each use.
    if (prefix.length + token.value.length > CORE_TAG_LENGTH_MAX) return OTHER_TAG;
    const tag = prefix + token.value;
    if (tag.startsWith(CORE_TAG)) return `!!${tag.slice(CORE_TAG.length)}`;
    return tag === '!' ? tag : OTHER_TAG;
  }

  #blockItem(open: Open): void {
    const { node } = open;
    const token = this.#scanner.take();
    if (token.type === 'blockEnd') {
      this.#leave(open);
      return;
    }
    if (token.type !== 'blockEntry') throw parserFailure(node.mark, "did not find expected '-' indicator", token.mark);
    node.items.push(this.#nodeUnless(NO_ENTRY, true, false, token.mark));
  }

  #indentlessItem(open: Open): void {
    if (this.#scanner.peek().type !== 'blockEntry') {
      this.#leave(open);
      return;
    }
    const { mark } = this.#scanner.take();
    open.node.items.push(this.#nodeUnless(NO_INDENTLESS_ENTRY, true, false, mark));
  }

  #blockMember(open: Open): void {
    const { node } = open;
    if (node.items.length % 2 === 1) {
      node.items.push(this.#valueUnless(NO_MAP_PART, true, open.keyMark));
      return;
    }
    const token = this.#scanner.take();
    if (token.type === 'blockEnd') {
      this.#leave(open);
      return;
    }
    if (token.type !== 'key') throw parserFailure(node.mark, 'did not find expected key', token.mark);
    open.keyMark = token.mark;
    node.items.push(this.#nodeUnless(NO_MAP_PART, true, true, token.mark));
  }

  #flowItem(open: Open): void {
    const { node } = open;
    if (node.items.length > 0 && this.#scanner.peek().type !== 'flowSequenceEnd') {
      const comma = this.#scanner.take();
      if (comma.type !== 'flowEntry') throw parserFailure(node.mark, "did not find expected ',' or ']'", comma.mark);
    }
    const token = this.#scanner.peek();
    if (token.type === 'flowSequenceEnd') {
      this.#scanner.take();
      this.#leave(open);
      return;
    }
    if (token.type !== 'key') {
      node.items.push(this.#node(false, false));
      return;
    }
    this.#scanner.take();
    node.items.push(this.#enter({ kind: 'map', mark: token.mark, items: [], size: 0 }, 'flowPair'));
  }

  /** The key, the value and the end of `key: value` in a list. */
  #flowPair(open: Open): void {
    const { items, mark } = open.node;
    if (items.length === 0) items.push(this.#nodeUnless(NO_FLOW_KEY, false, false, mark));
    else if (items.length === 1) items.push(this.#valueUnless(NO_FLOW_VALUE, false, mark));
    else this.#leave(open);
  }

  #flowMember(open: Open): void {
    const { node } = open;
    if (node.items.length % 2 === 1) {
      node.items.push(this.#valueUnless(NO_FLOW_VALUE, false, open.keyMark));
      return;
    }
    if (node.items.length > 0 && this.#scanner.peek().type !== 'flowMappingEnd') {
      const comma = this.#scanner.take();
      if (comma.type !== 'flowEntry') throw parserFailure(node.mark, "did not find expected ',' or '}'", comma.mark);
    }
    const token = this.#scanner.peek();
    if (token.type === 'flowMappingEnd') {
      this.#scanner.take();
      this.#leave(open);
      return;
    }
    if (token.type === 'key') {
      this.#scanner.take();
      open.keyMark = token.mark;
      node.items.push(this.#nodeUnless(NO_FLOW_KEY, false, false, token.mark));
    } else {
      node.items.push(this.#node(false, false));
      node.items.push(empty(token.mark));
    }
  }

  #nodeUnless(stop: ReadonlySet<TokenType>, block: boolean, indentless: boolean, at: Mark): YamlNode {
    const token = this.#scanner.peek();
    return stop.has(token.type) ? empty(at) : this.#node(block, indentless);
  }

  #valueUnless(stop: ReadonlySet<TokenType>, block: boolean, at: Mark): YamlNode {
    if (this.#scanner.peek().type !== 'value') return empty(at);
    const { mark } = this.#scanner.take();
    return this.#nodeUnless(stop, block, block, mark);
  }
}

function empty(mark: Mark): ScalarNode {
  return { kind: 'scalar', mark, tag: '', value: '', implicit: true };
}
