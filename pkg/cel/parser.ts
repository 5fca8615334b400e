import type { CallExpr, Expr, MapEntry, StructExpr } from './ast.js';
import { EOF, type Token, type TokenKind } from './lexer.js';
import { literalValue } from './literal.js';
import { Builder, type Macro, macroKey } from './macros.js';
import { type Issue, Source } from './source.js';
import { RecursionFailure, TokenStream, TooManyErrors } from './syntax.js';
import {
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
  FILE_END,
  kinds,
  LITERALS,
  MEMBER,
  MEMBER_NEXT,
  NEGATED,
  NEXT,
  OPT_EXPR,
  OR_NEXT,
  PAREN,
  QUESTION_NEXT,
  RELATION_NEXT,
  RELATIONS,
  RESERVED_WORDS,
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
 * Parses an expression with the grammar of the CEL language definition; macros are expanded during parsing. If there
 * are issues the tree is incomplete and useful only for further messages.
 */
export function parse(text: string, options: ParseOptions): Parsed {
  const source = new Source(text);
  if (source.points.length > POINTS_MAX) {
    const message = `expression code point size exceeds limit: size: ${source.points.length}, limit ${POINTS_MAX}`;
    return { source, expr: { kind: 'literal', id: 1, offset: 0, value: null }, issues: [{ offset: -1, message }] };
  }
  const issues: Issue[] = [];
  try {
    const expr = new Parser(source, options, issues).start();
    return { source, expr, issues };
  } catch (error) {
    if (error instanceof RecursionFailure) issues.push({ offset: -1, message: error.message });
    else if (isStackOverflow(error)) issues.push({ offset: -1, message: TOO_DEEP });
    else if (!(error instanceof TooManyErrors)) throw error;
    return { source, expr: { kind: 'literal', id: 1, offset: 0, value: null }, issues };
  }
}

const TOO_DEEP = `expression recursion limit exceeded: ${DEPTH_MAX}`;

/** Maps in maps take the most stack for a level. What exceeds it before the limit of depth counts as too deep. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

class Parser {
  readonly #in: TokenStream;
  readonly #build = new Builder();
  readonly #options: ParseOptions;
  #depth = 0;

  /** Errors are added to `issues`. */
  constructor(source: Source, options: ParseOptions, issues: Issue[]) {
    this.#in = new TokenStream(source, issues);
    this.#options = options;
  }

  start(): Expr {
    const expr = this.#expr(FILE_END);
    this.#in.rule(kinds(), () => this.#in.match(EOF, () => kinds()));
    this.#checkDepth(expr);
    return expr;
  }

  /** The placeholder for an expression that could not be parsed. */
  #nothing(): Expr {
    return this.#build.literal(this.#in.current.start, null);
  }

  #rule(follow: ReadonlySet<TokenKind>, body: () => Expr): Expr {
    return this.#in.rule(follow, body) ?? this.#nothing();
  }

  /** expr: conditionalOr ('?' conditionalOr ':' expr)? */
  #expr(follow: ReadonlySet<TokenKind>): Expr {
    if (++this.#depth > DEPTH_MAX) throw new RecursionFailure(TOO_DEEP);
    const result = this.#rule(follow, () => {
      const condition = this.#or(QUESTION_NEXT);
      if (!this.#in.is('?')) return condition;
      const op = this.#in.take();
      const yes = this.#or(COLON);
      this.#in.match(':', () => EXPR);
      const no = this.#expr(NEXT);
      return this.#build.call(op.start, '_?_:_', [condition, yes, no]);
    });
    this.#depth--;
    return result;
  }

  #or(follow: ReadonlySet<TokenKind>): Expr {
    return this.#chain('||', '_||_', follow, () => this.#and(OR_NEXT));
  }

  #and(follow: ReadonlySet<TokenKind>): Expr {
    return this.#chain('&&', '_&&_', follow, () => this.#relation(AND_NEXT));
  }

  /** A chain of `&&` or `||` becomes a balanced tree, so that a long chain is not deeply nested. */
  #chain(op: TokenKind, name: string, follow: ReadonlySet<TokenKind>, operand: () => Expr): Expr {
    return this.#rule(follow, () => {
      const terms = [operand()];
      const offsets: number[] = [];
      while (this.#in.is(op)) {
        offsets.push(this.#in.take().start);
        terms.push(operand());
      }
      if (terms.length === 1) return terms[0]!;
      const balance = (from: number, to: number): Expr => {
        const middle = (from + to + 1) >> 1;
        const left = middle === from ? terms[middle]! : balance(from, middle - 1);
        const right = middle === to ? terms[middle + 1]! : balance(middle + 1, to);
        return this.#build.call(offsets[middle]!, name, [left, right]);
      };
      return balance(0, offsets.length - 1);
    });
  }

  #relation(follow: ReadonlySet<TokenKind>): Expr {
    return this.#rule(follow, () => {
      let left = this.#sum(RELATION_NEXT);
      while (RELATIONS.includes(this.#in.la())) {
        const op = this.#in.take();
        const right = this.#sum(RELATION_NEXT);
        left = this.#build.call(op.start, op.kind === 'in' ? '@in' : `_${op.kind}_`, [left, right]);
      }
      return left;
    });
  }

  #sum(follow: ReadonlySet<TokenKind>): Expr {
    return this.#rule(follow, () => this.#binary(['+', '-'], () => this.#product()));
  }

  #product(): Expr {
    return this.#binary(['*', '/', '%'], () => this.#unary(CALC_NEXT));
  }

  #binary(ops: readonly TokenKind[], operand: () => Expr): Expr {
    let left = operand();
    while (ops.includes(this.#in.la())) {
      const op = this.#in.take();
      left = this.#build.call(op.start, `_${op.kind}_`, [left, operand()]);
    }
    return left;
  }

  /** unary: member | '!'+ member | '-'+ member */
  #unary(follow: ReadonlySet<TokenKind>): Expr {
    return this.#rule(follow, () => {
      this.#in.sync(EXPR);
      const next = this.#in.la();
      const negatesNumber = next === '-' && (this.#in.la(2) === 'NUM_INT' || this.#in.la(2) === 'NUM_FLOAT');
      if ((next !== '!' && next !== '-') || negatesNumber) {
        if (!MEMBER.has(next)) this.#in.noViableAlternative(this.#in.current, 0);
        return this.#member(NEXT);
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
      const operand = this.#member(NEXT);
      if (count % 2 === 0) return operand;
      return this.#build.call(first.start, next === '!' ? '!_' : '-_', [operand]);
    });
  }

  /** member: primary, then any number of selections, method calls and indexes */
  #member(follow: ReadonlySet<TokenKind>): Expr {
    return this.#rule(follow, () => {
      let operand = this.#primary(MEMBER_NEXT);
      for (;;) {
        if (this.#in.is('.')) operand = this.#selection(operand);
        else if (this.#in.is('[')) operand = this.#index(operand);
        else return operand;
      }
    });
  }

  #selection(operand: Expr): Expr {
    const next = this.#in.la(2);
    if (next !== 'IDENTIFIER' && next !== 'ESC_IDENTIFIER' && next !== '?') {
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
    if (name.kind === 'IDENTIFIER' && this.#in.is('(')) {
      const open = this.#in.take();
      const args = this.#arguments();
      return this.#callOrMacro(open, name.text, operand, args);
    }
    return this.#build.select(dot.start, operand, fieldName(name));
  }

  #index(operand: Expr): Expr {
    const open = this.#in.take();
    this.#in.sync(OPT_EXPR);
    let mark: Token | undefined;
    if (this.#in.is('?')) mark = this.#in.take();
    const index = this.#expr(BRACKET);
    this.#in.match(']', () => MEMBER_NEXT);
    if (mark !== undefined && !this.#options.optionalSyntax) this.#in.report(mark.start, "unsupported syntax '[?'");
    return this.#build.call(open.start, mark === undefined ? '_[_]' : '_[?_]', [operand, index]);
  }

  /** exprList? ')' */
  #arguments(): Expr[] {
    this.#in.sync(ARGUMENTS);
    const args: Expr[] = [];
    if (!this.#in.is(')')) {
      args.push(this.#expr(COMMA_PAREN));
      while (this.#in.is(',')) {
        this.#in.take();
        args.push(this.#expr(COMMA_PAREN));
      }
    }
    this.#in.match(')', () => MEMBER_NEXT);
    return args;
  }

  #primary(follow: ReadonlySet<TokenKind>): Expr {
    return this.#rule(follow, () => {
      const token = this.#in.current;
      switch (token.kind) {
        case '(': {
          this.#in.take();
          const inner = this.#expr(PAREN);
          this.#in.match(')', END);
          return inner;
        }
        case '[':
          return this.#list();
        case '{':
          return this.#map();
        case '.':
          if (this.#in.la(2) !== 'IDENTIFIER') this.#in.noViableAlternative(token, 1);
          return this.#named();
        case 'IDENTIFIER':
          return this.#named();
        default:
          return this.#literal();
      }
    });
  }

  /** An identifier, a call of a global function, or a message `a.b.C{...}`. */
  #named(): Expr {
    const leading = this.#in.is('.') ? this.#in.take() : undefined;
    const first = this.#in.take();
    if (this.#in.is('{') || this.#isMessage()) return this.#message(leading, first);
    const name = (leading === undefined ? '' : '.') + first.text;
    if (RESERVED_WORDS.has(first.text)) {
      this.#in.report(first.start, `reserved identifier: ${first.text}`);
      if (!this.#in.is('(')) return this.#build.literal(first.start, null);
    }
    if (!this.#in.is('(')) return this.#build.ident(first.start, name);
    const open = this.#in.take();
    return this.#callOrMacro(open, name, undefined, this.#arguments());
  }

  /** Reports whether the next tokens are `.name` any number of times and then `{`. */
  #isMessage(): boolean {
    let k = 1;
    while (this.#in.la(k) === '.' && this.#in.la(k + 1) === 'IDENTIFIER') k += 2;
    return k > 1 && this.#in.la(k) === '{';
  }

  #message(leading: Token | undefined, first: Token): Expr {
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
      const value = this.#expr(COMMA_BRACE);
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
  #list(): Expr {
    const open = this.#in.take();
    const id = this.#build.id();
    const elements: Expr[] = [];
    const optional = new Set<number>();
    this.#in.sync(ELEMENTS);
    while (!this.#in.is(']') && !(elements.length === 0 && this.#in.is(','))) {
      if (this.#takeOptional()) optional.add(elements.length);
      elements.push(this.#expr(COMMA_BRACKET));
      if (!this.#in.is(',') || !OPT_EXPR.has(this.#in.la(2))) break;
      this.#in.take();
    }
    this.#in.sync(COMMA_BRACKET);
    if (this.#in.is(',')) this.#in.take();
    this.#in.match(']', END);
    return { kind: 'list', id, offset: open.start, elements, optional };
  }

  /** '{' (key ':' value (',' key ':' value)*)? ','? '}' */
  #map(): Expr {
    const open = this.#in.take();
    const id = this.#build.id();
    const entries: MapEntry[] = [];
    this.#in.sync(ENTRIES);
    while (!this.#in.is('}') && !(entries.length === 0 && this.#in.is(','))) {
      const optional = this.#takeOptional();
      const key = this.#expr(COLON);
      const colon = this.#in.match(':', () => EXPR);
      const value = this.#expr(COMMA_BRACE);
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
    if (!LITERALS.includes(token.kind)) this.#in.noViableAlternative(token, 0);
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

  /**
   * A chain of operators or selections nests as deep as it is long. The walk uses an explicit stack, because the tree
   * may be deep.
   */
  #checkDepth(root: Expr): void {
    const stack: { readonly e: Expr; readonly depth: number }[] = [{ e: root, depth: 1 }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { e, depth } = top;
      if (depth > DEPTH_MAX) throw new RecursionFailure('max recursion depth exceeded');
      const next = e.kind === 'call' || e.kind === 'select' ? depth + 1 : depth;
      if (e.kind === 'select') stack.push({ e: e.operand, depth: next });
      else if (e.kind === 'call') for (const c of callOperands(e)) stack.push({ e: c, depth: next });
    }
  }
}

function callOperands(e: CallExpr): readonly Expr[] {
  return e.target === undefined ? e.args : [e.target, ...e.args];
}

/** The name of a field; between backquotes it may contain dots, dashes, slashes and spaces. */
function fieldName(token: Token): string {
  return token.kind === 'ESC_IDENTIFIER' ? token.text.slice(1, -1) : token.text;
}
