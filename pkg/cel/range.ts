/** Ranges of costs and sizes. Arithmetic stops at the greatest unsigned number of 64 bits instead of wrapping around. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

export const MAX = (1n << 64n) - 1n;
export const ZERO: Range = { min: 0n, max: 0n };
export const UNKNOWN: Range = { min: 0n, max: MAX };

export const bounded = (n: bigint): bigint => (n > MAX ? MAX : n);

export function exactly(n: number | bigint): Range {
  const value = BigInt(n);
  return { min: value, max: value };
}

export function add(a: Range, b: Range): Range {
  return { min: bounded(a.min + b.min), max: bounded(a.max + b.max) };
}

export function product(a: Range, b: Range): Range {
  return { min: bounded(a.min * b.min), max: bounded(a.max * b.max) };
}

/** Math.min does not accept 64-bit integers. */
export function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function union(a: Range, b: Range): Range {
  return { min: least(a.min, b.min), max: a.max + b.max - least(a.max, b.max) };
}

/** Multiplies by a factor and rounds up. */
export function factor(a: Range, by: number): Range {
  return { min: times(a.min, by), max: times(a.max, by) };
}

function times(n: bigint, by: number): bigint {
  const found = Math.ceil(Number(n) * by);
  return found >= 2 ** 64 ? MAX : BigInt(found);
}
