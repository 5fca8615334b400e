import { EOF, escapeText, type Token, type TokenKind, type Tokens } from './lexer.js';
import type { Issue, Source } from './source.js';

/** Thrown if a rule cannot continue; the rule that catches it skips to a token that may follow it. */
export class SyntaxFailure extends Error {}

/** Thrown if an expression nests deeper than the limit, or if its errors cannot be recovered from. The message is an error without position. */
export class RecursionFailure extends Error {}

/** Thrown to end the parser; the errors so far are the result. */
export class TooManyErrors extends Error {}

/** Errors list the tokens that were expected in this order. */
const ORDER: readonly TokenKind[] = [
  ...['==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':'],
  ...['+', '*', '/', '%', 'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES'],
  ...['IDENTIFIER', 'ESC_IDENTIFIER'],
];
const UNQUOTED = new Set(['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER', EOF]);

function showKind(kind: TokenKind): string {
  return UNQUOTED.has(kind) ? kind : `'${kind}'`;
}

function showSet(kinds: Iterable<TokenKind>): string {
  const list = [...kinds].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)).map(showKind);
  return list.length === 1 ? list[0]! : `{${list.join(', ')}}`;
}

/** The bounds of cel-go: syntax errors, recoveries from them, and tokens that one recovery skips. */
const ERRORS_MAX = 100;
const RECOVERIES_MAX = 30;
const SKIPPED_MAX = 256;

/**
 * The token stream with the error strategy of ANTLR's generated parsers, which users of CEL know from its error
 * messages. A wrong token is dropped if the next one matches. A missing one is assumed if the current token can follow
 * it. Otherwise the rule ends, and tokens are skipped up to one that can follow it or an enclosing rule.
 */
export class TokenStream {
  readonly source: Source;
  readonly issues: Issue[];
  readonly #tokens: readonly Token[];
  readonly #skipped: ReadonlySet<number>;
  #at = 0;
  #recovering = false;
  #lastErrorAt = -1;
  #recoveries = 0;
  #syntaxErrors = 0;
  readonly #follow: ReadonlySet<TokenKind>[] = [new Set([EOF])];

  /** Errors are added to `found`. */
  constructor(source: Source, { tokens, issues, skipped }: Tokens, found: Issue[]) {
    this.source = source;
    this.issues = found;
    this.#tokens = tokens;
    this.#skipped = skipped;
    for (const { offset, message } of issues) this.#syntaxError(offset, message);
  }

  get current(): Token {
    return this.#tokens[this.#at]!;
  }

  /** Returns the kind of the token `k` positions ahead; 1 is the current one. */
  la(k = 1): TokenKind {
    return (this.#tokens[this.#at + k - 1] ?? this.#tokens.at(-1)!).kind;
  }

  is(kind: TokenKind): boolean {
    return this.la() === kind;
  }

  report(offset: number, message: string): void {
    this.issues.push({ offset, message });
  }

  #syntaxError(offset: number, message: string): void {
    if (this.#syntaxErrors++ < ERRORS_MAX) {
      this.report(offset, message);
      return;
    }
    this.report(offset, `Syntax error: More than ${ERRORS_MAX} syntax errors`);
    throw new TooManyErrors();
  }

  #countRecovery(): void {
    if (this.#recoveries++ < RECOVERIES_MAX) return;
    const message = `error recovery attempt limit exceeded: ${RECOVERIES_MAX}`;
    this.#syntaxError(this.current.start, `Syntax error: ${message}`);
    throw new TooManyErrors();
  }

  /** Consumes the token of this kind, with recovery of one token. `after` is the set of tokens that can follow it. */
  match(kind: TokenKind, after: () => ReadonlySet<TokenKind>): Token {
    if (this.is(kind)) return this.#take();
    this.#countRecovery();
    if (this.la(2) === kind) {
      this.#unwanted(new Set([kind]));
      this.#at++;
      return this.#take();
    }
    if (after().has(this.la()) || (after().has(EPSILON) && this.#mayFollow(this.la()))) {
      this.#error(this.current.start, `missing ${showKind(kind)} at ${this.#shown(this.current)}`);
      return { kind, text: '', start: this.current.start, end: this.current.start };
    }
    this.#mismatch(new Set([kind]));
    throw new SyntaxFailure();
  }

  /** Consumes the current token, which the caller has already checked. */
  take(): Token {
    return this.#take();
  }

  #take(): Token {
    const token = this.current;
    this.#recovering = false;
    if (token.kind !== EOF) this.#at++;
    return token;
  }

  /** At the start of a choice: the current token, or the next one after dropping it, must be one of `expected`. */
  sync(expected: ReadonlySet<TokenKind>): void {
    if (this.#recovering || expected.has(this.la())) return;
    if (expected.has(this.la(2)) && this.la(2) !== EOF) {
      this.#unwanted(expected);
      this.#at++;
      this.#recovering = false;
      return;
    }
    this.#mismatch(expected);
    throw new SyntaxFailure();
  }

  /** After an iteration of a loop: reports a token that cannot follow, and skips to one that can. */
  syncLoop(expected: ReadonlySet<TokenKind>): void {
    if (this.#recovering || expected.has(this.la())) return;
    this.#unwanted(expected);
    this.#skipTo(expected);
  }

  /**
   * No alternative matches: `from` is the token at which the choice began, and `ahead` counts from the current token to
   * the one that does not match.
   */
  noViableAlternative(from: Token, ahead: number): never {
    const offending = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
    const end = offending.kind === EOF ? from.end : offending.end;
    const points = this.source.points.slice(from.start, end);
    const text = points.filter((_, i) => !this.#skipped.has(from.start + i)).join('');
    this.#error(offending.start, `no viable alternative at input '${escapeText(text)}'`);
    throw new SyntaxFailure();
  }

  /** Begins a rule. `follow` is the set of tokens that can come after it in the calling rule. */
  enter(follow: ReadonlySet<TokenKind>): void {
    this.#follow.push(follow);
  }

  /** Ends the rule that began last. */
  leave(): void {
    this.#follow.pop();
  }

  /** A rule has failed: skips to a token that may follow it. Throws other errors again. */
  recover(error: unknown): void {
    if (!(error instanceof SyntaxFailure)) throw error;
    this.#countRecovery();
    // A second failure at the same position drops a token, so that each failure makes progress.
    if (this.#lastErrorAt === this.#at && !this.is(EOF)) this.#at++;
    this.#lastErrorAt = this.#at;
    this.#skipTo(new Set());
  }

  #skipTo(expected: ReadonlySet<TokenKind>): void {
    // Rules of one kind nest, so there are few distinct sets.
    const follow = new Set(this.#follow);
    const ends = (kind: TokenKind): boolean => {
      for (const f of follow) if (f.has(kind)) return true;
      return false;
    };
    for (let skipped = 0; !this.is(EOF) && !expected.has(this.la()) && !ends(this.la()); skipped++) {
      if (skipped >= SKIPPED_MAX)
        throw new RecursionFailure(`error recovery token lookahead limit exceeded: ${SKIPPED_MAX}`);
      this.#at++;
    }
  }

  #mayFollow(kind: TokenKind): boolean {
    for (let i = this.#follow.length - 1; i >= 0; i--) {
      if (this.#follow[i]!.has(kind)) return true;
      if (!this.#follow[i]!.has(EPSILON)) return false;
    }
    return false;
  }

  #mismatch(expected: ReadonlySet<TokenKind>): void {
    this.#error(this.current.start, `mismatched input ${this.#shown(this.current)} expecting ${showSet(expected)}`);
  }

  #unwanted(expected: ReadonlySet<TokenKind>): void {
    this.#error(this.current.start, `extraneous input ${this.#shown(this.current)} expecting ${showSet(expected)}`);
  }

  #shown(token: Token): string {
    return `'${escapeText(token.text)}'`;
  }

  #error(offset: number, message: string): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.#syntaxError(offset, `Syntax error: ${message}`);
  }
}

/** In a follow set: the calling rule may end there as well. */
export const EPSILON = '<epsilon>';
