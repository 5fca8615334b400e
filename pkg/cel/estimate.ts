import { finish, type Steps } from '../base/index.js';
import {
  type CallExpr,
  type ComprehensionExpr,
  children,
  type Expr,
  type ListExpr,
  type MapExpr,
  type SelectExpr,
} from './ast.js';
import type { Checked } from './checker.js';
import type { Compiled } from './compile.js';
import { callEstimate } from './estimatecalls.js';
import { add, exactly, factor, MAX, product, type Range, UNKNOWN, union, ZERO } from './range.js';
import { LIST_BASE, MAP_BASE, STRUCT_BASE, TRAVERSAL } from './runtimecost.js';
import type { Type } from './types.js';
import { Bytes } from './values.js';
import { type Pass, type Visit, walk } from './walk.js';

/**
 * Estimates the maximum cost of an expression before it runs, from the possible sizes of its inputs. The figures are
 * those of kube-apiserver 1.37, because they decide which definitions and device selectors a cluster accepts.
 */

/**
 * Returns the maximum size of the value at a path: elements of a list or map, characters of a string. A path starts
 * with the name of a variable; `@items`, `@values`, `@keys` and `@indices` are the parts of lists and maps. Undefined
 * if unknown.
 */
export type SizeOf = (path: readonly string[]) => number | undefined;

/** The information about an argument in the estimate of a call. */
export interface Operand {
  readonly expr: Expr | undefined;
  readonly type: Type;
  /** Undefined if the value is not reached through a variable. */
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
}

/** Returns the maximum cost of a checked expression, in cost units; 2^64 - 1 if it has no bound. */
export function estimateCost(compiled: Compiled, sizeOf: SizeOf): bigint {
  return finish(estimateCostSteps(compiled, sizeOf));
}

/** `estimateCost` in steps. */
export function* estimateCostSteps({ expr, checked }: Compiled, sizeOf: SizeOf): Steps<bigint> {
  return (yield* walk(expr, new Estimator(checked, sizeOf))).max;
}

const ONE = exactly(1n);

/**
 * A path that grows like slices in Go: a path that is extended twice may share its storage, and then the second
 * extension changes the first. The estimates of kube-apiserver depend on it for fields of one loop variable.
 */
class Path {
  static readonly NONE = new Path([], 0, 0);
  readonly #storage: string[];
  readonly length: number;
  readonly #capacity: number;

  private constructor(storage: string[], length: number, capacity: number) {
    this.#storage = storage;
    this.length = length;
    this.#capacity = capacity;
  }

  static of(name: string): Path {
    return new Path([name], 1, 1);
  }

  append(name: string): Path {
    const shares = this.length < this.#capacity;
    const storage = shares ? this.#storage : this.steps();
    storage[this.length] = name;
    return new Path(storage, this.length + 1, shares ? this.#capacity : Math.max(1, 2 * this.#capacity));
  }

  steps(): string[] {
    return this.#storage.slice(0, this.length);
  }
}

/** The sizes of the keys (or indices) and values of a list or map that an expression creates. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySize | undefined;
}

class Estimator implements Pass<Range> {
  readonly #checked: Checked;
  readonly #sizeOf: SizeOf;
  readonly #paths = new Map<number, Path>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeOf: SizeOf) {
    this.#checked = checked;
    this.#sizeOf = sizeOf;
  }

  leaf(e: Expr): Range | undefined {
    if (e.kind === 'literal') return ZERO;
    if (e.kind !== 'ident') return undefined;
    const name = this.#checked.names.get(e.id) ?? e.name;
    this.#paths.set(e.id, this.#local(name)?.path ?? Path.of(name));
    return ONE;
  }

  visit(e: Expr): Visit<Range> {
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
        return this.#sum(children(e), STRUCT_BASE);
      case 'comprehension':
        return isBinding(e) ? this.#binding(e) : this.#comprehension(e);
      default:
        throw new Error(`a ${e.kind} has no parts`);
    }
  }

  /** The size of the elements is that of literals: their own sizes are computed afterwards. */
  *#list(e: ListExpr): Visit<Range> {
    this.#entries.set(e.id, { isList: true, key: ONE, value: this.#joint(e.elements) });
    return yield* this.#sum(e.elements, LIST_BASE);
  }

  *#map(e: MapExpr): Visit<Range> {
    const sum = yield* this.#sum(children(e), MAP_BASE);
    const key = this.#joint(e.entries.map((entry) => entry.key));
    const value = this.#joint(e.entries.map((entry) => entry.value));
    this.#entries.set(e.id, { isList: false, key, value });
    return sum;
  }

  *#sum(parts: readonly Expr[], base: number): Visit<Range> {
    let sum = ZERO;
    for (const part of parts) sum = add(sum, yield part);
    return add(sum, exactly(base));
  }

  /** The size that any of the expressions can have. */
  #joint(parts: readonly Expr[]): Range {
    if (parts.length === 0) return ZERO;
    return parts.map((part) => this.#sizeOrUnknown(part)).reduce(union);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)!.pop();
  }

  #type(e: Expr): Type {
    return this.#checked.types.get(e.id) ?? { kind: 'dyn' };
  }

  #path(e: Expr): Path {
    const local = e.kind === 'ident' ? this.#local(e.name) : undefined;
    return local?.path ?? this.#paths.get(e.id) ?? Path.NONE;
  }

  *#select(e: SelectExpr): Visit<Range> {
    const name = this.#checked.names.get(e.id);
    if (name !== undefined && !e.test) {
      // A qualified name is one variable.
      this.#paths.set(e.id, this.#local(name)?.path ?? Path.of(name));
      return ONE;
    }
    const operand = yield e.operand;
    if (e.test) return operand;
    this.#paths.set(e.id, this.#path(e.operand).append(e.field));
    return hasFieldCost(this.#type(e.operand)) ? add(operand, ONE) : operand;
  }

  *#call(e: CallExpr): Visit<Range> {
    const isMethod = e.target !== undefined && !this.#checked.functions.has(e.id);
    const name = this.#checked.functions.get(e.id) ?? e.name;
    if (name === 'dyn' && !isMethod && e.args.length === 1) {
      const inner = yield e.args[0]!;
      this.#copySizes(e, e.args[0]!);
      return add(inner, ONE);
    }
    const costs: Range[] = [];
    const args: Operand[] = [];
    for (const arg of e.args) {
      costs.push(yield arg);
      args.push(this.#operand(arg));
    }
    const overloads = this.#checked.overloads.get(e.id) ?? [];
    if (overloads.length === 0) return ZERO;
    const target = isMethod ? yield e.target! : ZERO;
    const receiver = isMethod ? this.#operand(e.target!) : undefined;
    let total: Range | undefined;
    let size: Range | undefined;
    for (const overload of overloads) {
      const found = this.#overload(e, name, overload, receiver, args, costs);
      total = total === undefined ? found.cost : union(total, found.cost);
      if (found.size !== undefined) size = size === undefined ? found.size : union(size, found.size);
      if (overload === 'index_list' || overload === 'index_map') {
        size = this.#entrySizes(e.args[0]!)?.value;
        this.#paths.set(e.id, this.#path(e.args[0]!).append(overload === 'index_list' ? '@items' : '@values'));
      }
      size ??= this.#size(e);
    }
    if (size !== undefined) this.#sizes.set(e.id, size);
    return add(target, total!);
  }

  /** The cost of a call by one of its signatures, with that of its arguments. */
  #overload(
    e: CallExpr,
    name: string,
    overload: string,
    target: Operand | undefined,
    args: readonly Operand[],
    costs: readonly Range[],
  ): { readonly cost: Range; readonly size: Range | undefined } {
    const sum = costs.reduce(add, ZERO);
    const known = callEstimate({ name, overload, target, args, sizeOf: this.#sizeOf });
    if (known !== undefined) return { cost: add(known.cost, sum), size: known.size };
    switch (overload) {
      case 'logical_or':
      case 'logical_and':
        return { cost: { min: costs[0]!.min, max: sum.max }, size: undefined };
      case 'conditional': {
        const [condition, yes, no] = costs as [Range, Range, Range];
        this.#unionEntries(e, e.args[1]!, e.args[2]!);
        const size = union(args[1]!.size ?? UNKNOWN, args[2]!.size ?? UNKNOWN);
        return { cost: add(condition, union(yes, no)), size };
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const size = add(args[0]!.size ?? UNKNOWN, args[1]!.size ?? UNKNOWN);
        this.#unionEntries(e, e.args[0]!, e.args[1]!);
        return { cost: add(overload === 'add_list' ? ONE : factor(size, TRAVERSAL), sum), size };
      }
    }
    return { cost: add(ONE, sum), size: undefined };
  }

  #unionEntries(e: Expr, left: Expr, right: Expr): void {
    const a = this.#entrySizes(left);
    const b = this.#entrySizes(right);
    if (a === undefined || b === undefined) return;
    this.#entries.set(e.id, { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) });
  }

  *#comprehension(e: ComprehensionExpr): Visit<Range> {
    let sum = add(yield e.range, yield e.init);
    this.#pushValue(e.accuVar, e.init);
    if (e.iterVar2 === undefined) this.#pushIterated(e.iterVar, e.range, 'either');
    else {
      this.#pushIterated(e.iterVar, e.range, 'key');
      this.#pushIterated(e.iterVar2, e.range, 'value');
    }
    const condition = yield e.condition;
    const step = yield e.step;
    this.#pop(e.iterVar);
    if (e.iterVar2 !== undefined) this.#pop(e.iterVar2);
    sum = add(sum, yield e.result);
    this.#pop(e.accuVar);
    const count = this.#sizeOrUnknown(e.range);
    sum = add(sum, product(count, add(step, condition)));
    if (e.init.kind === 'literal') this.#setSize(e, this.#size(e.init));
    else if (e.init.kind === 'list' || e.init.kind === 'map') {
      this.#setSize(e, count);
      const entries = this.#entrySizes(e.step);
      if (entries !== undefined) this.#entries.set(e.id, entries);
    }
    return sum;
  }

  /** A loop variable: the key or the value of a map, the index or the item of a list; `either` is the item or the key. */
  #pushIterated(name: string, range: Expr, which: 'key' | 'value' | 'either'): void {
    const entries = this.#entrySizes(range);
    const isList = entries === undefined ? this.#type(range).kind === 'list' : entries.isList;
    const takesKey = which === 'key' || (which === 'either' && !isList);
    const part = takesKey ? (isList ? '@indices' : '@keys') : isList ? '@items' : '@values';
    const size = takesKey ? entries?.key : entries?.value;
    this.#push(name, { path: this.#path(range).append(part), size, entries: undefined });
  }

  #pushValue(name: string, e: Expr): void {
    this.#push(name, { path: this.#path(e), size: this.#size(e), entries: this.#entrySizes(e) });
  }

  *#binding(e: ComprehensionExpr): Visit<Range> {
    let sum = add(yield e.range, yield e.init);
    this.#pushValue(e.accuVar, e.init);
    sum = add(sum, yield e.result);
    this.#pop(e.accuVar);
    this.#copySizes(e, e.result);
    return sum;
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    const entries = this.#entrySizes(from);
    if (entries !== undefined) this.#entries.set(to.id, entries);
  }

  #setSize(e: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(e.id, size);
  }

  #operand(e: Expr): Operand {
    const path = this.#path(e);
    const steps = path.steps();
    const hasPath = path !== Path.NONE && steps.length > 0 && steps[0] !== '@result';
    return { expr: e, type: this.#type(e), path: hasPath ? steps : undefined, size: this.#size(e) };
  }

  #sizeOrUnknown(e: Expr): Range {
    return this.#size(e) ?? UNKNOWN;
  }

  #size(e: Expr): Range | undefined {
    const known = this.#sizes.get(e.id) ?? literalSize(e);
    if (known !== undefined) return known;
    const declared = declaredSize(this.#sizeOf, this.#path(e).steps());
    if (declared !== undefined) {
      this.#sizes.set(e.id, declared);
      return declared;
    }
    if (isScalar(this.#type(e))) return ONE;
    return e.kind === 'ident' ? this.#local(e.name)?.size : undefined;
  }

  #entrySizes(e: Expr): EntrySize | undefined {
    return this.#entries.get(e.id) ?? (e.kind === 'ident' ? this.#local(e.name)?.entries : undefined);
  }
}

/** The range of sizes up to the declared one. */
export function declaredSize(sizeOf: SizeOf, path: readonly string[] | undefined): Range | undefined {
  if (path === undefined || path.length === 0) return undefined;
  const found = sizeOf(path);
  return found === undefined ? undefined : { min: 0n, max: found === Number.POSITIVE_INFINITY ? MAX : BigInt(found) };
}

/** `cel.bind` is a loop over an empty list that never runs. */
function isBinding(e: ComprehensionExpr): boolean {
  return (
    e.range.kind === 'list' &&
    e.range.elements.length === 0 &&
    e.condition.kind === 'literal' &&
    e.condition.value === false
  );
}

function hasFieldCost(t: Type): boolean {
  return t.kind === 'map' || t.kind === 'struct' || t.kind === 'param';
}

function literalSize(e: Expr): Range | undefined {
  if (e.kind === 'list') return exactly(e.elements.length);
  if (e.kind === 'map') return exactly(e.entries.length);
  if (e.kind !== 'literal') return undefined;
  if (typeof e.value === 'string') return exactly([...e.value].length);
  return e.value instanceof Bytes ? exactly(e.value.value.length) : ONE;
}

const SCALARS: ReadonlySet<Type['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(t: Type): boolean {
  if (t.kind === 'opaque' && t.name === 'optional_type') return isScalar(t.params[0]!);
  return SCALARS.has(t.kind);
}
