import { createRequire } from 'node:module';
import type { Matcher, RE2JS } from 're2js';
import {
  afterMatch,
  apiLimits,
  isLongSearch,
  isPatternTooLarge,
  patternSize,
  searchSteps,
  type TextMatch,
} from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import { declare, type Library } from '../environment.js';
import { ArrayList, CelError, fail, NO_OVERLOAD, noOverload, type Value } from '../values.js';

/** Patterns come from clients: RE2 takes time linear in the text. Compiled patterns are kept, up to a bound. */
const PATTERNS_MAX = 1000;
const patterns = new Map<string, Pattern | string>();
const load = createRequire(import.meta.url);
let engine: typeof import('re2js') | undefined;

interface Pattern {
  readonly expression: RE2JS;
  /** See `patternSize`. */
  readonly size: number;
}

/** Returns the compiled pattern, or kube-apiserver's error message. */
export function compilePattern(pattern: string): Pattern | string {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    if (isPatternTooLarge(pattern)) return 'error parsing regexp: expression too large';
    if (patterns.size >= PATTERNS_MAX) patterns.clear();
    // Loaded on first use, so that it does not slow down the start.
    engine ??= load('re2js') as typeof import('re2js');
    try {
      compiled = { expression: engine.RE2JS.compile(pattern), size: patternSize(pattern) };
    } catch (error) {
      compiled = sentence(error as Error);
    }
    patterns.set(pattern, compiled);
  }
  return compiled;
}

function sentence(error: Error): string {
  const message = error.message.replace(/^error parsing regexp: /, '');
  // Look-around is reported by its opening characters.
  const perl = /^invalid (?:or unsupported Perl syntax|named capture): `(\(\?[=!<])/.exec(message);
  if (perl !== null) return `error parsing regexp: invalid or unsupported Perl syntax: \`${perl[1]}\``;
  return `error parsing regexp: ${message}`;
}

export function matches(text: Value, pattern: Value): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_OVERLOAD;
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') return fail(compiled);
  return isTooLong(text, compiled) ? fail(TOO_LONG) : compiled.expression.matcher(text).find();
}

const TOO_LONG = 'the text is too long for the regular expression';

const isTooLong = (text: string, { size }: Pattern): boolean => text.length * size > apiLimits.patternStepsMax;

function illegal(text: string, pattern: string): Pattern | CelError {
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') return fail(`Illegal regex: ${compiled}`);
  return isTooLong(text, compiled) ? fail(TOO_LONG) : compiled;
}

function find(text: Value, pattern: Value): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noOverload('find', text, pattern);
  const compiled = illegal(text, pattern);
  if (compiled instanceof CelError) return compiled;
  const matcher = compiled.expression.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

const findAll = (...args: Value[]): Value => finish(findAllSteps(args));

/**
 * Each search may read the text to its end, whatever it finds: `x[xy]*z|x` in a text of `x` finds single characters. So all searches together
 * take time quadratic in the text.
 */
function* findAllSteps(args: readonly Value[]): Steps<Value> {
  const [text, pattern, limit] = args;
  const bounded = args.length === 3;
  if (typeof text !== 'string' || typeof pattern !== 'string' || (bounded && typeof limit !== 'bigint'))
    return noOverload('findAll', ...args);
  const compiled = illegal(text, pattern);
  if (compiled instanceof CelError) return compiled;
  const most = bounded && (limit as bigint) >= 0n ? Number(limit) : Number.POSITIVE_INFINITY;
  const found: Value[] = [];
  const matcher = compiled.expression.matcher(text);
  const next = (before: TextMatch | undefined) => nextMatch(text, compiled, matcher, before);
  // An empty match directly after a match is ignored.
  let end = -1;
  let steps = 0;
  let stepsAtPause = 0;
  yield;
  for (let match = yield* next(undefined); match !== undefined && found.length < most; match = yield* next(match)) {
    const empty = match.start === match.end;
    if (!(empty && match.start === end)) found.push(text.slice(match.start, match.end));
    end = match.end;
    steps += (text.length - end) * compiled.size;
    if (steps > apiLimits.allSearchesStepsMax) return fail(TOO_LONG);
    if (steps - stepsAtPause > CHEAP_STEPS) {
      stepsAtPause = steps;
      yield;
    }
  }
  return new ArrayList(found);
}

/** The match after `before`: the next one of the matcher, or in steps if the text is long. */
function* nextMatch(
  text: string,
  { expression, size }: Pattern,
  matcher: Matcher,
  before: TextMatch | undefined,
): Steps<TextMatch | undefined> {
  if (isLongSearch(text, size))
    return yield* searchSteps(expression, text, before === undefined ? 0 : afterMatch(text, before));
  return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
}

/** Searches up to this product of text and pattern take about a tenth of a millisecond. */
const CHEAP_STEPS = 32 * 1024;

/** The first match of a long text in steps; undefined if it is short, or is not searched. */
function longSearch([text, pattern]: readonly Value[]): Steps<TextMatch | undefined> | undefined {
  if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string' || isTooLong(text, compiled) || !isLongSearch(text, compiled.size)) return undefined;
  return searchSteps(compiled.expression, text);
}

/** Searches that may take long, in steps, by the name of their function. */
export const searches: Readonly<Record<string, (args: readonly Value[]) => Steps<Value>>> = {
  *matches(args) {
    yield;
    const long = longSearch(args);
    return long === undefined ? matches(args[0]!, args[1]!) : (yield* long) !== undefined;
  },
  *find(args) {
    yield;
    const long = longSearch(args);
    if (long === undefined) return find(args[0]!, args[1]!);
    const match = yield* long;
    return match === undefined ? '' : (args[0] as string).slice(match.start, match.end);
  },
  findAll: findAllSteps,
};

/** Whether a call of one of `searches` takes so little time that it need not pause. */
export function isCheapSearch(name: string, [text, pattern]: readonly Value[]): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string') return true;
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') return true;
  return compiled.size * text.length * (name === 'findAll' ? text.length : 1) <= CHEAP_STEPS;
}

export const regexLibrary: Library = {
  functions: [
    declare('find', ['string_find_string: string.(string): string'], find),
    declare(
      'findAll',
      [
        'string_find_all_string: string.(string): list(string)',
        'string_find_all_string_int: string.(string, int): list(string)',
      ],
      findAll,
    ),
  ],
};
