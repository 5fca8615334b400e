import type { FieldErrors, FieldPath } from '../../../api/index.js';
import type { ValueSize } from './sizes.js';

/** The limits of the estimated costs of one expression, and of all expressions of a schema. */
const EXPRESSION_COST_MAX = 10_000_000n;
const SCHEMA_COST_MAX = 100_000_000n;

const UINT64_MAX = (1n << 64n) - 1n;
const REQUEST_BYTES_MAX = 3 * 1024 * 1024;
/**
 * If the limit of the schema is exceeded, expressions with a smaller share of it are not named; at most this many are.
 */
const NAMED_COST_MIN = SCHEMA_COST_MAX / 100n;
const NAMED_MAX = 4;

const bounded = (n: bigint): bigint => (n > UINT64_MAX ? UINT64_MAX : n);

/** Collects the estimated costs of the rules of one schema. */
export class RuleCosts {
  readonly #isUnchanged: boolean;
  #total = 0n;
  #greatest: { readonly path: FieldPath; readonly cost: bigint }[] = [];

  /** An unchanged schema may keep expressions over the limit of one expression. */
  constructor(isUnchanged: boolean) {
    this.#isUnchanged = isUnchanged;
  }

  /** `values`: the maximum number of values on which the rule is evaluated. */
  rule(path: FieldPath, cost: bigint, values: bigint, errors: FieldErrors): void {
    this.#note('estimated rule cost', path, bounded(cost * values), errors);
  }

  message(path: FieldPath, cost: bigint, errors: FieldErrors): void {
    this.#note('estimated messageExpression cost', path, cost, errors);
  }

  #note(name: string, path: FieldPath, cost: bigint, errors: FieldErrors): void {
    if (!this.#isUnchanged && cost > EXPRESSION_COST_MAX)
      errors.forbidden(path, exceeds(name, cost, EXPRESSION_COST_MAX));
    this.#total = bounded(this.#total + cost);
    if (cost < NAMED_COST_MIN) return;
    this.#greatest.push({ path, cost });
    this.#greatest.sort((a, b) => Number(b.cost - a.cost));
    this.#greatest.length = Math.min(this.#greatest.length, NAMED_MAX);
  }

  /** Reports that all expressions together cost too much. */
  finish(schema: FieldPath, errors: FieldErrors): void {
    if (this.#total <= SCHEMA_COST_MAX) return;
    for (const { path } of this.#greatest)
      errors.forbidden(
        path,
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      );
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    errors.forbidden(schema, exceeds(name, this.#total, SCHEMA_COST_MAX));
  }
}

function exceeds(name: string, cost: bigint, limit: bigint): string {
  const by = Number(cost) / Number(limit);
  const factor = by > 100 ? 'more than 100x' : `${by.toFixed(by < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** The maximum number of values of this size in a request. */
export function mostValues(size: ValueSize | undefined): bigint {
  return BigInt(Math.floor(REQUEST_BYTES_MAX / ((size?.bytesMin ?? 0) + 1)));
}
