/** Times of tokens (RFC 7519, 2) as kube-apiserver computes with them: 64-bit integers that wrap around. */

const INT64_MIN = -(2n ** 63n);
/** Seconds from the year 1, from which Go counts, to 1970. */
const FROM_YEAR_1 = 62_135_596_800n;

/** Returns a number in a token as an integer: beyond 64 bits it is the smallest one. */
export function integerOf(value: number): bigint {
  const whole = Math.trunc(value);
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : INT64_MIN;
}

/** Returns the seconds since the epoch with which a time is compared: very late times are very early ones. */
export const comparedSeconds = (seconds: bigint): number =>
  Number(BigInt.asIntN(64, seconds + FROM_YEAR_1) - FROM_YEAR_1);

const CYCLE_DAYS = 146_097n;
const CYCLE_YEARS = 400n;
const DAY = 86_400n;
/** The first moment that Go can print, in seconds since the epoch. */
const PRINTED_MIN = -9_223_371_966_579_724_800n;

/** Formats a time as in kube-apiserver's errors: `2026-11-28 20:23:37 +0000 UTC`. */
export function timeText(seconds: bigint): string {
  const shown = seconds < PRINTED_MIN ? seconds + 2n ** 64n : seconds;
  const day = (shown - mod(shown, DAY)) / DAY;
  const cycle = (day - mod(day, CYCLE_DAYS)) / CYCLE_DAYS;
  const date = new Date(Number((day - cycle * CYCLE_DAYS) * DAY + mod(shown, DAY)) * 1000);
  const year = BigInt(date.getUTCFullYear()) + cycle * CYCLE_YEARS;
  const digits = (year < 0n ? -year : year).toString().padStart(4, '0');
  return `${year < 0n ? '-' : ''}${digits}${date.toISOString().slice(4, 19).replace('T', ' ')} +0000 UTC`;
}

const mod = (a: bigint, b: bigint): bigint => ((a % b) + b) % b;
