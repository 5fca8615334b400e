import type { JsonArray, JsonObject, JsonValue } from '../../api/index.js';
import { finish, type Steps, withoutTrailing } from '../../base/index.js';
import { resolvePlain } from './resolve.js';

/** Lines are folded at the first space beyond this column. */
const WIDTH = 80;
/** A key longer than this is written in the `?` form. */
const SIMPLE_KEY_MAX = 128;

/**
 * Writes a value as YAML in the layout of kube-apiserver: keys sorted (numbers in them by value), lists at the column
 * of their key, strings plain if they then remain strings, literal blocks for text with line breaks.
 */
export function encodeYaml(value: JsonValue): Buffer {
  return finish(encodeYamlSteps(value));
}

/** `encodeYaml` in steps. */
export function* encodeYamlSteps(value: JsonValue): Steps<Buffer> {
  const writer = new YamlWriter(value);
  for (let i = 1; writer.next(); i++) if (i % ITEMS_AT_ONCE === 0) yield;
  return Buffer.from(writer.out);
}

/** Items and members that are written in one step. */
const ITEMS_AT_ONCE = 500;

/** A collection that is being written: the first line where the output is, the others at `indent`. */
interface Open {
  readonly value: JsonArray | JsonObject;
  /** The sorted keys of an object. */
  readonly keys: readonly string[] | undefined;
  readonly count: number;
  readonly indent: number;
  readonly lead: string;
  at: number;
}

class YamlWriter {
  out = '';
  /** Offset of the current line in `out`. */
  #lineAt = 0;
  /** The collections around the next item, the innermost last. */
  readonly #open: Open[] = [];

  constructor(value: JsonValue) {
    if (isCollection(value)) this.#collection(value, 0, '');
    else {
      this.#scalar(value, 2);
      this.#endLine();
    }
  }

  /** Writes the next item or member. Returns false if there is none. */
  next(): boolean {
    const open = this.#open.at(-1);
    if (open === undefined) return false;
    if (open.at === open.count) this.#open.pop();
    else if (open.keys === undefined) this.#item(open);
    else this.#member(open);
    return true;
  }

  #write(text: string): void {
    this.out += text;
  }

  #newLine(): void {
    this.out += '\n';
    this.#lineAt = this.out.length;
  }

  /** Starts a new line, unless the preceding text ended with one. */
  #endLine(): void {
    if (this.#lineAt < this.out.length) this.#newLine();
  }

  /** Opens a collection that is not empty. */
  #collection(value: JsonArray | JsonObject, indent: number, lead: string): void {
    const keys = Array.isArray(value) ? undefined : Object.keys(value).sort(compareKeys);
    const count = Array.isArray(value) ? value.length : keys!.length;
    this.#open.push({ value, keys, count, indent, lead, at: 0 });
  }

  #item(open: Open): void {
    const { indent } = open;
    const item = (open.value as JsonArray)[open.at]!;
    this.#write(`${this.#before(open)}- `);
    if (isCollection(item)) this.#collection(item, indent + 2, '');
    else {
      this.#scalar(item, indent + 2);
      this.#endLine();
    }
  }

  #member(open: Open): void {
    const { indent } = open;
    const key = open.keys![open.at]!;
    this.#write(this.#before(open));
    const simple = key.length <= SIMPLE_KEY_MAX && !/[\n\r\u0085\u2028\u2029]/.test(key);
    if (simple) this.#write(`${keyText(key)}:`);
    else {
      this.#write('? ');
      this.#scalar(key, indent + 2);
      this.#endLine();
      this.#write(`${' '.repeat(indent)}:`);
    }
    this.#valueOfKey((open.value as JsonObject)[key]!, indent, simple);
  }

  /** The text before the next item of a collection. */
  #before(open: Open): string {
    return open.at++ === 0 ? open.lead : ' '.repeat(open.indent);
  }

  #valueOfKey(value: JsonValue, indent: number, simple: boolean): void {
    if (!isCollection(value)) {
      this.#write(' ');
      this.#scalar(value, indent + 2);
      this.#endLine();
    } else if (!simple) {
      this.#write(' ');
      this.#collection(value, indent + 2, '');
    } else {
      this.#newLine();
      const inner = Array.isArray(value) ? indent : indent + 2;
      this.#collection(value, inner, ' '.repeat(inner));
    }
  }

  /** Writes a scalar or an empty collection, with further lines at `indent`. */
  #scalar(value: JsonValue, indent: number): void {
    if (typeof value === 'string') this.#string(value, indent);
    else if (typeof value === 'object' && value !== null) this.#write(Array.isArray(value) ? '[]' : '{}');
    else this.#write(String(value));
  }

  #string(text: string, indent: number): void {
    const shape = analyse(text);
    const multiLine = text.includes('\n');
    if (multiLine && shape.literal) this.#literal(text, indent);
    else if (!multiLine && staysString(text)) {
      if (shape.plain) this.#folded(text, indent);
      else if (shape.single) this.#folded(`'${text.replaceAll("'", "''")}'`, indent);
      else this.#double(text, indent);
    } else this.#double(text, indent);
  }

  /** Writes text that may be folded at single spaces. Text after a line break of its own starts at `indent`. */
  #folded(unbroken: string, indent: number): void {
    const text = unbroken.replace(/[\u2028\u2029](?=[^\u2028\u2029])(?!'$)/g, `$&${' '.repeat(indent)}`);
    if (this.out.length - this.#lineAt + text.length <= WIDTH) {
      this.#write(text);
      return;
    }
    const pad = ' '.repeat(indent);
    const quoted = text[0] === "'";
    const last = quoted ? text.length - 2 : text.length - 1;
    let from = 0;
    let column = this.out.length - this.#lineAt;
    for (let i = 0; i < text.length; i++, column++) {
      if (text[i] !== ' ' || column <= WIDTH || i === 0 || i >= last) continue;
      if (text[i - 1] === ' ' || text[i + 1] === ' ' || (quoted && i === 1)) continue;
      this.#write(text.slice(from, i));
      this.#newLine();
      this.#write(pad);
      from = i + 1;
      column = indent - 1;
    }
    this.#write(text.slice(from));
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : '';
    const ending = text.slice(withoutTrailing(text, '\n\u2028\u2029').length);
    const chomp = ending === '' ? '-' : ending === text || ending.length > 1 ? '+' : '';
    this.#write(`|${hint}${chomp}`);
    this.#newLine();
    const pad = ' '.repeat(indent);
    for (const line of text.split(/(?<=[\n\u2028\u2029])/)) {
      const last = line.at(-1)!;
      const broken = LINE_BREAK.test(last);
      const content = broken ? line.slice(0, -1) : line;
      if (content !== '') this.#write(pad + content);
      if (last === '\n') this.#newLine();
      else if (broken) {
        this.#write(last);
        this.#lineAt = this.out.length;
      }
    }
  }

  #double(text: string, indent: number): void {
    const pad = ' '.repeat(indent);
    this.#write('"');
    let column = this.out.length - this.#lineAt;
    const characters = [...text];
    for (let i = 0; i < characters.length; i++) {
      const c = characters[i]!;
      if (c === ' ' && column > WIDTH && i > 0 && i < characters.length - 1 && characters[i - 1] !== ' ') {
        this.#newLine();
        this.#write(pad + (characters[i + 1] === ' ' ? '\\' : ''));
        column = indent;
        continue;
      }
      const written = escaped(c);
      this.#write(written);
      column += written.length;
    }
    this.#write('"');
  }
}

function isCollection(value: JsonValue): value is JsonArray | JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  for (const _ in value) return true;
  return false;
}

/** Caches the text of keys, because keys repeat. */
const KNOWN_KEYS_MAX = 4096;
let knownKeys = new Map<string, string>();

function keyText(key: string): string {
  let text = knownKeys.get(key);
  if (text === undefined) {
    text = writtenKey(key);
    if (knownKeys.size === KNOWN_KEYS_MAX) knownKeys = new Map();
    knownKeys.set(key, text);
  }
  return text;
}

function writtenKey(key: string): string {
  const shape = analyse(key);
  if (!staysString(key)) return doubleQuoted(key);
  if (shape.plain) return key;
  return shape.single ? `'${key.replaceAll("'", "''")}'` : doubleQuoted(key);
}

function doubleQuoted(text: string): string {
  let out = '"';
  for (const c of text) out += escaped(c);
  return `${out}"`;
}

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::(?:[0-5][0-9]?|[6-9]))+(?:\.[0-9_]*)?$/;
const TIMESTAMP = /^\d{4}-\d\d?-\d\d?(?:$|[Tt ])/;

/** Readers of other dialects must also read the plain form as a string. */
function staysString(text: string): boolean {
  return typeof resolvePlain(text) === 'string' && text !== '<<' && !BASE_60.test(text) && !TIMESTAMP.test(text);
}

interface Shape {
  readonly plain: boolean;
  readonly single: boolean;
  readonly literal: boolean;
}

const NEVER: Shape = { plain: false, single: false, literal: false };
/**
 * Characters that are not printable: written as numbers in double quotes. NEL is among them, the separators of lines
 * and paragraphs are not.
 */
const SPECIAL = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const INDICATOR_FIRST = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:\s|$)|---|\.\.\.)/;
const INDICATOR_INSIDE = /:(?:\s|$)|\s#/;
const LINE_BREAK = /[\n\u2028\u2029]/;

/** Returns the styles that preserve the text. */
function analyse(text: string): Shape {
  if (text === '') return { plain: false, single: true, literal: false };
  const spaceBreak = / [\n\u2028\u2029]/.test(text);
  if (spaceBreak || SPECIAL.test(text)) return NEVER;
  const breakSpace = /[\n\u2028\u2029] /.test(text);
  const edges = /^[ \n]|[ \n]$/.test(text);
  const indicators = INDICATOR_FIRST.test(text) || INDICATOR_INSIDE.test(text);
  return {
    plain: !edges && !breakSpace && !indicators && !LINE_BREAK.test(text),
    single: !breakSpace,
    literal: !text.endsWith(' '),
  };
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u00a0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function escaped(c: string): string {
  const short = SHORT_ESCAPES[c];
  if (short !== undefined) return short;
  if (!SPECIAL.test(c)) return c;
  const code = c.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `\\U${code.toString(16).toUpperCase().padStart(8, '0')}`;
}

const LETTER = /\p{L}/u;

/** Compares keys: letters after all other characters, runs of digits by their value. */
function compareKeys(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let i = 0;
  while (i < shorter && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === shorter) return order(a.length, b.length);
  // Surrogate pairs are compared as one character.
  if (i > 0 && isHighSurrogate(a.charCodeAt(i - 1))) i--;
  const x = a.codePointAt(i)!;
  const y = b.codePointAt(i)!;
  const aLetter = isLetter(x);
  const bLetter = isLetter(y);
  if (aLetter && bLetter) return order(x, y);
  if (aLetter || bLetter) return bLetter ? -1 : 1;
  const aRun = digitsAt(a, i);
  const bRun = digitsAt(b, i);
  // A zero that continues a number: only the lengths of the rest are compared.
  const started = (x === ZERO || y === ZERO) && nonZeroBefore(a, i);
  const byValue = started ? compareDigits(`1${aRun}`, `1${bRun}`) : compareDigits(aRun, bRun);
  if (byValue !== 0) return byValue;
  if (aRun.length !== bRun.length) return order(aRun.length, bRun.length);
  return order(x, y);
}

const ZERO = 0x30;
const isDigit = (unit: number): boolean => unit >= ZERO && unit <= 0x39;
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function isLetter(point: number): boolean {
  if (point < 0x80) return (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a);
  return LETTER.test(String.fromCodePoint(point));
}

const order = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

function digitsAt(text: string, from: number): string {
  let to = from;
  while (to < text.length && isDigit(text.charCodeAt(to))) to++;
  return text.slice(from, to);
}

/** Compares two runs of digits by value without converting them, because a run may be a million digits long. */
function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+/, '');
  const y = b.replace(/^0+/, '');
  if (x.length !== y.length) return order(x.length, y.length);
  return x === y ? 0 : x < y ? -1 : 1;
}

function nonZeroBefore(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(text.charCodeAt(i)); i--) if (text.charCodeAt(i) !== ZERO) return true;
  return false;
}
