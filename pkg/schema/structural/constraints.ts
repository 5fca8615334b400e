import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import {
  apiLimits,
  equalJson,
  FieldErrors,
  type FieldPath,
  getOwn,
  goDouble,
  goJson,
  isLongSearch,
  isObject,
  isPatternTooLarge,
  type JsonValue,
  Printed,
  patternSize,
  searchSteps,
  type TextMatch,
} from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import type { Constraints, NumberBound } from '../types.js';
import { textFormats } from './formats.js';
import { checkValueType, outOfRange, typeOf, wrongType } from './valuetype.js';

/** Whether texts match patterns, by pattern and text. */
type Matches = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

const progress: { checked: number; known: Matches | undefined } = {
  /** Counts the schemas that values were checked against, to find the branch of a combination that got furthest. */
  checked: 0,
  /** The long searches in the branches of the combination that is being checked. */
  known: undefined,
};

/**
 * Validates a value against constraints, with the messages of kube-apiserver. Constraints for another type of value are ignored.
 */
export function checkConstraints(value: JsonValue, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  if (progress.known === undefined && hasCombinations(c)) {
    const long = [...longSearches(value, c, false)];
    if (long.length > 0) {
      errors.run(searchFirst(long, () => checkNow(value, c, path, errors)));
      return;
    }
  }
  checkNow(value, c, path, errors);
}

const hasCombinations = ({ allOf, anyOf, oneOf, not }: Constraints): boolean =>
  (allOf ?? anyOf ?? oneOf ?? not) !== undefined;

interface Search {
  readonly text: string;
  readonly pattern: string;
}

/** The searches in long texts that the branches of combinations make. `inBranch`: `c` is in a branch. */
function* longSearches(value: JsonValue, c: Constraints, inBranch: boolean): Generator<Search> {
  for (const list of [c.allOf, c.anyOf, c.oneOf])
    if (list !== undefined) for (const branch of list) yield* longSearches(value, branch, true);
  if (c.not !== undefined) yield* longSearches(value, c.not, true);
  if (!inBranch) return;
  if (typeof value === 'string') {
    if (c.pattern !== undefined && isLongSearch(value, patternOf(c.pattern).size))
      yield { text: value, pattern: c.pattern };
  } else if (Array.isArray(value)) {
    if (c.items !== undefined) for (const item of value) yield* longSearches(item, c.items, true);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const inner = c.properties?.get(name) ?? c.additionalProperties;
      if (inner !== undefined) yield* longSearches(value[name] as JsonValue, inner, true);
    }
  }
}

/** Makes searches in steps, and then a check that cannot pause. */
function* searchFirst(searches: readonly Search[], check: () => void): Steps<void> {
  const known = new Map<string, Map<string, boolean>>();
  for (const { text, pattern } of searches) {
    const ofPattern = known.get(pattern) ?? new Map<string, boolean>();
    known.set(pattern, ofPattern);
    const { expression, size } = patternOf(pattern);
    const tooLong = text.length * size > apiLimits.patternStepsMax;
    if (!ofPattern.has(text)) ofPattern.set(text, !tooLong && (yield* searchSteps(expression, text)) !== undefined);
  }
  progress.known = known;
  try {
    check();
  } finally {
    progress.known = undefined;
  }
}

function checkNow(value: JsonValue, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  progress.checked++;
  if (value !== null) checkCombinations(value, c, path, errors);
  if (typeof value === 'string') checkText(value, c, path, errors);
  else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, c, path, errors);
  else if (Array.isArray(value)) checkCount(value.length, c.minItems, c.maxItems, 'items', path, errors);
  else if (isObject(value)) {
    checkCount(Object.keys(value).length, c.minProperties, c.maxProperties, 'properties', path, errors);
  }
  if (c.enum !== undefined && !c.enum.some((allowed) => isMember(value, allowed)))
    notInEnum(value, c.enum, path, errors);
  checkInside(value, c, path, errors);
}

/** kube-apiserver converts a number to the type of the member, so 1.5 is among 1 and 2 (and has the wrong type). */
function isMember(value: JsonValue, allowed: JsonValue): boolean {
  const whole = typeof value === 'number' && Number.isInteger(allowed) ? Math.trunc(value) : value;
  return equalJson(allowed, whole);
}

/** Reports a value that is none of an enumeration. */
export function notInEnum(value: JsonValue, allowed: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  const supported = allowed.map((v) => (typeof v === 'string' ? v : goJson(v)));
  errors.notSupportedText(path, value, supported);
}

function checkText(value: string, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  checkLetters(value, c, path, errors);
  if (c.format !== undefined && textFormats.get(c.format)?.(value) === false) wrongType(value, c.format, path, errors);
}

/** Reports the first of the length and the pattern that does not fit. */
function checkLetters(value: string, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  const { length } = value;
  // A code point is one or two units, so few lengths need a count.
  const isLonger = (max: number) => length > max && (length > 2 * max || codePoints(value) > max);
  if (c.maxLength !== undefined && isLonger(c.maxLength)) errors.tooLong(path, c.maxLength);
  else if (c.minLength !== undefined && length < 2 * c.minLength && codePoints(value) < c.minLength)
    errors.invalid(path, value, `${path} in body should be at least ${c.minLength} chars long`);
  else if (c.pattern !== undefined) checkPattern(c.pattern, value, path, errors);
}

/** A long text is searched in steps. */
function checkPattern(pattern: string, value: string, path: FieldPath, errors: FieldErrors): void {
  const { expression, size } = patternOf(pattern);
  const refuse = (): void => void errors.invalid(path, value, `${path} in body should match '${pattern}'`);
  const steps = value.length * size;
  const known = progress.known?.get(pattern)?.get(value);
  if (known !== undefined) {
    if (!known) refuse();
    return;
  }
  if (steps > apiLimits.patternStepsMax) refuse();
  else if (isLongSearch(value, size)) errors.run(orElse(searchSteps(expression, value), refuse));
  else {
    errors.charge(Math.floor((steps * apiLimits.checkedAtOnce) / apiLimits.patternStepsAtOnce));
    if (!expression.matcher(value).find()) refuse();
  }
}

function* orElse(search: Steps<TextMatch | undefined>, refuse: () => void): Steps<void> {
  if ((yield* search) === undefined) refuse();
}

const codePoints = (text: string): number => [...text].length;

/**
 * Compiled patterns. Patterns come from clients; RE2 takes time linear in the text for any pattern. The cache is bounded because
 * definitions are added and removed.
 */
const PATTERNS_MAX = 1000;
const patterns = new Map<string, Pattern>();
const load = createRequire(import.meta.url);
let engine: typeof import('re2js') | undefined;

interface Pattern {
  readonly expression: RE2JS;
  readonly size: number;
}

function patternOf(pattern: string): Pattern {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    if (patterns.size >= PATTERNS_MAX) patterns.clear();
    compiled = { expression: compilePattern(pattern), size: patternSize(pattern) };
    patterns.set(pattern, compiled);
  }
  return compiled;
}

function compilePattern(pattern: string): RE2JS {
  // Loaded at first use: a quarter of a megabyte of code that a server without custom resources does not need.
  engine ??= load('re2js') as typeof import('re2js');
  return engine.RE2JS.compile(pattern);
}

/** Returns the reason why a pattern cannot be compiled, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  if (isPatternTooLarge(pattern)) return 'error parsing regexp: expression too large';
  try {
    compilePattern(pattern);
    return undefined;
  } catch (e) {
    return e instanceof Error ? e.message : String(e);
  }
}

const BOUND_NAMES = {
  multipleOf: 'MultipleOf value',
  maximum: 'Maximum boundary value',
  minimum: 'Minimum boundary value',
} as const;

/**
 * Compares integers of 64 bits with bounds that are cut to such integers, as kube-apiserver does, and other numbers with doubles, which also
 * serve where an integer has a bound that is none.
 */
function checkNumber(value: number | bigint, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  const isInt64 = typeOf(value) === 'integer';
  const check = (key: NumberBound, holds: (v: number | bigint, bound: number | bigint) => boolean, words: string) => {
    const bound = c[key];
    if (bound === undefined) return;
    const isMisfit = c.misfits?.keys.includes(key) === true;
    if (isMisfit) outOfRange(c.misfits.type, path, errors, BOUND_NAMES[key]);
    const whole = isInt64 && !isMisfit;
    const [v, b] = whole ? [value, toInt64(bound)] : [Number(value), bound];
    const shown = whole ? String(b) : goDouble(bound);
    if (key === 'multipleOf' && b <= 0)
      errors.invalid(path, b, `factor MultipleOf declared for ${path} must be positive: ${shown}`);
    else if (!holds(v, b))
      errors.invalid(
        path,
        whole ? v : new Printed(() => goDouble(Number(v))),
        `${path} in body should be ${words} ${shown}`,
      );
  };
  check('multipleOf', isMultiple, 'a multiple of');
  if (c.exclusiveMaximum === true) check('maximum', (v, max) => v < max, 'less than');
  else check('maximum', (v, max) => v <= max, 'less than or equal to');
  if (c.exclusiveMinimum === true) check('minimum', (v, min) => v > min, 'greater than');
  else check('minimum', (v, min) => v >= min, 'greater than or equal to');
}

/** Cuts a double to an integer of 64 bits. One that does not fit becomes the least, as on most processors. */
function toInt64(n: number): bigint {
  const cut = Math.trunc(n);
  return cut >= -(2 ** 63) && cut < 2 ** 63 ? BigInt(cut) : -(2n ** 63n);
}

/** Tolerates rounding of doubles: 0.3 is a multiple of 0.1. A double is no multiple if the quotient is not safe. */
function isMultiple(value: number | bigint, of: number | bigint): boolean {
  if (typeof of === 'bigint') return BigInt(value) % of === 0n;
  const times = of < 1 ? (1 / of) * Number(value) : Number(value) / of;
  if (Math.abs(times) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(times);
  if (whole === 0) return times === 0;
  return Math.abs(times - whole) < 1e-9 * Math.abs(times + whole);
}

function checkCount(
  count: number,
  min: number | undefined,
  max: number | undefined,
  what: 'items' | 'properties',
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (min !== undefined && count < min) {
    errors.invalid(path, count, `${path} in body should have at least ${min} ${what}`);
  }
  if (max !== undefined && count > max) errors.tooMany(path, count, max);
}

/** Checks a value against a branch of a combination, or against a part of one, which has a type only for integers or strings. */
function checkBranch(value: JsonValue, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  checkValueType(value, { type: c.type, format: c.format }, path, errors);
  checkConstraints(value, c, path, errors);
}

/** Constraints that occur only in branches of combinations. */
function checkInside(value: JsonValue, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  if (Array.isArray(value)) {
    const { items } = c;
    if (items !== undefined) value.forEach((item, i) => void checkBranch(item, items, path.index(i), errors));
  } else if (isObject(value)) {
    for (const [name, inner] of c.properties ?? []) {
      const given = getOwn(value, name);
      if (given !== undefined) checkBranch(given, inner, path.child(name), errors);
    }
    const { additionalProperties } = c;
    if (additionalProperties !== undefined) {
      for (const name of Object.keys(value)) {
        if (c.properties?.has(name) === true) continue;
        checkBranch(value[name] as JsonValue, additionalProperties, path.child(name), errors);
      }
    }
    for (const name of c.required ?? []) {
      if (!Object.hasOwn(value, name)) errors.required(path.child(name));
    }
  }
}

function checkCombinations(value: JsonValue, c: Constraints, path: FieldPath, errors: FieldErrors): void {
  const { allOf, anyOf, oneOf, not } = c;
  const fail = (words: string): void =>
    void errors.add('FieldValueInvalid', '<nil>', `Invalid value: "": "${path}" ${words}`);
  const attempt = (branch: Constraints): Attempt => {
    const found = new FieldErrors();
    const before = progress.checked;
    checkBranch(value, branch, path, found);
    return { list: found.list, empty: found.empty, checked: progress.checked - before };
  };
  if (anyOf !== undefined) {
    const tries = anyOf.map(attempt);
    if (!tries.some((t) => t.empty)) {
      fail('must validate at least one schema (anyOf)');
      errors.addAll(furthest(tries));
    }
  }
  if (oneOf !== undefined) {
    const tries = oneOf.map(attempt);
    const valid = tries.filter((t) => t.empty).length;
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      fail(`must validate one and only one schema (oneOf). ${found}`);
      if (valid === 0) errors.addAll(furthest(tries));
    }
  }
  if (allOf !== undefined) {
    const tries = allOf.map(attempt);
    for (const t of tries) errors.addAll(t.list);
    const valid = tries.filter((t) => t.empty).length;
    if (valid < tries.length) fail(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not !== undefined && attempt(not).empty) fail('must not validate the schema (not)');
}

interface Attempt {
  readonly list: FieldErrors['list'];
  readonly empty: boolean;
  /** How many schemas the branch checked. */
  readonly checked: number;
}

/** Returns the errors of the branch that checked the most, because it is the likely one. */
function furthest(tries: readonly Attempt[]): FieldErrors['list'] {
  let best = tries[0]!;
  for (const t of tries) if (t.checked > best.checked) best = t;
  return best.list;
}
