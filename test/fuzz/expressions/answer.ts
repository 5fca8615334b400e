import {
  BOOL,
  BYTES,
  Bytes,
  CelMap,
  CURRENT,
  compile,
  DOUBLE,
  DURATION,
  Duration,
  DYN,
  estimateCost,
  failed,
  INT,
  isError,
  kubernetesEnvironment,
  List,
  listOf,
  mapOf,
  NULL,
  Optional,
  STRING,
  showType,
  TIMESTAMP,
  Timestamp,
  typeName,
  UINT,
  Uint,
  type Value,
} from '../../../pkg/cel/index.js';
import { ArrayList, mapFrom, TypeValue } from '../../../pkg/cel/values.js';

/** What a compiler and evaluator says about an expression. Absent fields do not apply. */
export interface Answer {
  /** Why it does not compile. */
  readonly error?: string;
  readonly type?: string;
  readonly estimate?: string;
  /** The error of the evaluation. */
  readonly fail?: string;
  readonly value?: unknown;
  readonly cost?: string;
}

/** Variables of the expressions; the reference has the same. */
const TYPES = {
  ...{
    i: INT,
    j: INT,
    u: UINT,
    d: DOUBLE,
    b: BOOL,
    s: STRING,
    w: STRING,
    y: BYTES,
    t: TIMESTAMP,
    r: DURATION,
    o: DYN,
    n: NULL,
  },
  ...{ li: listOf(INT), ls: listOf(STRING), ld: listOf(DOUBLE), m: mapOf(STRING, INT) },
};
const VALUES: Readonly<Record<string, Value>> = {
  ...{ i: 7n, j: -3n, u: new Uint(5n), d: 2.5, b: true, s: 'héllo wörld', w: 'a,b,c', n: null },
  y: new Bytes(Buffer.from('abc')),
  li: new ArrayList([3n, 1n, 2n, 3n]),
  ls: new ArrayList(['b', 'a', 'cc']),
  ld: new ArrayList([1.5, -2, 0]),
  m: mapFrom([
    ['a', 1n],
    ['b', 2n],
  ]),
  t: new Timestamp(Date.UTC(2024, 1, 29, 23, 59, 58) / 1000, 123456789),
  r: new Duration(5401500000000n),
  // A map of its own, not the map of an object, which refuses some comparisons.
  o: mapFrom([
    ['i', 1n],
    ['f', 1.5],
    ['s', 'x'],
    ['l', new ArrayList([1n, 'two', 3.5, null, true])],
    ['m', mapFrom([['k', 'v']])],
    ['n', null],
    ['b', false],
  ]),
};

export const environment = kubernetesEnvironment(CURRENT).extend(TYPES);

export function answer(text: string): Answer {
  const compiled = compile(text, environment);
  if (failed(compiled)) return { error: compiled.error };
  const type = showType(compiled.checked.type);
  const estimate = String(estimateCost(compiled, () => undefined));
  const { value, cost } = compiled.program.run((name) => VALUES[name], 10_000_000);
  if (isError(value)) return { type, estimate, fail: value.message, cost: String(cost) };
  return { type, estimate, value: shown(value), cost: String(cost) };
}

/** A value with its type as JSON, so that values that only look the same differ. */
function shown(v: Value): unknown {
  if (v === null) return 'null';
  if (typeof v === 'boolean') return v;
  if (typeof v === 'bigint') return `i${v}`;
  if (v instanceof Uint) return `u${v.value}`;
  if (typeof v === 'number') {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, v);
    return `d${bits.getBigUint64(0).toString(16).padStart(16, '0')}`;
  }
  if (typeof v === 'string') return `s${v}`;
  if (v instanceof Bytes) return `b${Buffer.from(v.value).toString('hex')}`;
  if (v instanceof Timestamp) return `t${v.seconds}.${v.nanos}`;
  if (v instanceof Duration) return `D${v.nanos}`;
  if (v instanceof Optional) return v.value === undefined ? ['none'] : ['some', shown(v.value)];
  if (v instanceof TypeValue) return `T${v.name}`;
  if (v instanceof List) return ['list', ...Array.from({ length: v.size }, (_, i) => shown(v.at(i)))];
  if (v instanceof CelMap)
    return ['map', [...v.keys()].map((k) => JSON.stringify([shown(k), shown(v.find(k)!)])).sort()];
  return `?${typeName(v)}`;
}

/** Crashes of the reference, and errors that name Go types of the variables that only its program has. */
const LEFT_OUT = ['panic', 'internal error', 'invalid qualifier type'];

/** An answer of the reference in our form; undefined if it cannot be compared. It finds some errors when it makes the program. */
export function comparable({ type, ...answer }: Answer): Answer | undefined {
  const { fail, error } = answer;
  if (LEFT_OUT.some((text) => fail?.includes(text) === true || error?.includes(text) === true)) return undefined;
  if (fail?.startsWith('program: ') === true) return { error: `program instantiation failed: ${fail.slice(9)}` };
  if (type === undefined) return answer;
  const shown = type
    .replaceAll('google.protobuf.Timestamp', 'timestamp')
    .replaceAll('google.protobuf.Duration', 'duration');
  return { ...answer, type: shown };
}

/** An answer whose error has only the sentences, without the lines that show the place. */
export function sentences(answer: Answer): Answer {
  if (answer.error === undefined) return answer;
  const lines = answer.error.replace('compilation failed: ', '').split('\n');
  return { ...answer, error: lines.filter((line) => !line.startsWith(' |')).join('\n') };
}
