import { ACCUMULATOR, type ComprehensionExpr, type Expr } from './ast.js';
import type { Frame, LoopState, Step } from './frame.js';
import { goType } from './operations.js';
import { LIST_BASE } from './runtimecost.js';
import { Suspended } from './suspended.js';
import { CelError, CelMap, fail, isError, List, NO_OVERLOAD, type Value } from './values.js';

/** The steps of a comprehension, and the slots of its variables. */
export interface Loop {
  readonly expr: ComprehensionExpr;
  /** The number of the loop. Loops in its condition and step have the numbers up to `end`. */
  readonly number: number;
  readonly end: number;
  readonly range: Step;
  readonly init: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accumulator: number;
  readonly first: number;
  /** The slot of the second variable; undefined if there is one variable. */
  readonly second: number | undefined;
}

export function loop(of: Loop): Step {
  const { number } = of;
  return (f) => {
    const done = f.finished(number);
    if (done !== undefined) {
      f.cost = done.cost;
      return done.value;
    }
    const since = f.cost;
    const state = f.resume(number) ?? begin(of, f);
    if (state instanceof CelError) return state;
    const value = run(of, f, state);
    f.finish(number, value, since);
    return value;
  };
}

/** The state before the first iteration, or the error of the range. */
function begin({ range, init, second }: Loop, f: Frame): LoopState | CelError {
  const over = range(f);
  if (isError(over)) return over;
  if (!(over instanceof CelMap) && !(over instanceof List))
    return fail(
      second !== undefined
        ? `unsupported comprehension range type: ${goType(over)}`
        : `got '${goType(over)}', expected iterable type`,
    );
  return { over, next: 0, accumulator: init(f), cost: f.cost };
}

function run(of: Loop, f: Frame, state: LoopState): Value {
  const { slots } = f;
  const { accumulator, first, second, condition, step } = of;
  const over = state.over as CelMap | List;
  const keys = over instanceof CelMap ? over.keys() : undefined;
  const count = over.size;
  let i = state.next;
  let { cost } = state;
  slots[accumulator] = state.accumulator;
  try {
    for (; i < count; i++) {
      cost = f.cost;
      if (cost >= f.checkAt) f.pause();
      if (keys !== undefined) {
        slots[first] = keys[i]!;
        if (second !== undefined) slots[second] = (over as CelMap).find(keys[i]!)!;
      } else if (second !== undefined) {
        slots[first] = BigInt(i);
        slots[second] = (over as List).at(i);
      } else slots[first] = (over as List).at(i);
      if (condition(f) === false) {
        i = count;
        break;
      }
      slots[accumulator] = step(f);
      f.forget(of.number + 1, of.end);
    }
    cost = f.cost;
    return of.result(f);
  } catch (error) {
    if (error instanceof Suspended) f.interrupt(of.number, { over, next: i, accumulator: slots[accumulator]!, cost });
    throw error;
  }
}

interface Append {
  readonly element: Step;
  readonly isConstant: boolean;
  readonly filter: Step | undefined;
  readonly accumulator: number;
}

/** `@result + [e]` adds to the list in place: no other value refers to the accumulator. */
export function append({ element, isConstant, filter, accumulator }: Append): Step {
  // A list of a constant is a constant.
  const added = isConstant ? 1 : LIST_BASE + 1;
  return (f) => {
    if (filter !== undefined) {
      const decided = filter(f);
      if (isError(decided)) return decided;
      if (typeof decided !== 'boolean') return NO_OVERLOAD;
      if (!decided) return f.slots[accumulator]!;
    }
    f.spend(1);
    const before = f.slots[accumulator]!;
    const value = element(f);
    f.spend(added);
    if (isError(before)) return before;
    if (isError(value)) return value;
    if (before instanceof GrowingList) {
      before.items.push(value);
      return before;
    }
    return new GrowingList([value]);
  };
}

export class GrowingList extends List {
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
export function appended(step: Expr): { readonly element: Expr; readonly filter: Expr | undefined } | undefined {
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
