import type { Steps } from '../base/index.js';
import { goJson, goNumber, goQuote } from './go-format.js';
import type { JsonValue } from './json.js';

/** Values as errors show them. */

/** A formatted value, or a function that formats it. Errors print it as it is; those that are dropped do not format it. */
export class Printed {
  readonly #text: string | (() => string);
  /** The value whose length tells how long formatting takes. */
  readonly #of: JsonValue | readonly JsonValue[] | undefined;

  /** `of`: the value that the function formats. */
  constructor(text: string | (() => string), of?: JsonValue | readonly JsonValue[]) {
    this.#text = text;
    this.#of = of;
  }

  get text(): string {
    return typeof this.#text === 'string' ? this.#text : this.#text();
  }

  /** Whether formatting takes long. */
  get long(): boolean {
    return typeof this.#text !== 'string' && isLong(this.#of);
  }
}

export type BadValue = JsonValue | Printed;

/** Values in a value that is printed at once. */
const VALUES_AT_ONCE = 200;

/** Reports whether a value takes long to print: it contains more than some hundred values. */
export function isLong(
  value: BadValue | readonly JsonValue[] | undefined,
): value is Printed | readonly JsonValue[] | { readonly [name: string]: JsonValue } {
  if (value instanceof Printed) return value.long;
  return typeof value === 'object' && value !== null && valuesLeft(value as JsonValue, VALUES_AT_ONCE) < 0;
}

/** `left` less the number of values in `value`. Counting ends below 0. */
function valuesLeft(value: JsonValue, left: number): number {
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  if (Array.isArray(value)) for (let i = 0; i < value.length && rest >= 0; i++) rest = valuesLeft(value[i]!, rest);
  else
    for (const name in value) {
      rest = valuesLeft(value[name]!, rest);
      if (rest < 0) break;
    }
  return rest;
}

/** A bad value as kube-apiserver prints it: strings quoted, scalars bare, everything else as JSON; absent is `null`. */
export function printed(value: BadValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (value instanceof Printed) return value.text;
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'object') return goJson(value, 'asTheyStand');
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** The same for a long value: a list in pieces, everything else in a step of its own. */
export function* printedInSteps(value: BadValue): Steps<string> {
  if (!Array.isArray(value)) return printed(value);
  const pieces: string[] = [];
  for (let i = 0; i < value.length; i += VALUES_AT_ONCE) {
    if (i > 0) yield;
    pieces.push(goJson(value.slice(i, i + VALUES_AT_ONCE), 'asTheyStand').slice(1, -1));
  }
  return `[${pieces.join(',')}]`;
}

export function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`;
}
