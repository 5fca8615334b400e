import type { Frame, Step } from './frame.js';
import { isCheapSearch, searches } from './library/regex.js';
import { contains, fieldOf, hasFields, listIndex, orMissing } from './operations.js';
import { costOfCalls } from './runtimecost.js';
import { fail, isError, keyText, List, NO_OVERLOAD, Optional, type Value } from './values.js';

/** Steps of an evaluation: calls, logic, fields. */

export interface Invocation {
  readonly name: string;
  readonly overload: string;
  readonly call: (...args: Value[]) => Value;
  readonly nonStrict: boolean;
  /** The pattern of the call is a literal. The other argument is then evaluated first, and an error of it is the result without a cost. */
  readonly hasPattern: boolean;
  readonly args: readonly Step[];
}

/** Functions of two arguments that have one implementation for all signatures. */
const OPERATORS: ReadonlySet<string> = new Set([
  ...['_+_', '_-_', '_*_', '_/_', '_%_', '_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '@in'],
  ...['contains', 'startsWith', 'endsWith', 'matches'],
]);

/**
 * A call. Functions of one or two arguments evaluate all arguments at their full cost even if one is an error; the
 * others, and those whose signature the types do not decide, end at the first error.
 */
export function invoke({ name, overload, call, nonStrict, hasPattern, args }: Invocation): Step {
  const cost = costOfCalls(name, overload);
  const search = Object.hasOwn(searches, name) ? searches[name] : undefined;
  const done = (f: Frame, values: readonly Value[]): Value =>
    search === undefined || isCheapSearch(name, values) ? call(...values) : f.complete(name, values, search);
  if (args.length === 1 && !nonStrict) {
    const only = args[0]!;
    return (f) => {
      const a = only(f);
      if (cost === undefined) {
        f.spend(1);
        return isError(a) ? a : call(a);
      }
      const all = [a];
      f.spend(cost.before(all));
      const result = isError(a) ? a : call(a);
      if (cost.after !== undefined) f.spend(cost.after(all, result));
      return result;
    };
  }
  if (
    args.length === 2 &&
    !nonStrict &&
    !hasPattern &&
    (OPERATORS.has(name) || (overload !== '' && name !== 'format'))
  ) {
    const [first, second] = args as [Step, Step];
    return (f) => {
      const a = first(f);
      const b = second(f);
      if (cost === undefined) {
        f.spend(1);
        return isError(a) ? a : isError(b) ? b : call(a, b);
      }
      const both = [a, b];
      f.spend(cost.before(both));
      const result = isError(a) ? a : isError(b) ? b : search === undefined ? call(a, b) : done(f, both);
      if (cost.after !== undefined) f.spend(cost.after(both, result));
      return result;
    };
  }
  return (f) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(f);
      values.push(value);
      // The error of the last argument is the result of a call that costs; others end before it.
      if (!nonStrict && isError(value) && values.length < args.length) return value;
    }
    f.spend(cost === undefined ? 1 : cost.before(values));
    const last = values.at(-1);
    const result = !nonStrict && last !== undefined && isError(last) ? last : done(f, values);
    if (cost?.after !== undefined) f.spend(cost.after(values, result));
    return hasPattern && isError(result) && result.noOverload ? NO_OVERLOAD : result;
  };
}

/** `x in [literals]`, by a table. */
export function membership(element: Step, list: List): Step {
  const keys = new Set<string>();
  const all: Value[] = [];
  let others = false;
  for (let i = 0; i < list.size; i++) {
    const text = memberText(list.at(i));
    if (text === undefined) others = true;
    else keys.add(text);
    all.push(list.at(i));
  }
  if (others)
    return invoke({
      name: '@in',
      overload: 'in_list',
      call: contains,
      nonStrict: false,
      hasPattern: false,
      args: [element, () => list],
    });
  return (f) => {
    const value = element(f);
    if (isError(value)) return value;
    const text = memberText(value);
    return text !== undefined && keys.has(text) && !Number.isNaN(value);
  };
}

/** Equal values have the same text; only NaN does not equal itself. */
const memberText = (value: Value): string | undefined =>
  typeof value === 'number' ? (keyText(value) ?? `d${value}`) : keyText(value);

export function and(steps: readonly Step[]): Step {
  return decide(steps, false);
}

export function or(steps: readonly Step[]): Step {
  return decide(steps, true);
}

/** One operand with the value `decisive` decides, whatever the others are, even errors. */
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

/** An optional part that is absent costs nothing. */
export function selectField(operand: Step, field: string): Step {
  return (f) => {
    const value = operand(f);
    if (isError(value)) return value;
    if (value instanceof Optional) {
      if (value.value === undefined) return value;
      if (!hasFields(value.value)) return fail(`no such key: ${field}`);
      const found = fieldOf(value.value, field);
      if (found === undefined) return Optional.NONE;
      f.spend(1);
      return new Optional(found);
    }
    f.spend(1);
    return value instanceof List ? listIndex(field) : orMissing(fieldOf(value, field), field);
  };
}

export function hasField(operand: Step, field: string): Step {
  return (f) => {
    const value = operand(f);
    if (isError(value)) return value;
    if (value instanceof Optional) return value.value !== undefined && fieldOf(value.value, field) !== undefined;
    return value instanceof List ? listIndex(field) : fieldOf(value, field) !== undefined;
  };
}

/** `optional.or(other)` and `optional.orValue(value)`: the second operand is evaluated only if the first has no value. */
export function otherwise(name: 'or' | 'orValue', optional: Step, other: Step): Step {
  return (f) => {
    const value = optional(f);
    if (isError(value)) return value;
    if (!(value instanceof Optional)) return NO_OVERLOAD;
    if (value.value === undefined) return other(f);
    return name === 'or' ? value : value.value;
  };
}
