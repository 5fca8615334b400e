import type { JsonValue } from '../api/index.js';
import type { PatchStrategy } from './types.js';

/**
 * The text form of a package (README.md), parsed lazily: a file is split into declarations when it is opened, and a declaration into tokens
 * when its type is used.
 */
export type Declaration = StructDeclaration | AliasDeclaration | EitherDeclaration;

export interface StructDeclaration {
  readonly kind: 'struct';
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly union: boolean;
  readonly rules: readonly string[];
  readonly members: readonly (FieldDeclaration | InlineDeclaration)[];
}

export interface InlineDeclaration {
  readonly kind: 'inline';
  /** 0 if protobuf does not have the field, or has its fields inline. */
  readonly proto: number;
  readonly type: string;
}

export interface FieldDeclaration {
  readonly kind: 'field';
  readonly proto: number;
  readonly name: string;
  readonly pointer: boolean;
  readonly type: string;
  readonly required: boolean;
  readonly omitEmpty: boolean;
  readonly deprecated: boolean;
  readonly discriminator: boolean;
  readonly use: TypeUse;
  readonly patchStrategy: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  readonly default: JsonValue | undefined;
  readonly featureGate: string | undefined;
  readonly rules: readonly string[];
}

/** The properties of a type at its place of use in a field. */
export interface TypeUse {
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly structType?: 'atomic' | 'granular';
}

export interface AliasDeclaration {
  readonly kind: 'alias';
  readonly type: string;
  readonly closed: boolean;
  readonly boxed: boolean;
  readonly rules: readonly string[];
  readonly values: readonly string[];
}

export interface EitherDeclaration {
  readonly kind: 'either';
  readonly object: string;
  readonly or: 'list' | 'bool' | 'stringList';
}

/** Type name -> text of its declaration. */
export function splitDeclarations(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    if (text[start] === '\n' || text[start] === '#') {
      start = end + 1;
      continue;
    }
    // A declaration continues while its lines are indented.
    const header = end;
    while (text[end + 1] === ' ') {
      const next = text.indexOf('\n', end + 1);
      end = next < 0 ? text.length : next;
    }
    const nameStart = text.indexOf(' ', start) + 1;
    const nameEnd = text.indexOf(' ', nameStart);
    const name = text.slice(nameStart, nameEnd < 0 || nameEnd > header ? header : nameEnd);
    found.set(name, text.slice(start, end));
    start = end + 1;
  }
  return found;
}

export function parseDeclaration(text: string): Declaration {
  const lines = text.split('\n');
  const words = (lines[0] as string).split(' ');
  switch (words[0]) {
    case 'struct':
      return parseStruct(words, lines);
    case 'alias':
      return parseAlias(lines[0] as string);
    case 'either':
      return { kind: 'either', object: words[2] as string, or: words[3] as EitherDeclaration['or'] };
    default:
      throw new Error(`schema: not a declaration: ${lines[0]}`);
  }
}

function parseStruct(words: readonly string[], lines: readonly string[]): StructDeclaration {
  let mapType: StructDeclaration['mapType'];
  let union = false;
  const rules: string[] = [];
  for (const word of words.slice(2)) {
    if (word === 'atomic' || word === 'granular') mapType = word;
    else if (word === 'union') union = true;
    else if (word.startsWith('!')) rules.push(word.slice(1));
    else throw new Error(`schema: unknown word ${word} in: ${lines[0]}`);
  }
  const members: (FieldDeclaration | InlineDeclaration)[] = [];
  for (let i = 1; i < lines.length; i++) members.push(parseMember(lines[i] as string));
  return { kind: 'struct', mapType, union, rules, members };
}

function parseMember(line: string): FieldDeclaration | InlineDeclaration {
  const words = line.slice(2).split(' ');
  if (words[0] === 'inline') {
    return words.length === 2
      ? { kind: 'inline', proto: 0, type: words[1] as string }
      : { kind: 'inline', proto: Number(words[1]), type: words[2] as string };
  }
  const typeWord = words[2] as string;
  const pointer = typeWord[0] === '*';
  const field = {
    kind: 'field' as const,
    proto: Number(words[0]),
    name: words[1] as string,
    pointer,
    type: pointer ? typeWord.slice(1) : typeWord,
    required: false,
    omitEmpty: false,
    deprecated: false,
    discriminator: false,
    use: NO_USE as { -readonly [K in keyof TypeUse]: TypeUse[K] },
    patchStrategy: NONE as readonly PatchStrategy[],
    patchMergeKey: undefined as string | undefined,
    default: undefined as JsonValue | undefined,
    featureGate: undefined as string | undefined,
    rules: NONE as readonly string[],
  };
  for (let i = 3; i < words.length; i++) {
    const word = words[i] as string;
    if (word[0] === '!') {
      field.rules = [...field.rules, word.slice(1)];
      continue;
    }
    const eq = word.indexOf('=');
    const value = word.slice(eq + 1);
    switch (eq < 0 ? word : word.slice(0, eq)) {
      case 'required':
        field.required = true;
        break;
      case 'omitempty':
        field.omitEmpty = true;
        break;
      case 'deprecated':
        field.deprecated = true;
        break;
      case 'discriminator':
        field.discriminator = true;
        break;
      case 'list': {
        const [listType, keys] = argument(value);
        field.use = { ...field.use, listType: listType as 'atomic' | 'set' | 'map', keys };
        break;
      }
      case 'map':
        field.use = { ...field.use, mapType: value as 'atomic' | 'granular' };
        break;
      case 'struct':
        field.use = { ...field.use, structType: value as 'atomic' | 'granular' };
        break;
      case 'patch': {
        const [strategies, keys] = argument(value);
        field.patchStrategy = strategies.split(',') as PatchStrategy[];
        field.patchMergeKey = keys[0];
        break;
      }
      case 'default':
        field.default = JSON.parse(value) as JsonValue;
        break;
      case 'gate':
        field.featureGate = value;
        break;
      case 'oneOf':
      case 'zeroOrOneOf':
        // Only informs readers; the rules beside it (`unionMember`) have the same effect for the validator.
        break;
      default:
        throw new Error(`schema: unknown word ${word} in: ${line}`);
    }
  }
  return field;
}

function parseAlias(line: string): AliasDeclaration {
  const colon = line.indexOf(' : ');
  const words = (colon < 0 ? line : line.slice(0, colon)).split(' ');
  const values = colon < 0 ? NONE : (line.slice(colon + 3).match(/"[^"]*"|\S+/g) ?? []).map(unquote);
  return {
    kind: 'alias',
    type: words[2] as string,
    closed: words.includes('enum', 3),
    boxed: words.includes('boxed', 3),
    rules: words.filter((w) => w[0] === '!').map((w) => w.slice(1)),
    values,
  };
}

const NONE: readonly never[] = [];
const NO_USE: TypeUse = {};

const unquote = (word: string): string => (word[0] === '"' ? word.slice(1, -1) : word);

/** `map(a,b)` -> `['map', ['a', 'b']]`; `set` -> `['set', []]`. */
function argument(text: string): [string, string[]] {
  const open = text.indexOf('(');
  return open < 0 ? [text, []] : [text.slice(0, open), text.slice(open + 1, -1).split(',')];
}
