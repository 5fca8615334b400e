import {
  addQuantities,
  compareQuantities,
  type Quantity,
  quantityOf,
  readQuantity,
  subtractQuantities,
} from '../../api/index.js';
import { declare, type Library } from '../environment.js';
import { fail, noOverload, Opaque, type Value } from '../values.js';
import { typeConstants } from './standard.js';

const NAME = 'kubernetes.Quantity';
const UNIT = 1_000_000_000n;

/**
 * A quantity. `whole`: kube-apiserver keeps it as an integer of units, which is the condition for `isInteger`. `scale`: the power of ten of
 * the last digit that it keeps, which decides how its approximation is rounded.
 */
export class QuantityValue extends Opaque {
  readonly quantity: Quantity;
  readonly whole: boolean;
  readonly scale: number;

  constructor(quantity: Quantity, whole: boolean, scale: number) {
    super();
    this.quantity = quantity;
    this.whole = whole;
    this.scale = scale;
  }

  get typeName(): string {
    return NAME;
  }

  equals(other: Value): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

/** Decimal digits that fit into 64 bits with any factor. */
const DECIMAL_DIGITS = 18;
const BINARY_DIGITS = 15;
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

interface Parts {
  /** The digits before the point, without leading zeros. */
  readonly digits: string;
  readonly fraction: string;
  readonly suffix: string;
}

function partsOf(text: string): Parts {
  const m = /^[+-]?([0-9]*)(?:\.([0-9]*))?(.*)$/.exec(text)!;
  return { digits: m[1]!.replace(/^0+/, ''), fraction: m[2] ?? '', suffix: m[3]! };
}

/**
 * Reports whether kube-apiserver keeps the quantity as a whole number of units: it is small enough, and written without
 * a fraction.
 */
function isWhole({ digits, fraction, suffix }: Parts): boolean {
  const binary = BINARY_EXPONENTS[suffix];
  if (binary !== undefined) return fraction === '' && BINARY_DIGITS - digits.length - Math.floor(binary * 0.3) - 1 >= 0;
  const exponent = decimalExponent(suffix);
  if (DECIMAL_DIGITS - digits.length - fraction.length < 0) return false;
  return exponent - fraction.length >= 0 && digits.length + exponent <= DECIMAL_DIGITS + 1;
}

const decimalExponent = (suffix: string): number => DECIMAL_EXPONENTS[suffix] ?? Number(suffix.slice(1) || '0');

const NANO = -9;

/** A quantity that does not fit into 64 bits, or with parts of a binary unit, is kept in nanos. */
function scaleOf({ digits, fraction, suffix }: Parts): number {
  const binary = BINARY_EXPONENTS[suffix];
  if (binary !== undefined) return isWhole({ digits, fraction, suffix }) ? 0 : NANO;
  const scale = decimalExponent(suffix) - fraction.length;
  const isKept = digits.length + fraction.length <= DECIMAL_DIGITS && scale >= NANO;
  return isKept ? Math.min(DECIMAL_DIGITS, scale) : NANO;
}

export function readQuantityValue(text: string): QuantityValue | string {
  const q = readQuantity(text);
  if ('error' in q) return q.error;
  const parts = partsOf(text);
  return new QuantityValue(q, isWhole(parts), scaleOf(parts));
}

/** The kept digits times a power of ten, as in kube-apiserver: `7100m` is 7.1000000000000005. */
function approximate({ quantity: { nanos }, scale }: QuantityValue): number {
  const unit = 10n ** BigInt(scale - NANO);
  // A capped quantity has other digits than its text.
  if (nanos % unit !== 0n) return Number(nanos) / 1e9;
  const digits = Number(nanos / unit);
  return scale < 0 ? digits * (1 / 10 ** -scale) : digits * 10 ** scale;
}

/** A sum keeps the digits of both; zero has none. */
function commonScale(a: QuantityValue, b: QuantityValue): number {
  if (b.quantity.nanos === 0n) return a.scale;
  return a.quantity.nanos === 0n ? b.scale : Math.min(a.scale, b.scale);
}

const fits = (v: bigint) => BigInt.asIntN(64, v) === v;

const method =
  (name: string, call: (q: QuantityValue) => Value) =>
  (q: Value): Value =>
    q instanceof QuantityValue ? call(q) : noOverload(name, q);

const combined =
  (name: string, combine: (a: Quantity, b: Quantity) => Quantity) =>
  (a: Value, b: Value): Value => {
    if (!(a instanceof QuantityValue)) return noOverload(name, a, b);
    const other = typeof b === 'bigint' ? new QuantityValue(quantityOf(b), true, 0) : b;
    if (!(other instanceof QuantityValue)) return noOverload(name, a, b);
    return new QuantityValue(combine(a.quantity, other.quantity), a.whole && other.whole, commonScale(a, other));
  };

const compared =
  (name: string, decide: (order: number) => Value) =>
  (a: Value, b: Value): Value =>
    a instanceof QuantityValue && b instanceof QuantityValue
      ? decide(compareQuantities(a.quantity, b.quantity))
      : noOverload(name, a, b);

const Q = NAME;

export const quantityLibrary: Library = {
  constants: typeConstants(NAME)!,
  functions: [
    declare('quantity', [`string_to_quantity: (string): ${Q}`], (s) => {
      if (typeof s !== 'string') return noOverload('quantity', s);
      const q = readQuantityValue(s);
      return typeof q === 'string' ? fail(q) : q;
    }),
    declare('isQuantity', ['is_quantity_string: (string): bool'], (s) =>
      typeof s === 'string' ? typeof readQuantityValue(s) !== 'string' : noOverload('isQuantity', s),
    ),
    declare(
      'sign',
      [`quantity_sign: (${Q}): int`],
      method('sign', ({ quantity: { nanos } }) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n)),
    ),
    declare(
      'isInteger',
      [`quantity_is_integer: ${Q}.(): bool`],
      method('isInteger', (q) => q.whole && fits(q.quantity.nanos / UNIT)),
    ),
    declare(
      'asInteger',
      [`quantity_get_int: ${Q}.(): int`],
      method('asInteger', (q) => {
        const units = q.quantity.nanos / UNIT;
        return q.whole && fits(units) ? units : fail('cannot convert value to integer');
      }),
    ),
    declare('asApproximateFloat', [`quantity_get_float: ${Q}.(): double`], method('asApproximateFloat', approximate)),
    declare(
      'add',
      [`quantity_add: ${Q}.(${Q}): ${Q}`, `quantity_add_int: ${Q}.(int): ${Q}`],
      combined('add', addQuantities),
    ),
    declare(
      'sub',
      [`quantity_sub: ${Q}.(${Q}): ${Q}`, `quantity_sub_int: ${Q}.(int): ${Q}`],
      combined('sub', subtractQuantities),
    ),
    declare(
      'isLessThan',
      [`quantity_is_less_than: ${Q}.(${Q}): bool`],
      compared('isLessThan', (o) => o < 0),
    ),
    declare(
      'isGreaterThan',
      [`quantity_is_greater_than: ${Q}.(${Q}): bool`],
      compared('isGreaterThan', (o) => o > 0),
    ),
    declare(
      'compareTo',
      [`quantity_compare_to: ${Q}.(${Q}): int`],
      compared('compareTo', (o) => BigInt(o)),
    ),
  ],
};
