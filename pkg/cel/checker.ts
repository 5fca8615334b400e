import type { Steps } from '../base/index.js';
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.js';
import type { Environment, FunctionDeclaration, Overload } from './environment.js';
import type { Issue } from './source.js';
import {
  assignable,
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  freshen,
  INT,
  isOptionalType,
  listOf,
  mapOf,
  mostGeneral,
  NULL,
  optionalOf,
  STRING,
  type Substitutions,
  sameType,
  showType,
  struct,
  substitute,
  type Type,
  UINT,
} from './types.js';
import { Bytes, Uint } from './values.js';
import { each, type Pass, type Visit, walk } from './walk.js';

/**
 * The result of checking: the type of each node, the reference of each name, and the possible signatures of each call.
 */
export interface Checked {
  readonly type: Type;
  readonly types: ReadonlyMap<number, Type>;
  /** Qualified names that are one variable: `a.b.c` written as selections. By the id of the outermost node. */
  readonly names: ReadonlyMap<number, string>;
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  /** Calls written as methods that are functions with a qualified name: `sets.contains(a, b)`. */
  readonly functions: ReadonlyMap<number, string>;
  readonly issues: readonly Issue[];
}

/** Checks an expression gradually, in steps: values of type `dyn` are checked at run time. */
export function* check(expr: Expr, env: Environment): Steps<Checked> {
  const checker = new Checker(env);
  const type = yield* walk(expr, checker);
  return yield* checker.finish(type);
}

/** Types of nodes that are completed in one step. */
const TYPES_AT_ONCE = 2_000;

class Checker implements Pass<Type> {
  readonly #env: Environment;
  readonly #types = new Map<number, Type>();
  readonly #names = new Map<number, string>();
  readonly #overloads = new Map<number, readonly string[]>();
  readonly #functions = new Map<number, string>();
  readonly #issues: Issue[] = [];
  readonly #scopes: Map<string, Type>[] = [];
  readonly #substitutions: Substitutions = new Map();
  #fresh = 0;

  constructor(env: Environment) {
    this.#env = env;
  }

  *finish(type: Type): Steps<Checked> {
    const types = new Map<number, Type>();
    for (const [id, t] of this.#types) {
      types.set(id, substitute(this.#substitutions, t, true));
      if (types.size % TYPES_AT_ONCE === 0) yield;
    }
    return {
      type: substitute(this.#substitutions, type, true),
      types,
      names: this.#names,
      overloads: this.#overloads,
      functions: this.#functions,
      issues: this.#issues,
    };
  }

  leaf(e: Expr): Type | undefined {
    if (e.kind !== 'literal' && e.kind !== 'ident') return undefined;
    const type =
      e.kind === 'literal' ? literalType(e.value) : (this.#variable(e.name, e.id) ?? this.#undeclared(e, e.name));
    this.#types.set(e.id, type);
    return type;
  }

  visited(e: Expr, type: Type): void {
    this.#types.set(e.id, type);
  }

  #report(e: { readonly offset: number }, message: string): Type {
    this.#issues.push({ offset: e.offset, message });
    return ERROR;
  }

  /** Type parameters that nothing decides have their own names. */
  #show(t: Type): string {
    return showType(substitute(this.#substitutions, t, false));
  }

  /** The type of an argument: type parameters that nothing decides are `dyn`. */
  #showArgument(t: Type): string {
    return showType(substitute(this.#substitutions, t, true));
  }

  visit(e: Expr): Visit<Type> {
    switch (e.kind) {
      case 'select':
        return this.#select(e);
      case 'call':
        return this.#call(e);
      case 'list':
        return this.#list(e);
      case 'map':
        return this.#map(e);
      case 'struct':
        return this.#struct(e);
      case 'comprehension':
        return this.#comprehension(e);
      default:
        throw new Error(`a ${e.kind} has no parts`);
    }
  }

  *#list(e: ListExpr): Visit<Type> {
    let element: Type | undefined;
    for (let i = 0; i < e.elements.length; i++) {
      const item = e.elements[i]!;
      const t = yield item;
      element = this.#join(element, e.optional.has(i) ? this.#unwrapOptional(item, t) : t);
    }
    return listOf(element ?? this.#newParam());
  }

  *#map(e: MapExpr): Visit<Type> {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of e.entries) {
      key = this.#join(key, yield entry.key);
      const t = yield entry.value;
      value = this.#join(value, entry.optional ? this.#unwrapOptional(entry.value, t) : t);
    }
    return mapOf(key ?? this.#newParam(), value ?? this.#newParam());
  }

  #newParam(): Type {
    return { kind: 'param', name: `_var${this.#fresh++}` };
  }

  #join(before: Type | undefined, t: Type): Type {
    if (before === undefined) return t;
    if (!assignable(this.#substitutions, [before], [t])) return DYN;
    return mostGeneral(before, t);
  }

  #unwrapOptional(e: Expr, t: Type): Type {
    const found = substitute(this.#substitutions, t, false);
    if (isOptionalType(found)) return found.params[0]!;
    if (found.kind === 'dyn' || found.kind === 'error') return found;
    return this.#report(e, `expected type 'optional_type(${this.#show(found)})' but found '${this.#show(found)}'`);
  }

  /** The type of a variable or constant. */
  #variable(name: string, id: number): Type | undefined {
    if (!name.startsWith('.')) {
      for (let i = this.#scopes.length - 1; i >= 0; i--) {
        const t = this.#scopes[i]!.get(name);
        if (t !== undefined) return t;
      }
    }
    const plain = name.startsWith('.') ? name.slice(1) : name;
    const t = this.#env.variables.get(plain) ?? this.#env.constantType(plain);
    if (t !== undefined) this.#names.set(id, plain);
    return t;
  }

  #undeclared(e: { readonly offset: number }, name: string): Type {
    return this.#report(e, `undeclared reference to '${name}' (in container '')`);
  }

  *#select(e: SelectExpr): Visit<Type> {
    const qualified = e.test ? undefined : qualifiedName(e);
    if (qualified !== undefined && !this.#isLocal(qualified)) {
      const t = this.#env.variables.get(qualified) ?? this.#env.constantType(qualified);
      if (t !== undefined) {
        this.#names.set(e.id, qualified);
        return t;
      }
    }
    const operand = yield e.operand;
    const result = this.#partOf(e, operand, e.field, false);
    return e.test ? BOOL : result;
  }

  #isLocal(qualified: string): boolean {
    const root = qualified.slice(0, qualified.indexOf('.'));
    return this.#scopes.some((s) => s.has(root));
  }

  /** The type of `operand.field`. The field of an optional value is optional. */
  #partOf(e: Expr, operand: Type, field: string, optional: boolean): Type {
    const t = substitute(this.#substitutions, operand, false);
    if (isOptionalType(t)) return optionalOf(this.#field(e, t.params[0]!, field));
    const found = this.#field(e, t, field);
    return optional ? optionalOf(found) : found;
  }

  #field(e: { readonly offset: number }, t: Type, field: string): Type {
    if (t.kind === 'opaque' && t.name !== 'optional_type')
      return this.#report(e, `unexpected failed resolution of '${t.name}'`);
    switch (t.kind) {
      case 'map':
        return t.value;
      case 'dyn':
        return DYN;
      case 'error':
        return ERROR;
      case 'param': {
        // Selecting a field of a value of unknown type gives `dyn`.
        assignable(this.#substitutions, [DYN], [t]);
        return DYN;
      }
      case 'struct': {
        const declared = this.#env.struct(t.name);
        if (declared === undefined) return this.#report(e, `unexpected failed resolution of '${t.name}'`);
        return declared.field(field) ?? this.#report(e, `undefined field '${field}'`);
      }
      default:
        return this.#report(e, `type '${this.#show(t)}' does not support field selection`);
    }
  }

  #call(e: CallExpr): Visit<Type> {
    if (e.name === '_?._') return this.#optionalSelect(e);
    if (e.name === '_&&_' || e.name === '_||_') return this.#logical(e);
    return this.#function(e);
  }

  *#function(e: CallExpr): Visit<Type> {
    if (e.target === undefined) {
      const args = yield* each<Type>(e.args);
      const name = e.name.startsWith('.') ? e.name.slice(1) : e.name;
      const f = this.#env.functions.get(name);
      if (f === undefined) return this.#undeclared(e, e.name);
      if (name !== e.name) this.#functions.set(e.id, name);
      return this.#resolve(e, f, args, false);
    }
    const prefix = qualifiedName(e.target);
    if (prefix !== undefined && !this.#isLocal(`${prefix}.`)) {
      const name = `${prefix.startsWith('.') ? prefix.slice(1) : prefix}.${e.name}`;
      const f = this.#env.functions.get(name);
      if (f !== undefined) {
        this.#functions.set(e.id, name);
        const args = yield* each<Type>(e.args);
        return this.#resolve(e, f, args, false);
      }
    }
    const target = yield e.target;
    const args = yield* each<Type>(e.args);
    const f = this.#env.functions.get(e.name);
    if (f === undefined) return this.#undeclared(e, e.name);
    return this.#resolve(e, f, [target, ...args], true);
  }

  *#logical(e: CallExpr): Visit<Type> {
    for (const arg of e.args) this.#expect(arg, yield arg, BOOL);
    this.#overloads.set(e.id, [e.name === '_&&_' ? 'logical_and' : 'logical_or']);
    return BOOL;
  }

  *#optionalSelect(e: CallExpr): Visit<Type> {
    const operand = yield e.args[0]!;
    const field = e.args[1]!;
    if (field.kind !== 'literal' || typeof field.value !== 'string')
      return this.#report(e, `unsupported optional field selection: ${e.name}`);
    this.#types.set(field.id, STRING);
    this.#overloads.set(e.id, ['select_optional_field']);
    return this.#partOf(e, operand, field.value, true);
  }

  /** Finds the matching signatures; the result is their common type, or `dyn` if they differ. */
  #resolve(e: CallExpr, f: FunctionDeclaration, args: readonly Type[], method: boolean): Type {
    const fitting: Overload[] = [];
    let result: Type | undefined;
    for (const overload of f.overloads) {
      if (overload.method !== method) continue;
      const type = overload.isGeneric ? this.#generic(overload, args) : this.#plain(overload, args);
      if (type === undefined) continue;
      fitting.push(overload);
      result = result === undefined || sameType(result, type) ? type : DYN;
    }
    if (result === undefined) {
      const shown = args.map((a) => this.#showArgument(a));
      const applied = method ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
      const name = e.name === '_[?_]' || e.name === '_[_]' ? e.name : f.name;
      return this.#report(e, `found no matching overload for '${name}' applied to '${applied}'`);
    }
    this.#overloads.set(
      e.id,
      fitting.map((o) => o.id),
    );
    return result;
  }

  /** The result of a signature; undefined if the arguments do not fit. */
  #plain(overload: Overload, args: readonly Type[]): Type | undefined {
    return assignable(this.#substitutions, args, overload.args) ? overload.result : undefined;
  }

  /** The result of a signature with type parameters, which get new names for each call. */
  #generic(overload: Overload, args: readonly Type[]): Type | undefined {
    const fresh = freshen([...overload.args, overload.result], () => `_var${this.#fresh++}`);
    if (!assignable(this.#substitutions, args, fresh.slice(0, -1))) return undefined;
    return substitute(this.#substitutions, fresh.at(-1)!, false);
  }

  *#struct(e: StructExpr): Visit<Type> {
    const name = e.name.startsWith('.') ? e.name.slice(1) : e.name;
    const declared = this.#env.struct(name);
    if (declared === undefined) {
      // As in cel-go, the fields of an unknown type are not checked.
      if (this.#env.constants.get(name) === undefined) return this.#undeclared(e, e.name);
      for (const f of e.fields) yield f.value;
      return this.#report(e, `'${e.name}' is not a message type`);
    }
    for (const f of e.fields) {
      const found = yield f.value;
      const value = f.optional ? this.#unwrapOptional(f.value, found) : found;
      const expected = declared.field(f.name);
      if (expected === undefined) {
        this.#report(f, `expected type of field '${f.name}' is '' but provided type is '${this.#show(value)}'`);
        continue;
      }
      if (!assignable(this.#substitutions, [expected], [value])) {
        const [want, got] = [this.#show(expected), this.#show(value)];
        this.#report(f, `expected type of field '${f.name}' is '${want}' but provided type is '${got}'`);
      }
    }
    return struct(declared.name);
  }

  *#comprehension(e: ComprehensionExpr): Visit<Type> {
    const range = substitute(this.#substitutions, yield e.range, false);
    const accumulator = yield e.init;
    const [first, second] = this.#iterated(e, range);
    this.#scopes.push(new Map([[e.accuVar, accumulator]]));
    const variables = new Map([[e.iterVar, first]]);
    if (e.iterVar2 !== undefined) variables.set(e.iterVar2, second);
    this.#scopes.push(variables);
    this.#expect(e.condition, yield e.condition, BOOL);
    this.#expect(e.step, yield e.step, accumulator);
    this.#scopes.pop();
    const result = yield e.result;
    this.#scopes.pop();
    return substitute(this.#substitutions, result, false);
  }

  /** The types of the variables of a loop over `range`. */
  #iterated(e: ComprehensionExpr, range: Type): readonly [Type, Type] {
    const two = e.iterVar2 !== undefined;
    switch (range.kind) {
      case 'list':
        return two ? [INT, range.element] : [range.element, DYN];
      case 'map':
        return [range.key, range.value];
      case 'param':
        assignable(this.#substitutions, [DYN], [range]);
        return [DYN, DYN];
      case 'dyn':
        return [DYN, DYN];
      case 'error':
        return [ERROR, ERROR];
      default: {
        const message = `expression of type '${this.#show(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#report(e.range, message);
        return [ERROR, ERROR];
      }
    }
  }

  #expect(e: Expr, found: Type, expected: Type): void {
    if (!assignable(this.#substitutions, [found], [expected]))
      this.#report(e, `expected type '${this.#show(expected)}' but found '${this.#show(found)}'`);
  }
}

function literalType(value: unknown): Type {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (typeof value === 'string') return STRING;
  if (value instanceof Uint) return UINT;
  if (value instanceof Bytes) return BYTES;
  return DYN;
}

/** Returns `a.b.c` as one name, if it consists only of selections. */
export function qualifiedName(e: Expr): string | undefined {
  if (e.kind === 'ident') return e.name;
  if (e.kind !== 'select' || e.test) return undefined;
  const prefix = qualifiedName(e.operand);
  return prefix === undefined ? undefined : `${prefix}.${e.field}`;
}
