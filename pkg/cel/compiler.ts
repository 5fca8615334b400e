import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.js';
import { and, hasField, invoke, membership, or, otherwise, selectField } from './calls.js';
import type { Checked } from './checker.js';
import type { Environment } from './environment.js';
import { Frame, type Step } from './frame.js';
import { append, appended, loop } from './loops.js';
import { elementAt, optionalElement, StructValue } from './operations.js';
import { LIST_BASE, MAP_BASE, STRUCT_BASE } from './runtimecost.js';
import {
  ArrayList,
  Bytes,
  EntryMap,
  entryText,
  fail,
  isError,
  List,
  mapFrom,
  NO_OVERLOAD,
  noOverload,
  Optional,
  typeName,
  type Value,
} from './values.js';
import { each, type Pass, type Visit } from './walk.js';

/** An expression with an invalid literal, found when it is compiled. */
export class CompileFailure extends Error {}

/** Functions whose second argument is a regular expression. A literal one is checked when the expression is compiled. */
const TAKE_PATTERN: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** Calls of these functions with literals are computed once, when the expression is compiled. */
const FOLDED: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'uint'],
]);

/** The value of a name that has not been read. */
const UNREAD = fail('unread');

/** Builds the steps of a checked expression (`walk`). */
export class Compiler implements Pass<Step> {
  readonly #checked: Checked;
  readonly #env: Environment;
  readonly #scope: { readonly name: string; readonly slot: number; readonly read?: Step }[] = [];
  /** Values of steps that are constant. */
  readonly #constants = new Map<Step, Value>();
  /**
   * Attributes: steps that read a variable or a part of a value. Each further part costs one unit. Each attribute also
   * has a step without the unit for the variable, which is not counted if the attribute is a key or a branch of a
   * conditional.
   */
  readonly #attributes = new Map<Step, () => Step>();
  #loops = 0;
  slots = 0;

  constructor(checked: Checked, env: Environment) {
    this.#checked = checked;
    this.#env = env;
  }

  #constant(value: Value): Step {
    const step = () => value;
    this.#constants.set(step, value);
    return step;
  }

  #attribute(step: Step, bare: () => Step): Step {
    this.#attributes.set(step, bare);
    return step;
  }

  #bare(step: Step): Step {
    return this.#attributes.get(step)?.() ?? step;
  }

  leaf(e: Expr): Step | undefined {
    if (e.kind === 'literal') return this.#constant(e.value);
    if (e.kind === 'ident') return this.#ident(e.name, e.id);
    const name = e.kind === 'select' ? this.#checked.names.get(e.id) : undefined;
    return name === undefined ? undefined : this.#ident(name, e.id);
  }

  visit(e: Expr): Visit<Step> {
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
        return isBinding(e) ? this.#binding(e) : this.#comprehension(e);
      default:
        throw new Error(`a ${e.kind} has no parts`);
    }
  }

  *#select(e: SelectExpr): Visit<Step> {
    const { counted, bare } = this.#operand(yield e.operand);
    if (e.test) return hasField(counted, e.field);
    return this.#attribute(selectField(counted, e.field), () => selectField(bare(), e.field));
  }

  /** The operand of a selection. An operand that is not an attribute costs one unit. */
  #operand(step: Step): { readonly counted: Step; readonly bare: () => Step } {
    const bare = this.#attributes.get(step);
    if (bare !== undefined) return { counted: step, bare };
    const counted: Step = (f) => {
      const value = step(f);
      f.spend(1);
      return value;
    };
    return { counted, bare: () => step };
  }

  #ident(name: string, id: number): Step {
    for (let i = this.#scope.length - 1; i >= 0; i--) {
      const { name: found, slot, read } = this.#scope[i]!;
      if (found !== name) continue;
      if (read !== undefined) return this.#variable(read);
      return this.#attribute(
        (f) => {
          f.spend(1);
          return f.slots[slot]!;
        },
        () => (f) => f.slots[slot]!,
      );
    }
    const plain = this.#checked.names.get(id) ?? name;
    if (!this.#env.variables.has(plain)) {
      const constant = this.#env.constants.get(plain);
      if (constant !== undefined) return this.#constant(constant.value);
      if (this.#env.isTypeOnly(plain)) throw new CompileFailure(`reference to undefined type: ${plain}`);
    }
    const bare: Step = (f) => {
      const value = f.variables(plain);
      return value === undefined ? fail(`no such attribute(s): ${plain}`) : value;
    };
    return this.#variable(bare);
  }

  #variable(bare: Step): Step {
    const counted: Step = (f) => {
      const value = bare(f);
      f.spend(1);
      return value;
    };
    return this.#attribute(counted, () => bare);
  }

  *#list({ elements, optional }: ListExpr): Visit<Step> {
    const steps = yield* each<Step>(elements);
    if (optional.size === 0 && steps.every((s) => this.#constants.has(s)))
      return this.#constant(new ArrayList(steps.map((s) => this.#constants.get(s)!)));
    return (f) => {
      const items: Value[] = [];
      for (let i = 0; i < steps.length; i++) {
        const value = steps[i]!(f);
        if (isError(value)) {
          f.spend(LIST_BASE);
          return value;
        }
        if (!optional.has(i)) items.push(value);
        else if (!(value instanceof Optional)) return NO_OVERLOAD;
        else if (value.value !== undefined) items.push(value.value);
      }
      f.spend(LIST_BASE);
      return new ArrayList(items);
    };
  }

  *#map(e: MapExpr): Visit<Step> {
    const steps: { readonly key: Step; readonly value: Step; readonly optional: boolean }[] = [];
    for (const { key, value, optional } of e.entries) steps.push({ key: yield key, value: yield value, optional });
    const make: Step = (f) => {
      const entries = new Map<string, readonly [Value, Value]>();
      for (const step of steps) {
        const key = step.key(f);
        let value = isError(key) ? key : step.value(f);
        if (isError(value)) {
          f.spend(MAP_BASE);
          return value;
        }
        if (step.optional) {
          if (!(value instanceof Optional)) return NO_OVERLOAD;
          if (value.value === undefined) continue;
          value = value.value;
        }
        // Lists and maps are equal to no other key.
        const text = entryText(key) ?? (key instanceof Bytes ? undefined : `#${entries.size}`);
        if (text === undefined) return fail(`unsupported key type: ${typeName(key)}`);
        entries.set(text, [key, value]);
      }
      f.spend(MAP_BASE);
      return new EntryMap(entries);
    };
    const isConstant = steps.every((s) => !s.optional && this.#constants.has(s.key) && this.#constants.has(s.value));
    if (!isConstant) return make;
    const value = make(new Frame(() => undefined, 0, Number.POSITIVE_INFINITY));
    return isError(value) ? make : this.#constant(value);
  }

  *#struct(e: StructExpr): Visit<Step> {
    const fields: { readonly name: string; readonly optional: boolean; readonly step: Step }[] = [];
    for (const { name, optional, value } of e.fields) fields.push({ name, optional, step: yield value });
    const name = e.name.startsWith('.') ? e.name.slice(1) : e.name;
    return (f) => {
      const found: (readonly [string, Value])[] = [];
      for (const field of fields) {
        const value = field.step(f);
        if (isError(value)) return value;
        if (!field.optional) found.push([field.name, value]);
        else if (!(value instanceof Optional)) return NO_OVERLOAD;
        else if (value.value !== undefined) found.push([field.name, value.value]);
      }
      f.spend(STRUCT_BASE);
      return new StructValue(name, mapFrom(found));
    };
  }

  #call(e: CallExpr): Visit<Step> {
    switch (e.name) {
      case '_&&_':
        return this.#logical(e, and);
      case '_||_':
        return this.#logical(e, or);
      case '_?_:_':
        return this.#conditional(e);
      case '_[_]':
        return this.#index(e, elementOf);
      case '_?._':
      case '_[?_]':
        return this.#index(e, optionalElementOf);
      default:
        return this.#function(e);
    }
  }

  *#logical(e: CallExpr, of: (operands: readonly Step[]) => Step): Visit<Step> {
    return of([yield e.args[0]!, yield e.args[1]!]);
  }

  *#function(e: CallExpr): Visit<Step> {
    const name = this.#checked.functions.get(e.id) ?? e.name;
    const isMethod = e.target !== undefined && !this.#checked.functions.has(e.id);
    const args: Step[] = [];
    if (isMethod) args.push(yield e.target!);
    for (const arg of e.args) args.push(yield arg);
    const declaration = this.#env.functions.get(name);
    if (declaration?.overloads.some((o) => o.args.length === args.length && o.method === isMethod) !== true)
      return () => noOverload(name);
    const overloads = this.#checked.overloads.get(e.id) ?? [];
    const overload = overloads.length === 1 ? overloads[0]! : '';
    if (isMethod && (name === 'or' || name === 'orValue') && args.length === 2)
      return otherwise(name, args[0]!, args[1]!);
    const within = name === '@in' ? this.#constants.get(args[1]!) : undefined;
    if (within instanceof List && within.size === 0 && overload === 'in_list') return this.#constant(false);
    if (name === '@in' && this.#constants.get(args[1]!) instanceof List && overload === 'in_list')
      return membership(args[0]!, this.#constants.get(args[1]!) as List);
    const call = declaration.bySignature?.[overload] ?? declaration.call;
    const hasPattern = TAKE_PATTERN.has(name) && typeof this.#constants.get(args[1]!) === 'string';
    const step = invoke({ name, overload, call, nonStrict: declaration.nonStrict, hasPattern, args });
    return this.#fold(name, e, step, args);
  }

  /** Conversions of literals, and patterns that are literals, fail when the expression is compiled. */
  #fold(name: string, e: CallExpr, step: Step, args: readonly Step[]): Step {
    const pattern = TAKE_PATTERN.has(name) ? this.#constants.get(args[1]!) : undefined;
    if (pattern !== undefined) {
      const result = this.#env.functions.get('matches')!.call('', pattern);
      if (isError(result) && !result.noOverload) throw new CompileFailure(result.message);
      return step;
    }
    if (!FOLDED.has(name) || e.args.length !== 1 || !this.#constants.has(args[0]!)) return step;
    const value = step(new Frame(() => undefined, 0, Number.POSITIVE_INFINITY));
    if (isError(value)) throw new CompileFailure(value.message);
    return this.#constant(value);
  }

  *#conditional(e: CallExpr): Visit<Step> {
    const condition = yield e.args[0]!;
    const yes = this.#bare(yield e.args[1]!);
    const no = this.#bare(yield e.args[2]!);
    const step: Step = (f) => {
      const decided = condition(f);
      if (decided === true) return yes(f);
      if (decided === false) return no(f);
      return isError(decided) ? decided : NO_OVERLOAD;
    };
    return this.#attribute(step, () => step);
  }

  *#index(e: CallExpr, part: (container: Step, key: Step) => Step): Visit<Step> {
    const { counted, bare } = this.#operand(yield e.args[0]!);
    const key = this.#bare(yield e.args[1]!);
    return this.#attribute(part(counted, key), () => part(bare(), key));
  }

  *#comprehension(e: ComprehensionExpr): Visit<Step> {
    const range = yield e.range;
    const init = yield e.init;
    const number = this.#loops++;
    const accumulator = this.slots++;
    this.#scope.push({ name: e.accuVar, slot: accumulator });
    const first = this.slots++;
    this.#scope.push({ name: e.iterVar, slot: first });
    const second = e.iterVar2 === undefined ? undefined : this.slots++;
    if (e.iterVar2 !== undefined) this.#scope.push({ name: e.iterVar2, slot: second! });
    const condition = yield e.condition;
    const step = (yield* this.#append(e, accumulator)) ?? (yield e.step);
    const end = this.#loops;
    this.#scope.pop();
    if (e.iterVar2 !== undefined) this.#scope.pop();
    const result = yield e.result;
    this.#scope.pop();
    return loop({ expr: e, number, end, range, init, condition, step, result, accumulator, first, second });
  }

  /** The value is computed when the result first reads it. */
  *#binding(e: ComprehensionExpr): Visit<Step> {
    const init = yield e.init;
    const slot = this.slots++;
    const read: Step = (f) => {
      const known = f.slots[slot]!;
      if (known !== UNREAD) return known;
      const value = init(f);
      f.slots[slot] = value;
      return value;
    };
    this.#scope.push({ name: e.accuVar, slot, read });
    const result = yield e.result;
    this.#scope.pop();
    return (f) => {
      f.slots[slot] = UNREAD;
      return result(f);
    };
  }

  *#append(e: ComprehensionExpr, accumulator: number): Generator<Expr, Step | undefined, Step> {
    const add = appended(e.step);
    if (e.init.kind !== 'list' || e.init.elements.length > 0 || add === undefined) return undefined;
    const element = yield add.element;
    const filter = add.filter === undefined ? undefined : yield add.filter;
    return append({ element, isConstant: this.#constants.has(element), filter, accumulator });
  }
}

/** A loop over nothing gives a value a name. */
const isBinding = (e: ComprehensionExpr): boolean => e.range.kind === 'list' && e.range.elements.length === 0;

/** `container[key]`; an optional container gives an optional element. */
function elementOf(container: Step, key: Step): Step {
  return (f) => {
    const of = container(f);
    if (isError(of)) return of;
    if (of instanceof Optional) return of.value === undefined ? of : presentElement(of.value, key, f);
    const at = key(f);
    f.spend(1);
    return isError(at) ? at : elementAt(of, at);
  };
}

/** `container[?key]`. */
function optionalElementOf(container: Step, key: Step): Step {
  return (f) => {
    const found = container(f);
    if (isError(found)) return found;
    const of = found instanceof Optional ? found.value : found;
    return of === undefined ? Optional.NONE : presentElement(of, key, f);
  };
}

/** An absent element costs only what its key costs. */
function presentElement(of: Value, key: Step, f: Frame): Value {
  const at = key(f);
  if (isError(at)) return at;
  const element = optionalElement(of, at);
  if (element instanceof Optional && element !== Optional.NONE) f.spend(1);
  return element;
}
