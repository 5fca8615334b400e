import { declare, type Library } from '../environment.js';
import { fail, noOverload, Opaque, type Value } from '../values.js';
import { typeConstants } from './standard.js';

const NAME = 'kubernetes.Semver';
/** Digits of a number in a version. */
const UINT64_MAX = (1n << 64n) - 1n;
/** The maximum length of a version. */
const LENGTH_MAX = 1000;

/** A semantic version. Build metadata does not count in comparisons. */
export class SemverValue extends Opaque {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: readonly (bigint | string)[];

  constructor(major: bigint, minor: bigint, patch: bigint, pre: readonly (bigint | string)[]) {
    super();
    this.major = major;
    this.minor = minor;
    this.patch = patch;
    this.pre = pre;
  }

  get typeName(): string {
    return NAME;
  }

  equals(other: Value): boolean {
    return other instanceof SemverValue && this.compare(other) === 0;
  }

  compare(other: SemverValue): number {
    const numbers = order(this.major, other.major) || order(this.minor, other.minor) || order(this.patch, other.patch);
    if (numbers !== 0) return numbers;
    if (this.pre.length === 0 || other.pre.length === 0) return order(other.pre.length > 0, this.pre.length > 0);
    for (let i = 0; i < Math.min(this.pre.length, other.pre.length); i++) {
      const [a, b] = [this.pre[i]!, other.pre[i]!];
      // Numbers sort before texts.
      const part = typeof a === typeof b ? order(a, b) : typeof a === 'bigint' ? -1 : 1;
      if (part !== 0) return part;
    }
    return order(this.pre.length, other.pre.length);
  }
}

function order<T extends bigint | string | number | boolean>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const isNumeric = (s: string) => s !== '' && !/[^0-9]/.test(s);
const isAlphanumeric = (s: string) => !/[^0-9A-Za-z-]/.test(s);
const quoted = (s: string) => JSON.stringify(s);

/** Returns the version, or the error message if the text is not one. */
export function parseSemver(text: string): SemverValue | string {
  if (text === '') return 'Version string empty';
  if (text.length > LENGTH_MAX) return 'No Major.Minor.Patch elements found';
  const first = text.indexOf('.');
  const second = first < 0 ? -1 : text.indexOf('.', first + 1);
  if (second < 0) return 'No Major.Minor.Patch elements found';
  const numbers: bigint[] = [];
  for (const [name, part] of [
    ['Major', text.slice(0, first)],
    ['Minor', text.slice(first + 1, second)],
  ] as const) {
    const found = readNumber(name, part);
    if (typeof found === 'string') return found;
    numbers.push(found);
  }
  let rest = text.slice(second + 1);
  let build: string[] = [];
  let pre: string[] = [];
  const plus = rest.indexOf('+');
  if (plus >= 0) {
    build = rest.slice(plus + 1).split('.');
    rest = rest.slice(0, plus);
  }
  const dash = rest.indexOf('-');
  if (dash >= 0) {
    pre = rest.slice(dash + 1).split('.');
    rest = rest.slice(0, dash);
  }
  const patch = readNumber('Patch', rest);
  if (typeof patch === 'string') return patch;
  const parts: (bigint | string)[] = [];
  for (const part of pre) {
    if (part === '') return 'Prerelease is empty';
    if (isNumeric(part)) {
      if (part.length > 1 && part.startsWith('0'))
        return `Numeric PreRelease version must not contain leading zeroes ${quoted(part)}`;
      parts.push(BigInt(part));
    } else if (isAlphanumeric(part)) parts.push(part);
    else return `Invalid character(s) found in prerelease ${quoted(part)}`;
  }
  for (const part of build) {
    if (part === '') return 'Build meta data is empty';
    if (!isAlphanumeric(part)) return `Invalid character(s) found in build meta data ${quoted(part)}`;
  }
  return new SemverValue(numbers[0]!, numbers[1]!, patch, parts);
}

function readNumber(name: 'Major' | 'Minor' | 'Patch', part: string): bigint | string {
  if (!isNumeric(part))
    return part === ''
      ? emptyNumber(part)
      : `Invalid character(s) found in ${name.toLowerCase()} number ${quoted(part)}`;
  if (part.length > 1 && part.startsWith('0')) return `${name} number must not contain leading zeroes ${quoted(part)}`;
  const value = BigInt(part);
  return value > UINT64_MAX ? `strconv.ParseUint: parsing ${quoted(part)}: value out of range` : value;
}

function emptyNumber(part: string): string {
  return `strconv.ParseUint: parsing ${quoted(part)}: invalid syntax`;
}

/**
 * Normalizes `v1.2`, `01.2.3` and similar texts: drops a leading `v` and leading zeros, and sets missing parts to 0.
 */
export function normalizeSemver(text: string): SemverValue | string {
  if (text.length > LENGTH_MAX) return 'No Major.Minor.Patch elements found';
  const plain = text.replace(/^v/, '');
  const parts = splitAtDots(plain, 3).map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3) {
    if (/[+-]/.test(parts.at(-1)!)) return 'short version cannot contain PreRelease/Build meta data';
    while (parts.length < 3) parts.push('0');
  }
  return parseSemver(parts.join('.'));
}

function splitAtDots(text: string, most: number): string[] {
  const parts: string[] = [];
  let start = 0;
  while (parts.length < most - 1) {
    const dot = text.indexOf('.', start);
    if (dot < 0) break;
    parts.push(text.slice(start, dot));
    start = dot + 1;
  }
  parts.push(text.slice(start));
  return parts;
}

function read(args: readonly Value[]): SemverValue | string | undefined {
  const [text, normalize] = args;
  if (typeof text !== 'string' || (args.length === 2 && typeof normalize !== 'boolean')) return undefined;
  return normalize === true ? normalizeSemver(text) : parseSemver(text);
}

const compared =
  (name: string, decide: (order: number) => Value) =>
  (a: Value, b: Value): Value =>
    a instanceof SemverValue && b instanceof SemverValue ? decide(a.compare(b)) : noOverload(name, a, b);

const part =
  (name: 'major' | 'minor' | 'patch') =>
  (v: Value): Value =>
    v instanceof SemverValue ? v[name] : noOverload(name, v);

const S = NAME;

export const semverLibrary: Library = {
  constants: typeConstants(NAME)!,
  functions: [
    declare(
      'semver',
      [`string_to_semver: (string): ${S}`, `string_bool_to_semver: (string, bool): ${S}`],
      (...args) => {
        const found = read(args);
        if (found === undefined) return noOverload('semver', ...args);
        return typeof found === 'string' ? fail(found) : found;
      },
    ),
    declare(
      'isSemver',
      ['is_semver_string: (string): bool', 'is_semver_string_bool: (string, bool): bool'],
      (...args) => {
        const found = read(args);
        return found === undefined ? noOverload('isSemver', ...args) : typeof found !== 'string';
      },
    ),
    declare(
      'isGreaterThan',
      [`semver_is_greater_than: ${S}.(${S}): bool`],
      compared('isGreaterThan', (o) => o > 0),
    ),
    declare(
      'isLessThan',
      [`semver_is_less_than: ${S}.(${S}): bool`],
      compared('isLessThan', (o) => o < 0),
    ),
    declare(
      'compareTo',
      [`semver_compare_to: ${S}.(${S}): int`],
      compared('compareTo', (o) => BigInt(o)),
    ),
    declare('major', [`semver_major: ${S}.(): int`], part('major')),
    declare('minor', [`semver_minor: ${S}.(): int`], part('minor')),
    declare('patch', [`semver_patch: ${S}.(): int`], part('patch')),
  ],
};
