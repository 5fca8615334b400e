import { ACCUMULATOR, type CallExpr, type ComprehensionExpr, type Expr } from './ast.js';
import type { Checked } from './checker.js';
import type { Environment } from './environment.js';
import {
  contains,
  elementAt,
  fieldOf,
  goName,
  hasFields,
  optionalElement,
  orMissing,
  StructValue,
} from './operations.js';
import { callCost, LIST_BASE, MAP_BASE, STRUCT_BASE } from './runtimecost.js';
import {
  ArrayList,
  CelMap,
  EntryMap,
  fail,
  isError,
  keyText,
  List,
  mapFrom,
  NO_OVERLOAD,
  noOverload,
  Optional,
  typeName,
  type Value,
} from './values.js';

/** Values of variables by name. Undefined is a variable that the caller did not set. */
export type Variables = (name: string) => Value | undefined;

export interface Outcome {
  readonly value: Value;
  /** Cost units used. */
  readonly cost: number;
}

/** Thrown when an expression used up its cost limit. Only `Program.run` catches it. */
class CostExceeded extends Error {}

/** What one evaluation knows. */
export class Frame {
  readonly variables: Variables;
  readonly slots: Value[];
  cost = 0;
  readonly #limit: number;

  constructor(variables: Variables, slots: number, limit: number) {
    this.variables = variables;
    this.slots = new Array<Value>(slots).fill(null);
    this.#limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}

type Step = (f: Frame) => Value;

export class CompileFailure extends Error {}

/** An expression compiled to closures. It holds no state: any number of evaluations may share it. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  constructor(expr: Expr, checked: Checked, env: Environment) {
    const compiler = new Compiler(checked, env);
    this.#step = compiler.compile(expr);
    this.#slots = compiler.slots;
  }

  /** Evaluates. Beyond `costLimit` units the value is an error. */
  run(variables: Variables, costLimit: number = Number.POSITIVE_INFINITY): Outcome {
    const frame = new Frame(variables, this.#slots, costLimit);
    try {
      return { value: this.#step(frame), cost: frame.cost };
    } catch (error) {
      if (error instanceof CostExceeded) return { value: COST_EXCEEDED, cost: frame.cost };
      throw error;
    }
  }
}

export const COST_EXCEEDED = fail('operation cancelled: actual cost limit exceeded');

/** Calls of these with literals are computed once, when the expression is compiled. */
const FOLDED: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'uint'],
]);

class Compiler {
  readonly #checked: Checked;
  readonly #env: Environment;
  readonly #scope: { readonly name: string; readonly slot: number }[] = [];
  /** Values of steps that are constant. */
  readonly #constants = new Map<Step, Value>();
  /** Steps that read a variable or a field of one: a further field costs one unit and nothing else. */
  readonly #attributes = new Set<Step>();
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

  #attribute(step: Step): Step {
    this.#attributes.add(step);
    return step;
  }

  compile(e: Expr): Step {
    switch (e.kind) {
      case 'literal':
        return this.#constant(e.value);
      case 'ident':
        return this.#ident(e.name, e.id);
      case 'select': {
        const name = this.#checked.names.get(e.id);
        if (name !== undefined) return this.#ident(name, e.id);
        const operand = this.#operand(e.operand);
        return e.test ? hasField(operand, e.field) : this.#attribute(selectField(operand, e.field));
      }
      case 'call':
        return this.#call(e);
      case 'list':
        return this.#list(e.elements, e.optional);
      case 'map':
        return this.#map(e);
      case 'struct':
        return this.#struct(e);
      case 'comprehension':
        return this.#comprehension(e);
    }
  }

  /** The operand of a selection; one that is no variable costs a unit to become one. */
  #operand(e: Expr): Step {
    const step = this.compile(e);
    if (this.#attributes.has(step)) return step;
    return (f) => {
      const value = step(f);
      f.spend(1);
      return value;
    };
  }

  #ident(name: string, id: number): Step {
    for (let i = this.#scope.length - 1; i >= 0; i--) {
      const { name: found, slot } = this.#scope[i]!;
      if (found !== name) continue;
      return this.#attribute((f) => {
        f.spend(1);
        return f.slots[slot]!;
      });
    }
    const plain = this.#checked.names.get(id) ?? name;
    if (!this.#env.variables.has(plain)) {
      const constant = this.#env.constants.get(plain);
      if (constant !== undefined) return this.#constant(constant.value);
    }
    return this.#attribute((f) => {
      f.spend(1);
      const value = f.variables(plain);
      return value === undefined ? fail(`no such attribute(s): ${plain}`) : value;
    });
  }

  #list(elements: readonly Expr[], optional: ReadonlySet<number>): Step {
    const steps = elements.map((e) => this.compile(e));
    if (optional.size === 0 && steps.every((s) => this.#constants.has(s)))
      return this.#constant(new ArrayList(steps.map((s) => this.#constants.get(s)!)));
    return (f) => {
      const items: Value[] = [];
      for (let i = 0; i < steps.length; i++) {
        const value = steps[i]!(f);
        if (isError(value)) return value;
        if (!optional.has(i)) items.push(value);
        else if (!(value instanceof Optional)) return NO_OVERLOAD;
        else if (value.value !== undefined) items.push(value.value);
      }
      f.spend(LIST_BASE);
      return new ArrayList(items);
    };
  }

  #map(e: Expr & { kind: 'map' }): Step {
    const steps = e.entries.map((entry) => ({
      key: this.compile(entry.key),
      value: this.compile(entry.value),
      optional: entry.optional,
    }));
    const make: Step = (f) => {
      const entries = new Map<string, readonly [Value, Value]>();
      for (const step of steps) {
        const key = step.key(f);
        if (isError(key)) return key;
        let value = step.value(f);
        if (isError(value)) return value;
        if (step.optional) {
          if (!(value instanceof Optional)) return NO_OVERLOAD;
          if (value.value === undefined) continue;
          value = value.value;
        }
        const text = keyText(key);
        if (text === undefined || typeof key === 'number') return fail(`unsupported key type: ${typeName(key)}`);
        if (entries.has(text)) return fail(`Failed with repeated key`);
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

  #struct(e: Expr & { kind: 'struct' }): Step {
    const fields = e.fields.map((field) => ({ ...field, step: this.compile(field.value) }));
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

  #call(e: CallExpr): Step {
    switch (e.name) {
      case '_&&_':
        return and(e.args.map((a) => this.compile(a)));
      case '_||_':
        return or(e.args.map((a) => this.compile(a)));
      case '_?_:_':
        return this.#conditional(e);
      case '_[_]':
        return this.#attribute(this.#index(e));
      case '_?._':
      case '_[?_]':
        return this.#attribute(this.#optionalIndex(e));
    }
    const name = this.#checked.functions.get(e.id) ?? e.name;
    const isMethod = e.target !== undefined && !this.#checked.functions.has(e.id);
    const args = (isMethod ? [e.target!, ...e.args] : e.args).map((a) => this.compile(a));
    const declaration = this.#env.functions.get(name);
    if (declaration?.overloads.some((o) => o.args.length === args.length && o.method === isMethod) !== true)
      return () => noOverload(name);
    const overloads = this.#checked.overloads.get(e.id) ?? [];
    const overload = overloads.length === 1 ? overloads[0]! : '';
    if (name === '@in' && this.#constants.get(args[1]!) instanceof List && overload === 'in_list')
      return membership(args[0]!, this.#constants.get(args[1]!) as List);
    const step = invoke({ name, overload, call: declaration.call, nonStrict: declaration.nonStrict, args });
    return this.#fold(name, e, step, args);
  }

  /** Conversions of literals and patterns that are literals fail when the expression is compiled. */
  #fold(name: string, e: CallExpr, step: Step, args: readonly Step[]): Step {
    const pattern = name === 'matches' && this.#constants.has(args.at(-1)!);
    if (pattern) {
      const result = this.#env.functions.get(name)!.call('', this.#constants.get(args.at(-1)!)!);
      if (isError(result) && !result.noOverload) throw new CompileFailure(result.message);
      return step;
    }
    if (!FOLDED.has(name) || e.args.length !== 1 || !this.#constants.has(args[0]!)) return step;
    const value = step(new Frame(() => undefined, 0, Number.POSITIVE_INFINITY));
    if (isError(value)) throw new CompileFailure(value.message);
    return this.#constant(value);
  }

  #conditional(e: CallExpr): Step {
    const [condition, yes, no] = e.args.map((a) => this.compile(a)) as [Step, Step, Step];
    return (f) => {
      const decided = condition(f);
      if (decided === true) return yes(f);
      if (decided === false) return no(f);
      return isError(decided) ? decided : NO_OVERLOAD;
    };
  }

  #index(e: CallExpr): Step {
    const operand = this.#operand(e.args[0]!);
    const index = this.compile(e.args[1]!);
    return (f) => {
      const container = operand(f);
      if (isError(container)) return container;
      const key = index(f);
      if (isError(key)) return key;
      f.spend(1);
      if (container instanceof Optional)
        return container.value === undefined ? container : optionalElement(container.value, key);
      return elementAt(container, key);
    };
  }

  #optionalIndex(e: CallExpr): Step {
    const operand = this.#operand(e.args[0]!);
    const index = this.compile(e.args[1]!);
    return (f) => {
      const found = operand(f);
      if (isError(found)) return found;
      const container = found instanceof Optional ? found.value : found;
      if (container === undefined) return Optional.NONE;
      const key = index(f);
      if (isError(key)) return key;
      f.spend(1);
      return optionalElement(container, key);
    };
  }

  #comprehension(e: ComprehensionExpr): Step {
    const range = this.compile(e.range);
    const init = this.compile(e.init);
    const accumulator = this.slots++;
    this.#scope.push({ name: e.accuVar, slot: accumulator });
    const first = this.slots++;
    const second = this.slots++;
    this.#scope.push({ name: e.iterVar, slot: first });
    if (e.iterVar2 !== undefined) this.#scope.push({ name: e.iterVar2, slot: second });
    const condition = this.compile(e.condition);
    const step = this.#append(e, accumulator) ?? this.compile(e.step);
    this.#scope.pop();
    if (e.iterVar2 !== undefined) this.#scope.pop();
    const result = this.compile(e.result);
    this.#scope.pop();
    const two = e.iterVar2 !== undefined;
    return (f) => {
      const over = range(f);
      if (isError(over)) return over;
      const { slots } = f;
      const isMap = over instanceof CelMap;
      if (!isMap && !(over instanceof List))
        return two ? fail(`unsupported comprehension range type: types.${goName(over)}`) : NO_OVERLOAD;
      const keys = isMap ? over.keys() : undefined;
      const count = isMap ? keys!.length : (over as List).size;
      slots[accumulator] = init(f);
      for (let i = 0; i < count; i++) {
        if (isMap) {
          slots[first] = keys![i]!;
          if (two) slots[second] = over.find(keys![i]!)!;
        } else if (two) {
          slots[first] = BigInt(i);
          slots[second] = (over as List).at(i);
        } else slots[first] = (over as List).at(i);
        const go = condition(f);
        if (go === false) break;
        slots[accumulator] = step(f);
        if (isError(slots[accumulator]!) && !nonStrictFold(e)) return slots[accumulator]!;
      }
      return result(f);
    };
  }

  /** `@result + [e]` adds to the list in place: nobody else sees the accumulator. */
  #append(e: ComprehensionExpr, accumulator: number): Step | undefined {
    const add = appended(e.step);
    if (e.init.kind !== 'list' || e.init.elements.length > 0 || add === undefined) return undefined;
    const element = this.compile(add.element);
    const filter = add.filter === undefined ? undefined : this.compile(add.filter);
    return (f) => {
      if (filter !== undefined) {
        const decided = filter(f);
        if (isError(decided)) return decided;
        if (typeof decided !== 'boolean') return NO_OVERLOAD;
        if (!decided) {
          f.spend(1);
          return f.slots[accumulator]!;
        }
      }
      f.spend(1);
      const before = f.slots[accumulator]!;
      const value = element(f);
      if (isError(value)) return value;
      f.spend(LIST_BASE + 1);
      if (before instanceof GrowingList) {
        before.items.push(value);
        return before;
      }
      return new GrowingList([value]);
    };
  }
}

class GrowingList extends List {
  readonly items: Value[];

  constructor(items: Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(i: number): Value {
    return this.items[i]!;
  }
}

/** The element of a step `@result + [element]`, or `filter ? @result + [element] : @result`. */
function appended(step: Expr): { readonly element: Expr; readonly filter: Expr | undefined } | undefined {
  if (step.kind !== 'call') return undefined;
  if (step.name === '_?_:_') {
    const inner = appended(step.args[1]!);
    const otherwise = step.args[2]!;
    if (inner === undefined || otherwise.kind !== 'ident' || otherwise.name !== ACCUMULATOR) return undefined;
    return { element: inner.element, filter: step.args[0]! };
  }
  const [left, right] = step.args;
  if (step.name !== '_+_' || left?.kind !== 'ident' || left.name !== ACCUMULATOR) return undefined;
  if (right?.kind !== 'list' || right.elements.length !== 1 || right.optional.size > 0) return undefined;
  return { element: right.elements[0]!, filter: undefined };
}

/** `all` and `exists` go on after an error: a later element may decide. */
function nonStrictFold(e: ComprehensionExpr): boolean {
  return e.condition.kind === 'call' && e.condition.name === '@not_strictly_false';
}

interface Invocation {
  readonly name: string;
  readonly overload: string;
  readonly call: (...args: Value[]) => Value;
  readonly nonStrict: boolean;
  readonly args: readonly Step[];
}

function invoke({ name, overload, call, nonStrict, args }: Invocation): Step {
  if (args.length === 2 && !nonStrict) {
    const [first, second] = args as [Step, Step];
    return (f) => {
      const a = first(f);
      if (isError(a)) return a;
      const b = second(f);
      if (isError(b)) return b;
      const result = call(a, b);
      f.spend(callCost(name, overload, [a, b], result));
      return result;
    };
  }
  return (f) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(f);
      if (!nonStrict && isError(value)) return value;
      values.push(value);
    }
    const result = call(...values);
    f.spend(callCost(name, overload, values, result));
    return result;
  };
}

/** `x in [literals]`, by a table. */
function membership(element: Step, list: List): Step {
  const keys = new Set<string>();
  const all: Value[] = [];
  let others = false;
  for (let i = 0; i < list.size; i++) {
    const text = keyText(list.at(i));
    if (text === undefined) others = true;
    else keys.add(text);
    all.push(list.at(i));
  }
  if (others)
    return invoke({ name: '@in', overload: 'in_list', call: contains, nonStrict: false, args: [element, () => list] });
  return (f) => {
    const value = element(f);
    if (isError(value)) return value;
    const text = keyText(value);
    return text !== undefined && keys.has(text);
  };
}

function and(steps: readonly Step[]): Step {
  return decide(steps, false);
}

function or(steps: readonly Step[]): Step {
  return decide(steps, true);
}

/** One operand that is `decisive` decides, whatever the others are, even errors. */
function decide(steps: readonly Step[], decisive: boolean): Step {
  const [left, right] = steps as [Step, Step];
  return (f) => {
    const a = left(f);
    if (a === decisive) return decisive;
    const b = right(f);
    if (b === decisive) return decisive;
    if (typeof a === 'boolean' && typeof b === 'boolean') return !decisive;
    if (isError(a)) return a;
    if (isError(b)) return b;
    return NO_OVERLOAD;
  };
}

function selectField(operand: Step, field: string): Step {
  return (f) => {
    const value = operand(f);
    if (isError(value)) return value;
    f.spend(1);
    if (value instanceof Optional) {
      if (value.value === undefined) return value;
      if (!hasFields(value.value)) return fail(`no such key: ${field}`);
      const found = fieldOf(value.value, field);
      return found === undefined ? Optional.NONE : new Optional(found);
    }
    return orMissing(fieldOf(value, field), field);
  };
}

function hasField(operand: Step, field: string): Step {
  return (f) => {
    const value = operand(f);
    if (isError(value)) return value;
    if (value instanceof Optional) return value.value !== undefined && fieldOf(value.value, field) !== undefined;
    return fieldOf(value, field) !== undefined;
  };
}
