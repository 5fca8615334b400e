import type { Steps } from '../base/index.js';
import type { Expr, MapEntry, StructExpr } from './ast.js';
import { isDeeper } from './depth.js';
import { derive, type Production } from './derive.js';
import { EOF, type Token, type TokenKind, type Tokens, tokenize } from './lexer.js';
import { literalValue } from './literal.js';
import { Builder, type Macro, macroKey } from './macros.js';
import { type Issue, Source } from './source.js';
import { RecursionFailure, TokenStream, TooManyErrors } from './syntax.js';
import {
  AND_ENDS,
  AND_NEXT,
  ARGUMENTS,
  BRACKET,
  CALC_NEXT,
  COLON,
  COMMA_BRACE,
  COMMA_BRACKET,
  COMMA_PAREN,
  ELEMENTS,
  END,
  ENTRIES,
  EXPR,
  EXPR_ENDS,
  FILE_END,
  kinds,
  LITERALS,
  MEMBER,
  MEMBER_NEXT,
  NEGATED,
  NEXT,
  OPT_EXPR,
  OR_ENDS,
  OR_NEXT,
  PAREN,
  PART_BEGINS,
  PRODUCT,
  QUESTION_NEXT,
  RELATION_NEXT,
  RELATIONS,
  RESERVED_WORDS,
  SUM,
  UNARY_ENDS,
} from './tokensets.js';

export interface ParseOptions {
  readonly macros: ReadonlyMap<string, Macro>;
  /** Whether `a.?b`, `a[?b]` and `?e` elements are allowed. */
  readonly optionalSyntax: boolean;
}

export interface Parsed {
  readonly source: Source;
  readonly expr: Expr;
  readonly issues: readonly Issue[];
}

/** Maximum number of code points in an expression. */
const POINTS_MAX = 100_000;
const DEPTH_MAX = 250;

/**
 * Parses an expression with the grammar of the CEL language definition, in steps; macros are expanded during parsing. If there
 * are issues the tree is incomplete and useful only for further messages.
 */
export function* parse(text: string, options: ParseOptions): Steps<Parsed> {
  const source = new Source(text);
  const nothing: Expr = { kind: 'literal', id: 1, offset: 0, value: null };
  if (source.points.length > POINTS_MAX) {
    const message = `expression code point size exceeds limit: size: ${source.points.length}, limit ${POINTS_MAX}`;
    return { source, expr: nothing, issues: [{ offset: -1, message }] };
  }
  const tokens = yield* tokenize(source);
  const issues: Issue[] = [];
  try {
    const expr = yield* derive(new Parser(source, tokens, options, issues).start());
    if (yield* isDeeper(expr, DEPTH_MAX)) throw new RecursionFailure('max recursion depth exceeded');
    return { source, expr, issues };
  } catch (error) {
    if (error instanceof RecursionFailure) issues.push({ offset: -1, message: error.message });
    else if (!(error instanceof TooManyErrors)) throw error;
    return { source, expr: nothing, issues };
  }
}

const TOO_DEEP = `expression recursion limit exceeded: ${DEPTH_MAX}`;

class Parser {
  readonly #in: TokenStream;
  readonly #build = new Builder();
  readonly #options: ParseOptions;
  #depth = 0;

  /** Errors are added to `issues`. */
  constructor(source: Source, tokens: Tokens, options: ParseOptions, issues: Issue[]) {
    this.#in = new TokenStream(source, tokens, issues);
    this.#options = options;
  }

  *start(): Production {
    const expr = yield this.#expr(FILE_END);
    this.#in.enter(kinds());
    try {
      this.#in.match(EOF, () => kinds());
    } catch (error) {
      this.#in.recover(error);
    } finally {
      this.#in.leave();
    }
    return expr;
  }

  /** The placeholder for an expression that could not be parsed. */
  #nothing(): Expr {
    return this.#build.literal(this.#in.current.start, null);
  }

  /** `follow` is the set of tokens that can come after the production in the one that waits for it. */
  *#rule(follow: ReadonlySet<TokenKind>, body: Production): Production {
    this.#in.enter(follow);
    try {
      return yield body;
    } catch (error) {
      this.#in.recover(error);
      return this.#nothing();
    } finally {
      this.#in.leave();
    }
  }

  /** A literal or name that is all of a part, because one of `ends` follows it. Most parts are, and need no production. */
  #leaf(ends: ReadonlySet<TokenKind>): Expr | undefined {
    if (!ends.has(this.#in.la(2))) return undefined;
    const { kind, text } = this.#in.current;
    if (kind === 'IDENTIFIER' && !RESERVED_WORDS.has(text) && !this.#isMessage(2)) {
      const name = this.#in.take();
      return this.#build.ident(name.start, name.text);
    }
    return LITERALS.has(kind) ? this.#literal() : undefined;
  }

  /** expr: conditionalOr ('?' conditionalOr ':' expr)? */
  *#expr(follow: ReadonlySet<TokenKind>): Production {
    if (++this.#depth > DEPTH_MAX) throw new RecursionFailure(TOO_DEEP);
    const result = this.#leaf(EXPR_ENDS) ?? (yield this.#rule(follow, this.#conditional()));
    this.#depth--;
    return result;
  }

  *#conditional(): Production {
    const condition = yield this.#or(QUESTION_NEXT);
    if (!this.#in.is('?')) return condition;
    const op = this.#in.take();
    const yes = yield this.#or(COLON);
    this.#in.match(':', () => EXPR);
    const no = yield this.#expr(NEXT);
    return this.#build.call(op.start, '_?_:_', [condition, yes, no]);
  }

  #or(follow: ReadonlySet<TokenKind>): Production {
    return this.#rule(
      follow,
      this.#chain('||', '_||_', () => this.#leaf(OR_ENDS) ?? this.#and(OR_NEXT)),
    );
  }

  #and(follow: ReadonlySet<TokenKind>): Production {
    return this.#rule(
      follow,
      this.#chain('&&', '_&&_', () => this.#leaf(AND_ENDS) ?? this.#relation(AND_NEXT)),
    );
  }

  /** A chain of `&&` or `||` becomes a balanced tree, so that a long chain is not deeply nested. */
  *#chain(op: TokenKind, name: string, operand: () => Expr | Production): Production {
    const first = operand();
    const terms = ['kind' in first ? first : yield first];
    const offsets: number[] = [];
    while (this.#in.is(op)) {
      offsets.push(this.#in.take().start);
      const next = operand();
      terms.push('kind' in next ? next : yield next);
    }
    if (terms.length === 1) return terms[0]!;
    const balance = (from: number, to: number): Expr => {
      const middle = (from + to + 1) >> 1;
      const left = middle === from ? terms[middle]! : balance(from, middle - 1);
      const right = middle === to ? terms[middle + 1]! : balance(middle + 1, to);
      return this.#build.call(offsets[middle]!, name, [left, right]);
    };
    return balance(0, offsets.length - 1);
  }

  #relation(follow: ReadonlySet<TokenKind>): Production {
    return this.#rule(follow, this.#comparison());
  }

  *#comparison(): Production {
    let left = yield this.#sum(RELATION_NEXT);
    while (RELATIONS.has(this.#in.la())) {
      const op = this.#in.take();
      const right = yield this.#sum(RELATION_NEXT);
      left = this.#build.call(op.start, op.kind === 'in' ? '@in' : `_${op.kind}_`, [left, right]);
    }
    return left;
  }

  #sum(follow: ReadonlySet<TokenKind>): Production {
    return this.#rule(
      follow,
      this.#binary(SUM, () => this.#binary(PRODUCT, () => this.#leaf(UNARY_ENDS) ?? this.#unary(CALC_NEXT))),
    );
  }

  *#binary(ops: ReadonlySet<TokenKind>, operand: () => Expr | Production): Production {
    const first = operand();
    let left = 'kind' in first ? first : yield first;
    while (ops.has(this.#in.la())) {
      const op = this.#in.take();
      const next = operand();
      const right = 'kind' in next ? next : yield next;
      left = this.#build.call(op.start, `_${op.kind}_`, [left, right]);
    }
    return left;
  }

  #unary(follow: ReadonlySet<TokenKind>): Production {
    return this.#rule(follow, this.#signed());
  }

  /** unary: member | '!'+ member | '-'+ member */
  *#signed(): Production {
    this.#in.sync(EXPR);
    const next = this.#in.la();
    const negatesNumber = next === '-' && (this.#in.la(2) === 'NUM_INT' || this.#in.la(2) === 'NUM_FLOAT');
    if ((next !== '!' && next !== '-') || negatesNumber) {
      if (!MEMBER.has(next)) this.#in.noViableAlternative(this.#in.current, 0);
      // A rule of its own would recover where this one does.
      return yield this.#parts();
    }
    if (next === '-' && !NEGATED.has(this.#in.la(2))) this.#in.noViableAlternative(this.#in.current, 1);
    const first = this.#in.current;
    let count = 0;
    const again = next === '!' ? EXPR : NEGATED;
    while (this.#in.is(next)) {
      this.#in.take();
      count++;
      this.#in.syncLoop(again);
    }
    const operand = yield this.#rule(NEXT, this.#parts());
    if (count % 2 === 0) return operand;
    return this.#build.call(first.start, next === '!' ? '!_' : '-_', [operand]);
  }

  /** member: primary, then any number of selections, method calls and indexes */
  *#parts(): Production {
    let operand = this.#leaf(PART_BEGINS) ?? (yield this.#rule(MEMBER_NEXT, this.#primary()));
    for (;;) {
      if (this.#in.is('.')) operand = this.#field(operand) ?? (yield this.#selection(operand));
      else if (this.#in.is('[')) operand = yield this.#index(operand);
      else return operand;
    }
  }

  /** `.name` that is no method call. */
  #field(operand: Expr): Expr | undefined {
    const next = this.#in.la(2);
    if (next !== 'ESC_IDENTIFIER' && (next !== 'IDENTIFIER' || this.#in.la(3) === '(')) return undefined;
    const dot = this.#in.take();
    return this.#build.select(dot.start, operand, fieldName(this.#in.take()));
  }

  /** `.name(...)` or `.?name`. */
  *#selection(operand: Expr): Production {
    const next = this.#in.la(2);
    if (next !== 'IDENTIFIER' && next !== '?') {
      if (next === 'true' || next === 'false' || next === 'null') {
        this.#in.take();
        this.#in.match('IDENTIFIER', () => kinds('.', '{'));
      }
      this.#in.noViableAlternative(this.#in.current, 1);
    }
    const dot = this.#in.take();
    if (this.#in.is('?')) {
      const mark = this.#in.take();
      const name = this.#in.match('IDENTIFIER', END);
      if (!this.#options.optionalSyntax) this.#in.report(mark.start, "unsupported syntax '.?'");
      const field = this.#build.literal(name.start, fieldName(name));
      return this.#build.call(dot.start, '_?._', [operand, field]);
    }
    const name = this.#in.take();
    const open = this.#in.take();
    return this.#callOrMacro(open, name.text, operand, yield* this.#arguments());
  }

  *#index(operand: Expr): Production {
    const open = this.#in.take();
    this.#in.sync(OPT_EXPR);
    let mark: Token | undefined;
    if (this.#in.is('?')) mark = this.#in.take();
    const index = yield this.#expr(BRACKET);
    this.#in.match(']', () => MEMBER_NEXT);
    if (mark !== undefined && !this.#options.optionalSyntax) this.#in.report(mark.start, "unsupported syntax '[?'");
    return this.#build.call(open.start, mark === undefined ? '_[_]' : '_[?_]', [operand, index]);
  }

  /** exprList? ')' */
  *#arguments(): Generator<Production, Expr[], Expr> {
    this.#in.sync(ARGUMENTS);
    const args: Expr[] = [];
    if (!this.#in.is(')')) {
      args.push(yield this.#expr(COMMA_PAREN));
      while (this.#in.is(',')) {
        this.#in.take();
        args.push(yield this.#expr(COMMA_PAREN));
      }
    }
    this.#in.match(')', () => MEMBER_NEXT);
    return args;
  }

  *#primary(): Production {
    const token = this.#in.current;
    switch (token.kind) {
      case '(': {
        this.#in.take();
        const inner = yield this.#expr(PAREN);
        this.#in.match(')', END);
        return inner;
      }
      case '[':
        return yield this.#list();
      case '{':
        return yield this.#map();
      case '.':
        if (this.#in.la(2) !== 'IDENTIFIER') this.#in.noViableAlternative(token, 1);
        return yield this.#named();
      case 'IDENTIFIER':
        return yield this.#named();
      default:
        return this.#literal();
    }
  }

  /** An identifier, a call of a global function, or a message `a.b.C{...}`. */
  *#named(): Production {
    const leading = this.#in.is('.') ? this.#in.take() : undefined;
    const first = this.#in.take();
    if (this.#in.is('{') || this.#isMessage(1)) return yield this.#message(leading, first);
    const name = (leading === undefined ? '' : '.') + first.text;
    if (RESERVED_WORDS.has(first.text)) {
      this.#in.report(first.start, `reserved identifier: ${first.text}`);
      if (!this.#in.is('(')) return this.#build.literal(first.start, null);
    }
    if (!this.#in.is('(')) return this.#build.ident(first.start, name);
    const open = this.#in.take();
    return this.#callOrMacro(open, name, undefined, yield* this.#arguments());
  }

  /** Reports whether the tokens from the one `ahead` are `.name` any number of times and then `{`. */
  #isMessage(ahead: number): boolean {
    let k = ahead;
    while (this.#in.la(k) === '.' && this.#in.la(k + 1) === 'IDENTIFIER') k += 2;
    return k > ahead && this.#in.la(k) === '{';
  }

  *#message(leading: Token | undefined, first: Token): Production {
    let name = (leading === undefined ? '' : '.') + first.text;
    while (this.#in.is('.')) {
      this.#in.take();
      name += `.${this.#in.take().text}`;
    }
    const open = this.#in.take();
    const fields: StructExpr['fields'][number][] = [];
    this.#in.sync(kinds('IDENTIFIER', 'ESC_IDENTIFIER', '?', ',', '}'));
    while (!this.#in.is('}') && !this.#in.is(',') && !this.#in.is(EOF)) {
      const optional = this.#in.is('?') ? this.#in.take() : undefined;
      const field = this.#in.is('ESC_IDENTIFIER') ? this.#in.take() : this.#in.match('IDENTIFIER', () => kinds(':'));
      const colon = this.#in.match(':', () => EXPR);
      const value = yield this.#expr(COMMA_BRACE);
      fields.push({
        id: this.#build.id(),
        offset: colon.start,
        name: fieldName(field),
        value,
        optional: optional !== undefined,
      });
      if (!this.#in.is(',')) break;
      this.#in.take();
    }
    if (this.#in.is(',')) this.#in.take();
    this.#in.match('}', END);
    return this.#build.struct(open.start, name, fields);
  }

  /** '[' (element (',' element)*)? ','? ']' */
  *#list(): Production {
    const open = this.#in.take();
    const id = this.#build.id();
    const elements: Expr[] = [];
    const optional = new Set<number>();
    this.#in.sync(ELEMENTS);
    while (!this.#in.is(']') && !(elements.length === 0 && this.#in.is(','))) {
      if (this.#takeOptional()) optional.add(elements.length);
      elements.push(yield this.#expr(COMMA_BRACKET));
      if (!this.#in.is(',') || !OPT_EXPR.has(this.#in.la(2))) break;
      this.#in.take();
    }
    this.#in.sync(COMMA_BRACKET);
    if (this.#in.is(',')) this.#in.take();
    this.#in.match(']', END);
    return { kind: 'list', id, offset: open.start, elements, optional };
  }

  /** '{' (key ':' value (',' key ':' value)*)? ','? '}' */
  *#map(): Production {
    const open = this.#in.take();
    const id = this.#build.id();
    const entries: MapEntry[] = [];
    this.#in.sync(ENTRIES);
    while (!this.#in.is('}') && !(entries.length === 0 && this.#in.is(','))) {
      const optional = this.#takeOptional();
      const key = yield this.#expr(COLON);
      const colon = this.#in.match(':', () => EXPR);
      const value = yield this.#expr(COMMA_BRACE);
      entries.push({ id: this.#build.idAt(colon.start), key, value, optional });
      if (!this.#in.is(',') || !OPT_EXPR.has(this.#in.la(2))) break;
      this.#in.take();
    }
    this.#in.sync(COMMA_BRACE);
    if (this.#in.is(',')) this.#in.take();
    this.#in.match('}', END);
    return { kind: 'map', id, offset: open.start, entries };
  }

  #takeOptional(): boolean {
    if (!this.#in.is('?')) return false;
    const mark = this.#in.take();
    if (!this.#options.optionalSyntax) this.#in.report(mark.start, "unsupported syntax '?'");
    return true;
  }

  #literal(): Expr {
    const sign = this.#in.is('-') ? this.#in.take() : undefined;
    const token = this.#in.current;
    if (!LITERALS.has(token.kind)) this.#in.noViableAlternative(token, 0);
    this.#in.take();
    const offset = (sign ?? token).start;
    const value = literalValue(token, sign !== undefined, (message) => this.#in.report(offset, message));
    return this.#build.literal(offset, value);
  }

  #callOrMacro(open: Token, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const macro =
      this.#options.macros.get(macroKey(name, target !== undefined, args.length)) ??
      this.#options.macros.get(macroKey(name, target !== undefined, undefined));
    if (macro !== undefined) {
      const expanded = macro.expand(this.#build.at(open.start), target, args, (e, m) => this.#in.report(e.offset, m));
      if (expanded !== undefined) return expanded;
    }
    return this.#build.call(open.start, name, args, target);
  }
}

/** The name of a field; between backquotes it may contain dots, dashes, slashes and spaces. */
function fieldName(token: Token): string {
  return token.kind === 'ESC_IDENTIFIER' ? token.text.slice(1, -1) : token.text;
}
