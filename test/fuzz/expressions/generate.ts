import type { Environment, Type } from '../../../pkg/cel/index.js';

/** A source of random numbers: an integer below `n`. */
export type Below = (n: number) => number;

/** A generated expression as a tree, so that it can be made smaller: texts and subexpressions in turn. */
export interface Tree {
  readonly type: string;
  readonly parts: readonly (string | Tree)[];
}

export const textOf = (tree: Tree): string => tree.parts.map((p) => (typeof p === 'string' ? p : textOf(p))).join('');

const tree = (type: string, ...parts: (string | Tree)[]): Tree => ({ type, parts });

/** A signature of a function with types as texts; parameters of types are capital letters. */
interface Signature {
  readonly name: string;
  readonly method: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
}

/** Operators by the name of their function. `#` is an operand. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...{
    '_+_': '(# + #)',
    '_-_': '(# - #)',
    '_*_': '(# * #)',
    '_/_': '(# / #)',
    '_%_': '(# % #)',
    '-_': '-(#)',
    '!_': '!(#)',
  },
  ...{
    '_==_': '(# == #)',
    '_!=_': '(# != #)',
    '_<_': '(# < #)',
    '_<=_': '(# <= #)',
    '_>_': '(# > #)',
    '_>=_': '(# >= #)',
  },
  ...{
    '_&&_': '(# && #)',
    '_||_': '(# || #)',
    '_?_:_': '(# ? # : #)',
    '@in': '(# in #)',
    '_[_]': '#[#]',
    '_[?_]': '#[?#]',
  },
};

/** The operands of literals: ordinary values, and those at limits. */
const LITERALS: Readonly<Record<string, readonly string[]>> = {
  int: [
    '0',
    '1',
    '-1',
    '2',
    '7',
    '10',
    '100',
    '9223372036854775807',
    '-9223372036854775808',
    '0x1F',
    '4294967296',
    '36',
    '64',
  ],
  uint: ['0u', '1u', '5u', '18446744073709551615u', '0x2au'],
  double: ['0.0', '1.0', '-1.5', '2.5', '1e3', '1e300', '-0.0', '0.1', '9007199254740993.0', '1e-7', '123456789.123'],
  bool: ['true', 'false'],
  string: [
    ...[
      "''",
      "'a'",
      "'b'",
      "'abc'",
      "'a,b,c'",
      "'Hello World'",
      "'42'",
      "'-7'",
      "'1.5'",
      "'true'",
      "'x.y-z'",
      "'é日😀'",
      "'%d'",
      "'%s and %.2f'",
    ],
    ...[
      "'10.0.0.1'",
      "'::1'",
      "'10.0.0.0/8'",
      "'fe80::/10'",
      "'1Gi'",
      "'100m'",
      "'1.5e3'",
      "'1.2.3'",
      "'1.2.3-rc.1+b'",
      "'v1.2.3'",
    ],
    ...[
      "'2024-02-29T12:00:00Z'",
      "'2023-01-01T00:00:00.5+02:00'",
      "'1h30m'",
      "'-1.5s'",
      "'UTC'",
      "'Europe/Paris'",
      "'-05:00'",
    ],
    ...[
      "'https://user@example.com:8080/p/a?x=1&y=2#f'",
      "'/path'",
      "'[a-z]+'",
      "'^a.*b$'",
      "'('",
      "'dns1123Label'",
      "'uuid'",
      "'\\n\\t\\'\"'",
    ],
  ],
  bytes: ["b''", "b'abc'", "b'\\xff\\x00'", "b'é'"],
  timestamp: [
    "timestamp('2024-02-29T12:00:00Z')",
    "timestamp('0001-01-01T00:00:00Z')",
    "timestamp('9999-12-31T23:59:59Z')",
    'timestamp(0)',
  ],
  duration: ["duration('1h')", "duration('-1.5s')", "duration('100ms')", "duration('0s')"],
  null: ['null', 'n'],
  dyn: [
    'dyn(1)',
    "dyn('a')",
    'dyn(1.5)',
    'dyn(2u)',
    'dyn([1, 2])',
    "dyn({'a': 1})",
    'dyn(null)',
    'dyn(true)',
    'o',
    'o.i',
    'o.f',
    'o.s',
    'o.l',
    'o.m',
    'o.n',
    'o.x',
    'o.l[1]',
  ],
  'kubernetes.Quantity': ["quantity('1Gi')", "quantity('100m')", "quantity('-5')", "quantity('1e3')"],
  'kubernetes.URL': ["url('https://example.com:80/a?b=c')", "url('/x')"],
  'net.IP': ["ip('10.0.0.1')", "ip('::1')", "ip('2001:db8::1')"],
  'net.CIDR': ["cidr('10.0.0.0/8')", "cidr('2001:db8::/32')", "cidr('10.0.0.1/24')"],
  'kubernetes.Semver': ["semver('1.2.3')", "semver('1.2.3-rc.1')", "semver('2.0.0+b')"],
};

/** The variables of the expressions, by type; both sides give them the same values. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  ...{
    int: ['i', 'j'],
    uint: ['u'],
    double: ['d'],
    bool: ['b'],
    string: ['s', 'w'],
    bytes: ['y'],
    timestamp: ['t'],
    duration: ['r'],
  },
  ...{ 'list(int)': ['li'], 'list(string)': ['ls'], 'list(double)': ['ld'], 'map(string,int)': ['m'], null: ['n'] },
};

const SIMPLE = ['int', 'string', 'double', 'bool', 'uint', 'bytes', 'duration', 'timestamp', 'dyn'];
const KEYS = ['string', 'int', 'bool', 'uint'];

const nameOf = (t: Type, bound: ReadonlyMap<string, string>): string => {
  switch (t.kind) {
    case 'list':
      return `list(${nameOf(t.element, bound)})`;
    case 'map':
      return `map(${nameOf(t.key, bound)},${nameOf(t.value, bound)})`;
    case 'opaque':
      return t.params.length === 0 ? t.name : `${t.name}(${t.params.map((p) => nameOf(p, bound)).join(',')})`;
    case 'param':
      return bound.get(t.name) ?? 'int';
    case 'struct':
      return t.name;
    default:
      return t.kind;
  }
};

/** Splits `map(string,list(int))` into its name and parameters. */
function split(type: string): { readonly name: string; readonly params: readonly string[] } {
  const open = type.indexOf('(');
  if (open < 0) return { name: type, params: [] };
  const params: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = start; i < type.length; i++) {
    if (type[i] === '(') depth++;
    else if (depth > 0 && type[i] === ')') depth--;
    else if (depth === 0 && (type[i] === ',' || type[i] === ')')) {
      params.push(type.slice(start, i));
      start = i + 1;
    }
  }
  return { name: type.slice(0, open), params };
}

/** Matches the type of a result with a wanted one, and binds the parameters. */
function match(t: Type, wanted: string, bound: Map<string, string>): boolean {
  if (t.kind === 'param') {
    const known = bound.get(t.name);
    if (known === undefined) bound.set(t.name, wanted);
    return known === undefined || known === wanted;
  }
  const { name, params } = split(wanted);
  if (t.kind === 'list') return name === 'list' && match(t.element, params[0]!, bound);
  if (t.kind === 'map') return name === 'map' && match(t.key, params[0]!, bound) && match(t.value, params[1]!, bound);
  if (t.kind === 'opaque') return t.name === name && t.params.every((p, i) => match(p, params[i]!, bound));
  return t.kind === name;
}

function paramsOf(t: Type, found: Set<string>): void {
  if (t.kind === 'param') found.add(t.name);
  else if (t.kind === 'list') paramsOf(t.element, found);
  else if (t.kind === 'map') for (const p of [t.key, t.value]) paramsOf(p, found);
  else if (t.kind === 'opaque') for (const p of t.params) paramsOf(p, found);
}

/** Functions that are no part of the language, or need an authorizer. */
const LEFT_OUT = /^(@|cel\.@|_\?\._|_\[\?_\]$)|authorizer|ResourceCheck|Decision/;

/** Generates expressions over the functions of an environment. */
export class Generator {
  readonly #below: Below;
  readonly #signatures: readonly Signature[];
  /** Variables of enclosing loops. */
  #scope: { readonly name: string; readonly type: string }[] = [];
  #names = 0;

  constructor(environment: Environment, below: Below) {
    this.#below = below;
    this.#signatures = [...environment.functions.values()].flatMap((f) =>
      f.overloads
        .map(({ method, args, result }) => ({ name: f.name, method, args, result }))
        .filter(
          (s) => s.name === '@in' || !LEFT_OUT.test([s.name, ...s.args.map((a) => nameOf(a, new Map()))].join(' ')),
        ),
    );
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  /** An expression of a random type. */
  any(depth: number): Tree {
    const list = this.#one(SIMPLE);
    return this.of(
      this.#one([...SIMPLE, ...SIMPLE, `list(${list})`, `map(${this.#one(KEYS)},${list})`, `optional_type(${list})`]),
      depth,
    );
  }

  of(type: string, depth: number): Tree {
    // Now and then an operand of another type: the errors of the checker, and of evaluation with dyn.
    if (depth < 4 && this.#below(60) === 0) return this.any(depth - 1);
    if (depth > 0 && this.#below(40) === 0) return tree(type, 'dyn(', this.of(this.#one(SIMPLE), depth - 1), ')');
    if (depth <= 0 || this.#below(6) === 0) return this.#leaf(type, depth);
    return this.#macro(type, depth) ?? this.#call(type, depth) ?? this.#leaf(type, depth);
  }

  #leaf(type: string, depth: number): Tree {
    const variables = [...(VARIABLES[type] ?? []), ...this.#scope.filter((v) => v.type === type).map((v) => v.name)];
    if (variables.length > 0 && this.#below(3) > 0) return tree(type, this.#one(variables));
    const literals = LITERALS[type];
    if (literals !== undefined) return tree(type, this.#one(literals));
    const { name, params } = split(type);
    const inner = depth - 1;
    if (name === 'list') return tree(type, '[', ...this.#several(() => [this.of(params[0]!, inner)]), ']');
    if (name === 'map')
      return tree(type, '{', ...this.#several(() => [this.of(params[0]!, 0), ': ', this.of(params[1]!, inner)]), '}');
    if (name === 'optional_type') {
      if (this.#below(3) === 0) return tree(type, 'optional.none()');
      return tree(type, this.#one(['optional.of(', 'optional.ofNonZeroValue(']), this.of(params[0]!, inner), ')');
    }
    if (name === 'type') return tree(type, 'type(', this.any(0), ')');
    return tree(type, 'dyn(', this.of(this.#one(SIMPLE), 0), ')');
  }

  #several(make: () => (string | Tree)[]): (string | Tree)[] {
    const parts: (string | Tree)[] = [];
    const count = this.#below(4);
    for (let i = 0; i < count; i++) parts.push(...(i === 0 ? [] : [', ']), ...make());
    return parts;
  }

  #call(type: string, depth: number): Tree | undefined {
    const candidates = this.#signatures.filter((s) => match(s.result, type, new Map()));
    // A result of any type matches too much: half of the calls are drawn from the others.
    const exact = candidates.filter((s) => s.result.kind !== 'param');
    const from = exact.length > 0 && this.#below(4) > 0 ? exact : candidates;
    if (from.length === 0) return undefined;
    const signature = this.#one(from);
    const bound = new Map<string, string>();
    match(signature.result, type, bound);
    const free = new Set<string>();
    for (const a of signature.args) paramsOf(a, free);
    for (const p of free) if (!bound.has(p)) bound.set(p, this.#one(p === 'K' ? KEYS : SIMPLE));
    const args = signature.args.map((a) => this.of(nameOf(a, bound), depth - 1));
    const operator = OPERATORS[signature.name];
    if (operator !== undefined) return this.#fill(type, operator, args);
    const [first, ...rest] = args;
    const listed = (list: readonly Tree[]): (string | Tree)[] => list.flatMap((a, i) => (i === 0 ? [a] : [', ', a]));
    if (signature.method) return tree(type, first!, `.${signature.name}(`, ...listed(rest), ')');
    return tree(type, `${signature.name}(`, ...listed(args), ')');
  }

  /** `#` and `@0` are operands in order. */
  #fill(type: string, pattern: string, args: readonly Tree[]): Tree {
    const texts = pattern.split('#');
    return tree(type, ...texts.flatMap((text, i) => (i === 0 ? [text] : [args[i - 1]!, text])));
  }

  #macro(type: string, depth: number): Tree | undefined {
    if (this.#below(4) > 0) return undefined;
    const { name, params } = split(type);
    const element = this.#one(SIMPLE);
    const over = this.#below(4) === 0 ? `map(${this.#one(KEYS)},${element})` : `list(${element})`;
    const first = over.startsWith('map') ? split(over).params[0]! : element;
    const both = over.startsWith('map') ? [first, element] : ['int', element];
    const range = this.of(over, depth - 1);
    const within = (types: readonly string[], make: (names: readonly string[]) => (string | Tree)[]): Tree => {
      const names = types.map(() => `x${this.#names++}`);
      const scope = this.#scope;
      this.#scope = [...scope, ...names.map((n, i) => ({ name: n, type: types[i]! }))];
      const parts = make(names);
      this.#scope = scope;
      return tree(type, ...parts);
    };
    const condition = (): Tree => this.of('bool', depth - 1);
    if (name === 'bool') {
      const kind = this.#below(7);
      if (kind === 0)
        return tree(
          type,
          this.#one(['has(o.i)', 'has(o.x)', 'has(o.m.k)', "has({'a': 1}.a)", 'has(m.a)', 'has(m.z)', 'has(o.i.x)']),
        );
      const macro = this.#one(['all', 'exists', 'exists_one']);
      if (kind < 5) return within([first], ([x]) => [range, `.${macro}(${x}, `, condition(), ')']);
      const two = this.#one(['all', 'exists', 'existsOne']);
      return within(both, ([x, v]) => [range, `.${two}(${x}, ${v}, `, condition(), ')']);
    }
    if (name === 'list') {
      const value = (): Tree => this.of(params[0]!, depth - 1);
      switch (this.#below(5)) {
        case 0:
          return within([first], ([x]) => [range, `.map(${x}, `, value(), ')']);
        case 1:
          return within([first], ([x]) => [range, `.map(${x}, `, condition(), ', ', value(), ')']);
        case 2:
          return within(both, ([x, v]) => [range, `.transformList(${x}, ${v}, `, value(), ')']);
        default: {
          const list = this.of(type, depth - 1);
          return within([params[0]!], ([x]) => [list, `.filter(${x}, `, condition(), ')']);
        }
      }
    }
    if (name === 'map' && params[0] === first)
      return within(both, ([x, v]) => [range, `.transformMap(${x}, ${v}, `, this.of(params[1]!, depth - 1), ')']);
    if (name === 'optional_type') {
      const some = this.of(`optional_type(${element})`, depth - 1);
      if (this.#below(3) === 0)
        return tree(type, this.#one(['o.?i', 'o.?x', 'o.?m.k', 'o.?m.?z', 'o[?"l"]', 'm[?"a"]', 'li[?1]', 'li[?9]']));
      return within([element], ([x]) => [some, `.optMap(${x}, `, this.of(params[0]!, depth - 1), ')']);
    }
    if (this.#below(2) === 0)
      return tree(
        type,
        '(',
        this.of('bool', depth - 1),
        ' ? ',
        this.of(type, depth - 1),
        ' : ',
        this.of(type, depth - 1),
        ')',
      );
    return undefined;
  }
}

/** Smaller expressions: a subexpression in place of the whole or of one that contains it, or a literal. */
export function* smaller(whole: Tree): Generator_ {
  for (const part of whole.parts) if (typeof part !== 'string') yield part;
  for (const literal of LITERALS[whole.type]?.slice(0, 2) ?? [])
    if (whole.parts.length > 1) yield tree(whole.type, literal);
  for (const [i, part] of whole.parts.entries()) {
    if (typeof part === 'string') continue;
    for (const less of smaller(part))
      yield { type: whole.type, parts: whole.parts.map((p, n) => (n === i ? less : p)) };
  }
}

type Generator_ = globalThis.Generator<Tree, void, undefined>;
