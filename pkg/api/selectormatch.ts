import type { LabelRequirement, LabelSelector } from './selectors.js';

/**
 * Compiled selectors. A selector may have thousands of requirements, and a watch applies it to every event, so the cost of a match depends
 * on the labels of the object and not on the selector: requirements for one key are merged.
 */

/** What a selector requires of one label. */
interface Rule {
  required: boolean;
  absent: boolean;
  /** Undefined: any value. */
  among: ReadonlySet<string> | undefined;
  readonly except: Set<string>;
  /** Exclusive bounds. */
  above: bigint | undefined;
  below: bigint | undefined;
}

const INT64 = /^[+-]?\d{1,19}$/;

/** Returns whether labels match, like `matchesLabels`. */
export function compileLabelSelector(selector: LabelSelector): (labels: Readonly<Record<string, string>>) => boolean {
  const rules = new Map<string, Rule>();
  for (const requirement of selector) {
    let rule = rules.get(requirement.key);
    if (rule === undefined) {
      rule = {
        required: false,
        absent: false,
        among: undefined,
        except: new Set(),
        above: undefined,
        below: undefined,
      };
      rules.set(requirement.key, rule);
    }
    add(rule, requirement);
  }
  const required = [...rules].filter(([, rule]) => rule.required).map(([key]) => key);
  const never = [...rules.values()].some((rule) => rule.required && rule.absent);
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
      rule.among = new Set(before === undefined ? values : values.filter((v) => before.has(v)));
      return;
    }
    case '!=':
    case 'notin':
      for (const value of values) rule.except.add(value);
      return;
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
  if (absent || except.has(value) || (among !== undefined && !among.has(value))) return false;
  if (above === undefined && below === undefined) return true;
  if (!INT64.test(value)) return false;
  const n = BigInt(value.replace(/^\+/, ''));
  if (BigInt.asIntN(64, n) !== n) return false;
  return (above === undefined || n > above) && (below === undefined || n < below);
}

/** Returns whether an object matches requirements for its fields; `read` reads the field of a requirement. */
export function compileFieldSelector<F, O>(
  selector: readonly { readonly field: F; readonly equal: boolean; readonly value: string }[],
  read: (object: O, field: F) => string,
): (object: O) => boolean {
  const rules = new Map<F, { equal: string | undefined; readonly except: Set<string> }>();
  let never = false;
  for (const { field, equal, value } of selector) {
    const rule = rules.get(field) ?? { equal: undefined, except: new Set() };
    rules.set(field, rule);
    if (!equal) rule.except.add(value);
    else if (rule.equal === undefined) rule.equal = value;
    else if (rule.equal !== value) never = true;
  }
  const all = [...rules];
  return (object) => {
    if (never) return false;
    for (const [field, { equal, except }] of all) {
      const value = read(object, field);
      if ((equal !== undefined && value !== equal) || except.has(value)) return false;
    }
    return true;
  };
}
