/**
 * Quantities (`500m`, `1Gi`, `1e3`) as exact integers of nano units. They can represent every value of kube-apiserver,
 * which rounds away from zero to the nano, and caps values with a binary suffix at 2^63-1. The notation is stored with the value, so that formatting
 * gives the canonical form in the same family of suffixes.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly notation: 'decimal' | 'binary' | 'exponent';
}

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
/** The same, but unambiguous: a suffix never begins with a digit. */
const PARTS = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/;
const SUFFIX = "unable to parse quantity's suffix";
const NUMERIC = 'unable to parse numeric part of quantity';

/**
 * kube-apiserver accepts exponents of any int64, and computes with powers of ten of that size until its memory is full. Nine
 * digits are more than any quantity needs and leave every sum of an exponent and a length exact.
 */
const EXPONENT = /^[eE]([-+]?)(?=[0-9])0*([1-9][0-9]{0,8})?$/;

const UNIT = 1_000_000_000n;
const CAP = (2n ** 63n - 1n) * UNIT;
/** Digits beyond these cannot change a value that is capped above and rounded to nanos below. */
const INTEGER_DIGITS_MAX = 40;
/**
 * Decimal values are not capped in kube-apiserver. Here none is larger than a power of ten that no sum or comparison of
 * real amounts comes near, so that the work is bounded.
 */
const DECIMAL_DIGITS_MAX = 1024;
const LARGEST = 10n ** BigInt(DECIMAL_DIGITS_MAX) * UNIT;

const DECIMAL = new Map<string, number>([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const DECIMAL_SUFFIX = new Map([...DECIMAL].map(([s, e]) => [e, s]));
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

export const zeroQuantity: Quantity = { nanos: 0n, notation: 'decimal' };

export function quantityOf(units: number | bigint, notation: Quantity['notation'] = 'decimal'): Quantity {
  return { nanos: BigInt(units) * UNIT, notation };
}

/** The quantities of recent texts: those of a workload are the same in each of its pods. */
const recent = new Map<string, Quantity | { readonly error: string }>();
/** Texts that are remembered, and characters of the longest one. */
const RECENT_MAX = 1024;
const RECENT_CHARACTERS_MAX = 24;

/** The value, or kube-apiserver's error text. */
export function readQuantity(text: string): Quantity | { readonly error: string } {
  const known = recent.get(text);
  if (known !== undefined) return known;
  const read = parse(text);
  if (text.length > RECENT_CHARACTERS_MAX) return read;
  if (recent.size >= RECENT_MAX) recent.clear();
  recent.set(text, read);
  return read;
}

function parse(text: string): Quantity | { readonly error: string } {
  const m = PARTS.exec(text);
  if (text === '' || m === null) return { error: FORMAT };
  const [, sign, whole, fraction = '', suffix = ''] = m as unknown as [string, string, string, ...string[]];
  const scale = suffixScale(suffix);
  if (scale === undefined) return { error: SUFFIX };
  const integer = whole.replace(/^0+/, '');
  if (integer.length > INTEGER_DIGITS_MAX && scale.notation === 'binary') return { error: NUMERIC };
  const nanos = magnitude(integer, fraction, scale.ten, scale.two);
  const small = scale.notation === 'binary' && nanos < UNIT;
  return { nanos: sign === '-' ? -nanos : nanos, notation: small ? 'decimal' : scale.notation };
}

export function parseQuantity(text: string): Quantity | undefined {
  const q = readQuantity(text);
  return 'error' in q ? undefined : q;
}

interface Scale {
  readonly ten: number;
  readonly two: number;
  readonly notation: Quantity['notation'];
}

function suffixScale(suffix: string): Scale | undefined {
  const ten = DECIMAL.get(suffix);
  if (ten !== undefined) return { ten, two: 0, notation: 'decimal' };
  const ki = BINARY.indexOf(suffix as (typeof BINARY)[number]);
  if (ki > 0) return { ten: 0, two: ki * 10, notation: 'binary' };
  const e = EXPONENT.exec(suffix);
  return e === null ? undefined : { ten: Number(`${e[1]}${e[2] ?? 0}`), two: 0, notation: 'exponent' };
}

/** Returns digits x 10^ten x 2^two in nanos, rounded up and bounded above. The work is bounded for any digits and exponent. */
function magnitude(integer: string, fraction: string, ten: number, two: number): bigint {
  const [largest, digitsMax] = two > 0 ? [CAP, INTEGER_DIGITS_MAX] : [LARGEST, DECIMAL_DIGITS_MAX];
  const digits = integer + fraction;
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return 0n;
  // Position of the leading digit relative to the unit, after scaling by ten.
  const lead = significant.length - fraction.length + ten;
  if (lead > digitsMax) return largest;
  if (lead < -INTEGER_DIGITS_MAX) return 1n;
  const kept = significant.slice(0, digitsMax + INTEGER_DIGITS_MAX + 20);
  const lost = /[1-9]/.test(significant.slice(kept.length));
  const exponent = 9 + ten - fraction.length + (significant.length - kept.length);
  let value = BigInt(kept) << BigInt(two);
  if (exponent >= 0) value *= 10n ** BigInt(exponent);
  else {
    const by = 10n ** BigInt(-exponent);
    const up = value % by !== 0n;
    value = value / by + (up ? 1n : 0n);
    if (up) return value > largest ? largest : value;
  }
  if (lost) value += 1n;
  return value > largest ? largest : value;
}

/** The canonical text: no fraction, the largest suffix that keeps it so. */
export function formatQuantity(q: Quantity): string {
  if (q.nanos === 0n) return '0';
  const whole = q.nanos % UNIT === 0n;
  const units = q.nanos / UNIT;
  if (q.notation === 'binary' && whole && (units <= -1024n || units >= 1024n)) {
    let value = units;
    let power = 0;
    while (power < 6 && value % 1024n === 0n) {
      value /= 1024n;
      power++;
    }
    return `${value}${BINARY[power]!}`;
  }
  let value = q.nanos;
  let exponent = -9;
  while (value % 1000n === 0n) {
    value /= 1000n;
    exponent += 3;
  }
  const suffix = q.notation === 'exponent' ? undefined : DECIMAL_SUFFIX.get(exponent);
  return `${value}${suffix ?? (exponent === 0 ? '' : `e${exponent}`)}`;
}

/** The canonical form of a text, or undefined if it is not a quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const q = parseQuantity(text);
  return q === undefined ? undefined : formatQuantity(q);
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, notation: a.nanos === 0n ? b.notation : a.notation };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, notation: a.nanos === 0n ? b.notation : a.notation };
}

/** The amount in whole units, rounded away from zero. */
export function wholeUnits({ nanos }: Quantity): bigint {
  const rest = nanos % UNIT;
  const whole = (nanos - rest) / UNIT;
  return rest === 0n ? whole : whole + (nanos < 0n ? -1n : 1n);
}

/** The same as an int64, which overflows as in kube-apiserver: 9223372036854775808 is negative. */
export const units64 = (q: Quantity): bigint => BigInt.asIntN(64, wholeUnits(q));

/** Thousandths, rounded away from zero, as an int64, which overflows. */
export const milliUnits64 = (q: Quantity): bigint => BigInt.asIntN(64, roundUpToMilli(q).nanos / 1_000_000n);

/** Rounded away from zero to whole thousandths, as resource lists are defaulted. */
export function roundUpToMilli(q: Quantity): Quantity {
  const by = 1_000_000n;
  const rest = q.nanos % by;
  if (rest === 0n) return q;
  return { ...q, nanos: q.nanos - rest + (q.nanos > 0n ? by : -by) };
}

export const isIntegerQuantity = (q: Quantity): boolean => q.nanos % UNIT === 0n;
/** Rounded up. */
export const unitsOf = (q: Quantity): bigint => ceilDiv(q.nanos, UNIT);
/** Rounded up. */
export const milliUnitsOf = (q: Quantity): bigint => ceilDiv(q.nanos, UNIT / 1000n);

function ceilDiv(a: bigint, b: bigint): bigint {
  return a / b + (a % b > 0n ? 1n : 0n);
}
