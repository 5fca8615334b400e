import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { apiLimits, isPatternTooLarge, patternSize } from '../../api/index.js';
import { declare, type Library } from '../environment.js';
import { ArrayList, CelError, fail, NO_OVERLOAD, noOverload, type Value } from '../values.js';

/** Patterns come from clients: RE2 takes time linear in the text. Compiled patterns are kept, up to a bound. */
const PATTERNS_MAX = 1000;
const patterns = new Map<string, RE2JS | string>();
const load = createRequire(import.meta.url);
let engine: typeof import('re2js') | undefined;

/** Returns the compiled pattern, or kube-apiserver's error message. */
export function compilePattern(pattern: string): RE2JS | string {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    if (isPatternTooLarge(pattern)) return 'error parsing regexp: expression too large';
    if (patterns.size >= PATTERNS_MAX) patterns.clear();
    // Loaded on first use, so that it does not slow down the start.
    engine ??= load('re2js') as typeof import('re2js');
    try {
      compiled = engine.RE2JS.compile(pattern);
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
  return isTooLong(text, pattern) ? fail(TOO_LONG) : compiled.matcher(text).find();
}

const TOO_LONG = 'the text is too long for the regular expression';

/** Matching cannot be interrupted. */
const isTooLong = (text: string, pattern: string): boolean =>
  text.length > SHORT && text.length * patternSize(pattern) > apiLimits.patternStepsMax;

/** The cost of matching shorter texts is not estimated. */
const SHORT = 1024;

function illegal(text: string, pattern: string): RE2JS | CelError {
  const compiled = compilePattern(pattern);
  if (isTooLong(text, pattern)) return fail(TOO_LONG);
  return typeof compiled === 'string' ? fail(`Illegal regex: ${compiled}`) : compiled;
}

function find(text: Value, pattern: Value): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noOverload('find', text, pattern);
  const compiled = illegal(text, pattern);
  if (compiled instanceof CelError) return compiled;
  const matcher = compiled.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(...args: Value[]): Value {
  const [text, pattern, limit] = args;
  const bounded = args.length === 3;
  if (typeof text !== 'string' || typeof pattern !== 'string' || (bounded && typeof limit !== 'bigint'))
    return noOverload('findAll', ...args);
  const compiled = illegal(text, pattern);
  if (compiled instanceof CelError) return compiled;
  const most = bounded && (limit as bigint) >= 0n ? Number(limit) : Number.POSITIVE_INFINITY;
  const found: Value[] = [];
  const matcher = compiled.matcher(text);
  // An empty match directly after a match is ignored.
  let end = -1;
  while (found.length < most && matcher.find()) {
    const empty = matcher.start() === matcher.end();
    if (!(empty && matcher.start() === end)) found.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return new ArrayList(found);
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
