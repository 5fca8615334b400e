import type { Bytes, Uint } from './values.js';

/**
 * The syntax tree. Each node has an id that is unique in its tree, and the offset (code points) for errors: the
 * operator of an operation, the opening parenthesis of a call, the dot of a selection.
 */
interface Node {
  readonly id: number;
  readonly offset: number;
}

export type Literal = null | boolean | bigint | Uint | number | string | Bytes;

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly value: Literal;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`; with `test` it is `has(operand.field)`. `optional` is `operand.?field`. */
export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** A call, as a global function or as a method of `target`. Operators are calls of functions such as `_+_`. */
export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Indexes of the elements written `?e`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** `name{field: value}`. */
export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly {
    readonly id: number;
    readonly offset: number;
    readonly name: string;
    readonly value: Expr;
    readonly optional: boolean;
  }[];
}

/** The expansion of macros: a fold of `step` over `range`, while `condition` holds. */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** The accumulator of macros; an expression cannot use this name. */
export const ACCUMULATOR = '@result';

/** Direct sub-expressions in order of evaluation. */
export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [e.operand];
    case 'call':
      return e.target === undefined ? e.args : [e.target, ...e.args];
    case 'list':
      return e.elements;
    case 'map':
      return e.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'struct':
      return e.fields.map((f) => f.value);
    case 'comprehension':
      return [e.range, e.init, e.condition, e.step, e.result];
  }
}

/** Reports whether an expression reads the variable. A loop variable of the same name counts as well. */
export function refersTo(root: Expr, name: string): boolean {
  const stack = [root];
  for (let e = stack.pop(); e !== undefined; e = stack.pop()) {
    if (e.kind === 'ident' && e.name === name) return true;
    stack.push(...children(e));
  }
  return false;
}
