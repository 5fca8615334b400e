import { finish, ownText, type Steps, sortSteps } from '../base/index.js';
import { byCodeUnits, type FieldSelector, type LabelRequirement, type LabelSelector } from './selectors.js';

/**
 * Compiled selectors. A selector may have thousands of requirements, and a watch applies it to every event, so the cost of a match depends
 * on the labels of the object and not on the selector: requirements for one key are merged.
 */

/** Whether the labels of an object match. */
export type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

/** What a selector requires of one label. */
interface Rule {
  required: boolean;
  absent: boolean;
  /** Undefined: any value. */
  among: Texts | undefined;
  except: Texts | undefined;
  /** Exclusive bounds. */
  above: bigint | undefined;
  below: bigint | undefined;
}

/** A set of texts. */
interface Texts {
  has(text: string): boolean;
}

/** A larger set is packed. */
const PACKED_MIN = 256;

/** Requirements that are compiled in one step. */
const AT_ONCE = 500;

function* textsOf(values: readonly string[]): Steps<Texts> {
  return setOf(values.length < PACKED_MIN ? values : yield* sortSteps(values, byCodeUnits));
}

/** A set of sorted values. */
function setOf(sorted: readonly string[]): Texts {
  return sorted.length < PACKED_MIN ? new Set(sorted.map(ownText)) : new PackedTexts(sorted);
}

/**
 * A large set of short texts, sorted, in one string. It takes a fourth of the memory of a `Set`: clients may have hundreds of watches with
 * thousands of values each.
 */
class PackedTexts implements Texts {
  readonly #text: string;
  /** The end of each text in the string. */
  readonly #ends: Uint32Array;

  constructor(sorted: readonly string[]) {
    this.#text = sorted.join('');
    this.#ends = new Uint32Array(sorted.length);
    let end = 0;
    for (let i = 0; i < sorted.length; i++) {
      end += sorted[i]!.length;
      this.#ends[i] = end;
    }
  }

  has(text: string): boolean {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#at(middle);
      if (found === text) return true;
      if (found < text) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  #at(i: number): string {
    return this.#text.slice(i === 0 ? 0 : this.#ends[i - 1], this.#ends[i]);
  }
}

const INT64 = /^[+-]?\d{1,19}$/;

/** Returns whether labels match, like `matchesLabels`. */
export function compileLabelSelector(selector: LabelSelector): LabelMatch {
  return finish(labelMatchSteps(selector));
}

/** Compiles in steps. The result refers to nothing of the parsed selector. */
export function* labelMatchSteps(selector: LabelSelector): Steps<LabelMatch> {
  const rules = new Map<string, Rule>();
  const excluded = new Map<Rule, string[]>();
  for (const [i, requirement] of selector.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    let rule = rules.get(requirement.key);
    if (rule === undefined) {
      rule = {
        required: false,
        absent: false,
        among: undefined,
        except: undefined,
        above: undefined,
        below: undefined,
      };
      rules.set(ownText(requirement.key), rule);
    }
    if (requirement.operator === '!=' || requirement.operator === 'notin') addAll(excluded, rule, requirement.values);
    else add(rule, requirement);
    if (requirement.values.length >= AT_ONCE) yield;
  }
  for (const [rule, values] of excluded) rule.except = yield* textsOf(values);
  const required = [...rules].filter(([, rule]) => rule.required).map(([key]) => key);
  const never = [...rules.values()].some((rule) => rule.required && rule.absent);
  return matchOf(rules, required, never);
}

function addAll(lists: Map<Rule, string[]>, rule: Rule, values: readonly string[]): void {
  const before = lists.get(rule);
  if (before === undefined) lists.set(rule, [...values]);
  else for (const value of values) before.push(value);
}

/** A function of its own: a watch keeps what it refers to. */
function matchOf(rules: ReadonlyMap<string, Rule>, required: readonly string[], never: boolean): LabelMatch {
  return (labels) => {
    if (never) return false;
    for (const key of required) if (!Object.hasOwn(labels, key)) return false;
    for (const key of Object.keys(labels)) {
      const rule = rules.get(key);
      if (rule !== undefined && !allows(rule, labels[key]!)) return false;
    }
    return true;
  };
}

function add(rule: Rule, { operator, values }: LabelRequirement): void {
  switch (operator) {
    case '=':
    case '==':
    case 'in': {
      const before = rule.among;
      rule.required = true;
      rule.among = setOf(before === undefined ? values : values.filter((v) => before.has(v)));
      return;
    }
    case 'exists':
      rule.required = true;
      return;
    case '!':
      rule.absent = true;
      return;
    case 'gt':
    case 'lt': {
      const bound = BigInt(values[0]!.replace(/^\+/, ''));
      rule.required = true;
      if (operator === 'gt') rule.above = rule.above === undefined || bound > rule.above ? bound : rule.above;
      else rule.below = rule.below === undefined || bound < rule.below ? bound : rule.below;
    }
  }
}

function allows({ absent, among, except, above, below }: Rule, value: string): boolean {
  if (absent || except?.has(value) === true || (among !== undefined && !among.has(value))) return false;
  if (above === undefined && below === undefined) return true;
  if (!INT64.test(value)) return false;
  const n = BigInt(value.replace(/^\+/, ''));
  if (BigInt.asIntN(64, n) !== n) return false;
  return (above === undefined || n > above) && (below === undefined || n < below);
}

/** Requirements for the fields of an object. */
export type FieldRequirements<F> = readonly { readonly field: F; readonly equal: boolean; readonly value: string }[];

interface FieldRule {
  equal: string | undefined;
  except: Texts | undefined;
  excluded: string[];
}

/** Returns whether an object matches requirements for its fields; `read` reads the field of a requirement. */
export function compileFieldSelector<F, O>(
  selector: FieldRequirements<F>,
  read: (object: O, field: F) => string,
): (object: O) => boolean {
  return finish(fieldMatchSteps(selector, read));
}

/** Compiles in steps. The result refers to nothing of the parsed selector. */
export function* fieldMatchSteps<F, O>(
  selector: FieldRequirements<F>,
  read: (object: O, field: F) => string,
): Steps<(object: O) => boolean> {
  const rules = new Map<F, FieldRule>();
  let never = false;
  for (const [i, { field, equal, value }] of selector.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    const rule = rules.get(field) ?? { equal: undefined, except: undefined, excluded: [] };
    rules.set(field, rule);
    if (!equal) rule.excluded.push(value);
    else if (rule.equal === undefined) rule.equal = ownText(value);
    else if (rule.equal !== value) never = true;
  }
  for (const rule of rules.values()) {
    if (rule.excluded.length > 0) rule.except = yield* textsOf(rule.excluded);
    rule.excluded = [];
  }
  return fieldMatchOf([...rules], never, read);
}

/** A function of its own: a watch keeps what it refers to. */
function fieldMatchOf<F, O>(
  rules: readonly (readonly [F, FieldRule])[],
  never: boolean,
  read: (object: O, field: F) => string,
): (object: O) => boolean {
  return (object) => {
    if (never) return false;
    for (const [field, { equal, except }] of rules) {
      const value = read(object, field);
      if ((equal !== undefined && value !== equal) || except?.has(value) === true) return false;
    }
    return true;
  };
}

/** Bytes of a compiled rule, and of a small set and of a value in one. */
const RULE_BYTES = 200;
const VALUE_BYTES = 64;

/** Returns about how many bytes compiled selectors take. */
export function compiledBytes(labels: LabelSelector, fields: FieldSelector): number {
  let bytes = 0;
  for (const { key, values } of labels) {
    bytes += RULE_BYTES + key.length;
    const each = values.length < PACKED_MIN ? VALUE_BYTES : Uint32Array.BYTES_PER_ELEMENT;
    for (const value of values) bytes += each + value.length;
  }
  for (const { value } of fields) bytes += VALUE_BYTES + value.length;
  return bytes;
}
