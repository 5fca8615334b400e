import {
  ACCUMULATOR,
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  type IdentExpr,
  type Literal,
  type LiteralExpr,
  type SelectExpr,
  type StructExpr,
} from './ast.js';

/** Creates nodes with their own ids. */
export class Builder {
  #next = 1;

  id(): number {
    return this.#next++;
  }

  /** Returns an id that belongs to no node. */
  idAt(_offset: number): number {
    return this.#next++;
  }

  /** A builder whose nodes all have one offset: that of their macro. */
  at(offset: number): MacroBuilder {
    return new MacroBuilder(this, offset);
  }

  literal(offset: number, value: Literal): LiteralExpr {
    return { kind: 'literal', id: this.id(), offset, value };
  }

  ident(offset: number, name: string): IdentExpr {
    return { kind: 'ident', id: this.id(), offset, name };
  }

  select(offset: number, operand: Expr, field: string, test = false): SelectExpr {
    return { kind: 'select', id: this.id(), offset, operand, field, test };
  }

  call(offset: number, name: string, args: readonly Expr[], target?: Expr): CallExpr {
    return { kind: 'call', id: this.id(), offset, name, target, args };
  }

  struct(offset: number, name: string, fields: StructExpr['fields']): StructExpr {
    return { kind: 'struct', id: this.id(), offset, name, fields };
  }
}

export class MacroBuilder {
  readonly #build: Builder;
  readonly offset: number;

  constructor(build: Builder, offset: number) {
    this.#build = build;
    this.offset = offset;
  }

  literal(value: Literal): LiteralExpr {
    return this.#build.literal(this.offset, value);
  }

  ident(name: string): IdentExpr {
    return this.#build.ident(this.offset, name);
  }

  accumulator(): IdentExpr {
    return this.ident(ACCUMULATOR);
  }

  select(operand: Expr, field: string, test = false): SelectExpr {
    return this.#build.select(this.offset, operand, field, test);
  }

  call(name: string, ...args: readonly Expr[]): CallExpr {
    return this.#build.call(this.offset, name, args);
  }

  method(target: Expr, name: string, ...args: readonly Expr[]): CallExpr {
    return this.#build.call(this.offset, name, args, target);
  }

  list(...elements: readonly Expr[]): Expr {
    return { kind: 'list', id: this.#build.id(), offset: this.offset, elements, optional: new Set() };
  }

  emptyMap(): Expr {
    return { kind: 'map', id: this.#build.id(), offset: this.offset, entries: [] };
  }

  fold(parts: Omit<ComprehensionExpr, 'kind' | 'id' | 'offset' | 'accuVar'> & { accuVar?: string }): Expr {
    return { kind: 'comprehension', id: this.#build.id(), offset: this.offset, accuVar: ACCUMULATOR, ...parts };
  }
}

type Report = (at: Expr, message: string) => void;

/** A call that the parser replaces by another expression. Undefined keeps the call. */
export interface Macro {
  readonly name: string;
  readonly receiver: boolean;
  /** Undefined accepts any number of arguments. */
  readonly arguments: number | undefined;
  readonly expand: (
    b: MacroBuilder,
    target: Expr | undefined,
    args: readonly Expr[],
    report: Report,
  ) => Expr | undefined;
}

export function macroKey(name: string, receiver: boolean, count: number | undefined): string {
  return `${name}:${receiver ? 'r' : 'g'}:${count ?? '*'}`;
}

export function macroTable(macros: readonly Macro[]): ReadonlyMap<string, Macro> {
  return new Map(macros.map((m) => [macroKey(m.name, m.receiver, m.arguments), m]));
}

/** Returns the name of a variable that a macro declares; undefined after reporting an error. */
function variable(e: Expr | undefined, report: Report): string | undefined {
  if (e?.kind === 'ident' && !e.name.startsWith('.')) {
    if (e.name !== ACCUMULATOR && e.name !== '__result__') return e.name;
    report(e, `iteration variable overwrites accumulator variable`);
    return undefined;
  }
  if (e !== undefined) report(e, 'argument must be a simple name');
  return undefined;
}

/** The two variables of a two-variable macro. */
function variables(args: readonly Expr[], report: Report): readonly [string, string] | undefined {
  const names = [args[0], args[1]].map((a) => {
    if (a?.kind !== 'ident' || a.name.startsWith('.')) {
      if (a !== undefined) report(a, 'argument must be a simple name');
      return undefined;
    }
    return a.name;
  });
  if (names[0] === undefined || names[1] === undefined) return undefined;
  if (names[0] === names[1]) {
    report(args[1]!, `duplicate variable name: ${names[0]}`);
    return undefined;
  }
  for (const [i, name] of names.entries()) {
    if (name !== ACCUMULATOR && name !== '__result__') continue;
    report(args[i]!, 'iteration variable overwrites accumulator variable');
    return undefined;
  }
  return [names[0], names[1]];
}

interface Iteration {
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
}

function all(b: MacroBuilder, over: Iteration, predicate: Expr): Expr {
  return b.fold({
    ...over,
    init: b.literal(true),
    condition: b.call('@not_strictly_false', b.accumulator()),
    step: b.call('_&&_', b.accumulator(), predicate),
    result: b.accumulator(),
  });
}

function exists(b: MacroBuilder, over: Iteration, predicate: Expr): Expr {
  return b.fold({
    ...over,
    init: b.literal(false),
    condition: b.call('@not_strictly_false', b.call('!_', b.accumulator())),
    step: b.call('_||_', b.accumulator(), predicate),
    result: b.accumulator(),
  });
}

function existsOne(b: MacroBuilder, over: Iteration, predicate: Expr): Expr {
  return b.fold({
    ...over,
    init: b.literal(0n),
    condition: b.literal(true),
    step: b.call('_?_:_', predicate, b.call('_+_', b.accumulator(), b.literal(1n)), b.accumulator()),
    result: b.call('_==_', b.accumulator(), b.literal(1n)),
  });
}

function mapped(b: MacroBuilder, over: Iteration, filter: Expr | undefined, element: Expr): Expr {
  const append = b.call('_+_', b.accumulator(), b.list(element));
  return b.fold({
    ...over,
    init: b.list(),
    condition: b.literal(true),
    step: filter === undefined ? append : b.call('_?_:_', filter, append, b.accumulator()),
    result: b.accumulator(),
  });
}

function inserted(b: MacroBuilder, over: Iteration, filter: Expr | undefined, insert: Expr): Expr {
  return b.fold({
    ...over,
    init: b.emptyMap(),
    condition: b.literal(true),
    step: filter === undefined ? insert : b.call('_?_:_', filter, insert, b.accumulator()),
    result: b.accumulator(),
  });
}

type Quantifier = (b: MacroBuilder, over: Iteration, predicate: Expr) => Expr;

const one = (name: string, make: Quantifier): Macro => ({
  name,
  receiver: true,
  arguments: 2,
  expand: (b, target, args, report) => {
    const iterVar = variable(args[0], report);
    return iterVar === undefined
      ? b.literal(null)
      : make(b, { range: target!, iterVar, iterVar2: undefined }, args[1]!);
  },
});

const two = (
  name: string,
  count: number,
  make: (b: MacroBuilder, over: Iteration, args: readonly Expr[]) => Expr,
): Macro => ({
  name,
  receiver: true,
  arguments: count,
  expand: (b, target, args, report) => {
    const names = variables(args, report);
    if (names === undefined) return b.literal(null);
    return make(b, { range: target!, iterVar: names[0], iterVar2: names[1] }, args);
  },
});

const mapMacro = (count: 2 | 3): Macro => ({
  name: 'map',
  receiver: true,
  arguments: count,
  expand: (b, target, args, report) => {
    const iterVar = variable(args[0], report);
    if (iterVar === undefined) return b.literal(null);
    const filter = count === 3 ? args[1]! : undefined;
    return mapped(b, { range: target!, iterVar, iterVar2: undefined }, filter, args[count - 1]!);
  },
});

/** The macros of the language definition. */
export const STANDARD_MACROS: readonly Macro[] = [
  {
    name: 'has',
    receiver: false,
    arguments: 1,
    expand: (b, _target, [arg], report) => {
      if (arg?.kind === 'select' && !arg.test) return b.select(arg.operand, arg.field, true);
      if (arg !== undefined) report(arg, 'invalid argument to has() macro');
      return b.literal(null);
    },
  },
  one('all', all),
  one('exists', exists),
  one('exists_one', existsOne),
  mapMacro(2),
  mapMacro(3),
  {
    name: 'filter',
    receiver: true,
    arguments: 2,
    expand: (b, target, args, report) => {
      const iterVar = variable(args[0], report);
      if (iterVar === undefined) return b.literal(null);
      return mapped(b, { range: target!, iterVar, iterVar2: undefined }, args[1]!, args[0]!);
    },
  },
];

/** Comprehensions over index and element of a list, or key and value of a map. */
export const TWO_VARIABLE_MACROS: readonly Macro[] = [
  two('all', 3, (b, over, args) => all(b, over, args[2]!)),
  two('exists', 3, (b, over, args) => exists(b, over, args[2]!)),
  two('existsOne', 3, (b, over, args) => existsOne(b, over, args[2]!)),
  two('exists_one', 3, (b, over, args) => existsOne(b, over, args[2]!)),
  two('transformList', 3, (b, over, args) => mapped(b, over, undefined, args[2]!)),
  two('transformList', 4, (b, over, args) => mapped(b, over, args[2]!, args[3]!)),
  two('transformMap', 3, (b, over, args) => inserted(b, over, undefined, insertValue(b, over, args[2]!))),
  two('transformMap', 4, (b, over, args) => inserted(b, over, args[2]!, insertValue(b, over, args[3]!))),
  two('transformMapEntry', 3, (b, over, args) => inserted(b, over, undefined, insertEntry(b, args[2]!))),
  two('transformMapEntry', 4, (b, over, args) => inserted(b, over, args[2]!, insertEntry(b, args[3]!))),
];

function insertValue(b: MacroBuilder, over: Iteration, value: Expr): Expr {
  return b.call('cel.@mapInsert', b.accumulator(), b.ident(over.iterVar), value);
}

function insertEntry(b: MacroBuilder, entry: Expr): Expr {
  return b.call('cel.@mapInsert', b.accumulator(), entry);
}

const UNUSED = '#unused';

/** `cel.bind(name, value, expression)`: `value` is computed once. */
export const BIND_MACRO: Macro = {
  name: 'bind',
  receiver: true,
  arguments: 3,
  expand: (b, target, args, report) => {
    if (target?.kind !== 'ident' || target.name !== 'cel') return undefined;
    const [name, value, result] = args;
    if (name?.kind !== 'ident' || name.name.startsWith('.')) {
      report(name!, 'cel.bind() variable names must be simple identifiers');
      return b.literal(null);
    }
    return b.fold({
      range: b.list(),
      iterVar: UNUSED,
      iterVar2: undefined,
      accuVar: name.name,
      init: value!,
      condition: b.literal(false),
      step: b.ident(name.name),
      result: result!,
    });
  },
};

const optionalMap = (name: string, flat: boolean): Macro => ({
  name,
  receiver: true,
  arguments: 2,
  expand: (b, target, [name_, expression], report) => {
    if (name_?.kind !== 'ident' || name_.name.startsWith('.')) {
      report(name_!, `${name}() variable name must be a simple identifier`);
      return b.literal(null);
    }
    const body = b.fold({
      range: b.list(),
      iterVar: UNUSED,
      iterVar2: undefined,
      accuVar: name_.name,
      init: b.method(target!, 'value'),
      condition: b.literal(false),
      step: b.ident(name_.name),
      result: expression!,
    });
    const some = flat ? body : b.call('optional.of', body);
    return b.call('_?_:_', b.method(target!, 'hasValue'), some, b.call('optional.none'));
  },
});

export const OPTIONAL_MACROS: readonly Macro[] = [optionalMap('optMap', false), optionalMap('optFlatMap', true)];

/** `list.sortBy(e, key)`: the elements in the order of their keys. */
export const SORT_BY_MACRO: Macro = {
  name: 'sortBy',
  receiver: true,
  arguments: 2,
  expand: (b, target, args, report) => {
    const iterVar = variable(args[0], report);
    if (iterVar === undefined) return b.literal(null);
    const temporary = '@__sortBy_input__';
    const keys = mapped(b, { range: b.ident(temporary), iterVar, iterVar2: undefined }, undefined, args[1]!);
    return b.fold({
      range: b.list(),
      iterVar: UNUSED,
      iterVar2: undefined,
      accuVar: temporary,
      init: target!,
      condition: b.literal(false),
      step: b.ident(temporary),
      result: b.method(b.ident(temporary), '@sortByAssociatedKeys', keys),
    });
  },
};
