import { formatQuantity, readQuantity } from '../../api/index.js';
import { withoutTrailing } from '../../base/index.js';
import type { Canonical } from './time.js';

/** One to three digits and a decimal suffix. This is canonical, and the form of most quantities. */
const PLAIN = /^[1-9][0-9]{0,2}[numkMGTPE]?$/;
const PARTS = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE])i|([numkMGTPE]|[eE][+-]?[0-9]+)?)$/;
const EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = 'KMGTPE';
/** The number of digits that fits an int64 for any digits; kube-apiserver computes with such quantities directly. */
const INT64_DIGITS = 18;
/** More digits than any quantity needs; longer values are capped instead of computed. */
const DIGITS_MAX = 256;

/**
 * Returns the text that kube-apiserver writes for a quantity. A text that passes kube-apiserver's own approximate test
 * for canonical form is kept unchanged (`1E3`, `1e+3`, `1.500`); all others are rewritten (`1000m` -> `1`, `1.5Gi` ->
 * `1536Mi`).
 */
export function canonicalQuantityText(written: string): Canonical {
  if (PLAIN.test(written)) return { ok: true, text: written };
  const text = written.trim();
  if (text === '0') return { ok: true, text };
  const value = readQuantity(text);
  if ('error' in value) return { ok: false, message: value.error };
  const parts = PARTS.exec(text);
  if (parts === null) return { ok: true, text: formatQuantity(value) };
  const [, sign, integer, fraction = '', binary, decimal = ''] = parts as unknown as [
    string,
    string,
    string,
    ...string[],
  ];
  const whole = integer.replace(/^0+/, '');
  const suffixExponent = /^[eE]./.test(decimal) ? Number(decimal.slice(1)) : (EXPONENTS[decimal] ?? 0);
  if (binary !== undefined) {
    const power = BINARY.indexOf(binary) + 1;
    return { ok: true, text: keepsBinary(whole, fraction, power) ? text : formatQuantity(value) };
  }
  const digits = (whole === '' ? '0' : whole) + fraction;
  const exponent = suffixExponent - fraction.length;
  if (digits.length <= INT64_DIGITS && exponent >= -9) {
    if (exponent % 3 === 0 && !digits.endsWith('000') && digits[0] !== '0') return { ok: true, text };
    return { ok: true, text: value.nanos === 0n ? '0' : decimalText(sign, digits, exponent, decimal) };
  }
  const capped = value.nanos !== 0n && digits.length <= DIGITS_MAX && exponent >= -9;
  return { ok: true, text: capped ? decimalText(sign, digits, exponent, decimal) : formatQuantity(value) };
}

/** kube-apiserver's test for a canonical binary quantity: one of the lowest three bits of the number is set. */
function keepsBinary(whole: string, fraction: string, power: number): boolean {
  if (fraction !== '' || whole === '' || 15 - whole.length - power * 3 - 1 < 0) return false;
  return (Number(whole) & 7) !== 0;
}

/**
 * Writes digits times ten to the exponent, with the largest exponent divisible by three. Decimal quantities are not
 * capped.
 */
function decimalText(sign: string, digits: string, exponent: number, suffix: string): string {
  let number = digits.replace(/^0+/, '');
  const zeros = number.length - withoutTrailing(number, '0').length;
  let shift = exponent + zeros;
  number = number.slice(0, number.length - zeros);
  while (shift % 3 !== 0) {
    number += '0';
    shift--;
  }
  const letter = Object.keys(EXPONENTS).find((s) => EXPONENTS[s] === shift);
  const exponential = /^[eE]./.test(suffix) || (shift !== 0 && letter === undefined);
  const unit = shift === 0 ? '' : exponential ? `e${shift}` : letter;
  return `${sign === '-' ? '-' : ''}${number}${unit}`;
}
