import { finish, type Steps, sortSteps } from '../base/index.js';
import { isLabelKey, isLabelValue } from './names.js';

/**
 * Label selectors (`app in (a,b),!canary,tier!=back`) and field selectors (`spec.nodeName=x,status.phase!=Failed`): their
 * grammar, semantics and errors are those of kube-apiserver.
 */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, each once. */
  readonly values: readonly string[];
}

/** All of them must hold; empty selects everything. */
export type LabelSelector = readonly LabelRequirement[];

type TokenKind = 'end' | 'identifier' | 'in' | 'notin' | '!' | '(' | ')' | ',' | '=' | '==' | '!=' | '>' | '<';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SYMBOL_TOKENS: ReadonlySet<string> = new Set(['!', '(', ')', ',', '=', '==', '!=', '>', '<']);
const OPERATORS = 'in, notin, =, ==, !=, gt, lt';
const END: Token = { kind: 'end', text: '' };
/** These occur between any two values, and are never the beginning of another symbol. */
const SINGLE = new Map<number, Token>(
  ([',', '(', ')'] as const).map((text) => [text.charCodeAt(0), { kind: text, text }]),
);

/** What ends a word, by character code. */
const SPACE = 1;
const SYMBOL = 2;
const CLASSES = new Uint8Array(128);
for (const c of ' \t\r\n') CLASSES[c.charCodeAt(0)] = SPACE;
for (const c of '=!(),><') CLASSES[c.charCodeAt(0)] = SYMBOL;

/** Values, requirements or terms that are read in one step. */
const AT_ONCE = 500;

export function parseLabelSelector(text: string): LabelSelector {
  return finish(labelSelectorSteps(text));
}

/** Parses in steps: a selector of a hundred kilobytes has tens of thousands of values. Throws a `SelectorError`. */
export function labelSelectorSteps(text: string): Steps<LabelSelector> {
  return new LabelParser(text).parse();
}

class LabelParser {
  readonly #text: string;
  /** The end of the current token. */
  #end = 0;
  #current: Token = END;

  constructor(text: string) {
    this.#text = text;
    this.#advance();
  }

  *parse(): Steps<LabelSelector> {
    const found: LabelRequirement[] = [];
    for (;;) {
      const next = this.#look();
      if (next.kind === 'end') return found;
      if (next.kind !== 'identifier' && next.kind !== '!')
        throw new SelectorError(`found '${next.text}', expected: !, identifier, or 'end of string'`);
      found.push(yield* this.#requirement());
      if (found.length % AT_ONCE === 0) yield;
      const after = this.#take();
      if (after.kind === 'end') return found;
      if (after.kind !== ',') throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`);
      const following = this.#look();
      if (following.kind !== 'identifier' && following.kind !== '!')
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
    }
  }

  #advance(): void {
    const text = this.#text;
    let at = this.#end;
    while (CLASSES[text.charCodeAt(at)] === SPACE) at++;
    const from = at;
    if (from >= text.length) {
      this.#end = from;
      this.#current = END;
      return;
    }
    const single = SINGLE.get(text.charCodeAt(at));
    if (single !== undefined) {
      this.#end = at + 1;
      this.#current = single;
      return;
    }
    if (CLASSES[text.charCodeAt(at)] === SYMBOL) {
      at++;
      while (CLASSES[text.charCodeAt(at)] === SYMBOL && SYMBOL_TOKENS.has(text.slice(from, at + 1))) at++;
      const symbol = text.slice(from, at);
      this.#current = { kind: symbol as TokenKind, text: symbol };
    } else {
      while (at < text.length && !CLASSES[text.charCodeAt(at)]) at++;
      const word = text.slice(from, at);
      this.#current = { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word };
    }
    this.#end = at;
  }

  /** `in` and `notin` are ordinary words except in the position of an operator. */
  #look(): Token {
    const t = this.#current;
    return t.kind === 'in' || t.kind === 'notin' ? { kind: 'identifier', text: t.text } : t;
  }

  #take(): Token {
    const t = this.#look();
    this.#advance();
    return t;
  }

  *#requirement(): Steps<LabelRequirement> {
    let key = this.#take();
    const negated = key.kind === '!';
    if (negated) key = this.#take();
    if (key.kind !== 'identifier') throw failed(`found '${key.text}', expected: identifier`);
    const badKey = isLabelKey(key.text);
    if (badKey.length > 0) throw failed(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${badKey.join('; ')}`);
    const after = this.#look();
    if (negated) return { key: key.text, operator: '!', values: [] };
    if (after.kind === 'end' || after.kind === ',') return { key: key.text, operator: 'exists', values: [] };
    const operator = this.#operator();
    if (operator === 'in' || operator === 'notin') {
      const values = yield* distinct(yield* this.#values());
      return yield* checked({ key: key.text, operator, values });
    }
    return yield* checked({ key: key.text, operator, values: [this.#exactValue()] });
  }

  #operator(): LabelOperator {
    const t = this.#current;
    this.#advance();
    switch (t.kind) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
        return t.kind;
      case '>':
        return 'gt';
      case '<':
        return 'lt';
      default:
        throw failed(`found '${t.text}', expected: ${OPERATORS}`);
    }
  }

  *#values(): Steps<string[]> {
    const open = this.#take();
    if (open.kind !== '(') throw failed(`found '${open.text}' expected: '('`);
    const first = this.#look();
    if (first.kind === ')') {
      this.#take();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',')
      throw failed(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = yield* this.#list();
    if (this.#take().kind !== ')') throw failed(`found '${first.text}', expected: ')'`);
    return values;
  }

  *#list(): Steps<string[]> {
    const values: string[] = [];
    for (;;) {
      if (values.length % AT_ONCE === 0) yield;
      const t = this.#take();
      if (t.kind === 'identifier') {
        values.push(t.text);
        const next = this.#look();
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw failed(`found '${next.text}', expected: ',' or ')'`);
      } else if (t.kind === ',') {
        if (values.length === 0) values.push('');
        const next = this.#look();
        if (next.kind === ')') {
          values.push('');
          return values;
        }
        if (next.kind === ',') {
          this.#take();
          values.push('');
        }
      } else throw failed(`found '${t.text}', expected: ',', or identifier`);
    }
  }

  #exactValue(): string {
    const next = this.#look();
    if (next.kind === 'end' || next.kind === ',') return '';
    this.#take();
    if (next.kind !== 'identifier') throw failed(`found '${next.text}', expected: identifier`);
    return next.text;
  }
}

/** Compares texts by code units, as `sort` does without a function. */
export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts values and removes duplicates. */
function* distinct(values: readonly string[]): Steps<readonly string[]> {
  const sorted = yield* sortSteps(values, byCodeUnits);
  const isNew = (value: string, i: number): boolean => i === 0 || sorted[i - 1] !== value;
  return sorted.every(isNew) ? sorted : sorted.filter(isNew);
}

const failed = (why: string): SelectorError => new SelectorError(`unable to parse requirement: ${why}`);

const INT64 = /^[+-]?\d{1,19}$/;

/** Whether a text is a bound of `gt` and `lt`. */
export function isInt64(text: string): boolean {
  if (!INT64.test(text)) return false;
  const n = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, n) === n;
}

function* checked(r: LabelRequirement): Steps<LabelRequirement> {
  const found: string[] = [];
  if (r.operator === 'gt' || r.operator === 'lt') {
    r.values.forEach((v, i) => {
      if (!isInt64(v))
        found.push(
          `values[${i}]: Invalid value: ${JSON.stringify(v)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
    });
  }
  for (const [i, v] of r.values.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    const bad = isLabelValue(v);
    if (bad.length > 0) found.push(`values[${i}][${r.key}]: Invalid value: ${JSON.stringify(v)}: ${bad.join('; ')}`);
  }
  if (found.length > 0) throw failed(found.length === 1 ? found[0]! : `[${found.join(', ')}]`);
  return r;
}

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  for (const r of selector) {
    const has = Object.hasOwn(labels, r.key);
    const value = has ? labels[r.key]! : '';
    if (!holds(r, has, value)) return false;
  }
  return true;
}

/** Whether a sorted list has a value. A selector may have tens of thousands, and is applied to every event of a watch. */
function isAmong(sorted: readonly string[], value: string): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const there = sorted[middle]!;
    if (there === value) return true;
    if (there < value) from = middle + 1;
    else to = middle;
  }
  return false;
}

function holds(r: LabelRequirement, has: boolean, value: string): boolean {
  switch (r.operator) {
    case '=':
    case '==':
    case 'in':
      return has && isAmong(r.values, value);
    case '!=':
    case 'notin':
      return !has || !isAmong(r.values, value);
    case 'exists':
      return has;
    case '!':
      return !has;
    case 'gt':
      return has && isInt64(value) && BigInt(value) > BigInt(r.values[0]!);
    case 'lt':
      return has && isInt64(value) && BigInt(value) < BigInt(r.values[0]!);
  }
}

export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** All of them must hold. */
export type FieldSelector = readonly FieldRequirement[];

export function parseFieldSelector(text: string): FieldSelector {
  return finish(fieldSelectorSteps(text));
}

/** Parses in steps, like `labelSelectorSteps`. */
export function* fieldSelectorSteps(text: string): Steps<FieldSelector> {
  const found: FieldRequirement[] = [];
  const terms = yield* sortSteps(yield* splitTerms(text), byCodeUnits);
  for (const [i, term] of terms.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    if (term === '') continue;
    const m = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (m === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescaped(m[3]!);
    // A term without name and value is ignored.
    if (m[1] !== '' || value !== '') found.push({ field: m[1]!, equal: m[2] !== '!=', value });
  }
  return found;
}

function* splitTerms(text: string): Steps<string[]> {
  const terms: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(from, i));
      from = i + 1;
      if (terms.length % AT_ONCE === 0) yield;
    }
  }
  terms.push(text.slice(from));
  return terms;
}

function unescaped(text: string): string {
  if (!text.includes('\\') && !text.includes('=')) return text;
  let out = '';
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const c = characters[i]!;
    if (c === '\\') {
      const next = characters[++i];
      if (next !== '\\' && next !== ',' && next !== '=')
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
      out += next;
    } else if (c === ',' || c === '=')
      throw new SelectorError(`invalid field selector: unescaped character in value: ${c.codePointAt(0)}`);
    else out += c;
  }
  return out;
}

/** The single value that the selector requires of `field`, or undefined. */
export function requiredValue(selector: FieldSelector, field: string): string | undefined {
  return selector.find((r) => r.equal && r.field === field)?.value;
}
