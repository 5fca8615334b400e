import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  formatQuantity,
  milliUnitsOf,
  parseQuantity,
  type Quantity,
  quantityOf,
  unitsOf,
  type Value,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, textAt } from '../access.js';

const POLICY_VALUES_MAX = 10;

/** Validates the request policy of a capacity: a set of valid values or a range. */
export function capacityPolicy(
  p: Value<shapes.ResourceV1CapacityRequestPolicy>,
  { capacity, isFractional }: Pick<Amounts, 'capacity' | 'isFractional'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const values = listAt(p, 'validValues').map((v) => parseQuantity(String(v)));
  const range = at(p, 'validRange');
  if (values.length > 0 && range !== undefined) {
    errors.forbidden(
      path,
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
    return;
  }
  const otherwise = parseQuantity(textAt(p, 'default'));
  if (values.length > 0) policyValues(values, { otherwise, capacity, isFractional }, path, errors);
  if (range !== undefined) policyRange(range, { otherwise, capacity, isFractional }, path, errors);
}

interface Amounts {
  /** The amount of a request without one. */
  readonly otherwise: Quantity | undefined;
  readonly capacity: Quantity | undefined;
  /** Amounts are compared in thousandths, not in whole units. */
  readonly isFractional: boolean;
}

const isMore = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantities(a, b) > 0;

function policyValues(
  given: readonly (Quantity | undefined)[],
  { otherwise, capacity, isFractional }: Amounts,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (otherwise === undefined) errors.required(path.child('default'), 'required when validValues is defined');
  const tooMany = given.length > POLICY_VALUES_MAX;
  if (tooMany) errors.tooMany(path.child('validValues'), given.length, POLICY_VALUES_MAX);
  const values = tooMany ? [] : given;
  errors.each(values, (v, i) => {
    const before = values[i - 1];
    if (v === undefined || before === undefined) return;
    const place = path.child('validValues').index(i);
    const order = compareQuantities(before, v);
    if (order > 0) errors.invalid(place, formatQuantity(v), 'values must be sorted in ascending order');
    const key = isFractional ? decimalText(v) : String(unitsOf(v));
    const isSame = (other: Quantity): boolean =>
      isFractional ? other.nanos === v.nanos : unitsOf(other) === unitsOf(v);
    if (values.some((other, j) => j < i && other !== undefined && isSame(other))) errors.duplicate(place, key);
  });
  errors.each(values, (v, i) => {
    if (v !== undefined && capacity !== undefined && isMore(v, capacity))
      errors.invalid(
        path.child('validValues').index(i),
        formatQuantity(v),
        `option is larger than capacity value: ${formatQuantity(capacity)}`,
      );
  });
  const known = values.some((v) => v !== undefined && otherwise !== undefined && compareQuantities(v, otherwise) === 0);
  if (otherwise !== undefined && !known)
    errors.invalid(
      path.child('validValues'),
      formatQuantity(otherwise),
      'default value is not valid according to the requestPolicy',
    );
}

function policyRange(
  range: Value<shapes.ResourceV1CapacityRequestPolicyRange>,
  { otherwise, capacity, isFractional }: Amounts,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const here = path.child('validRange');
  const [min, max, step] = (['min', 'max', 'step'] as const).map((f) => parseQuantity(textAt(range, f)));
  if (otherwise === undefined) errors.required(path.child('default'), 'required when validRange is defined');
  if (min === undefined) {
    if (otherwise !== undefined) errors.required(here.child('min'), 'required when validRange is defined');
    return;
  }
  const tell = (field: string, q: Quantity, text: string) => errors.invalid(here.child(field), formatQuantity(q), text);
  const overCapacity = (field: string, q: Quantity) => {
    if (capacity !== undefined && isMore(q, capacity))
      tell(field, q, `${field} is larger than capacity value: ${formatQuantity(capacity)}`);
  };
  overCapacity('min', min);
  if (otherwise !== undefined && compareQuantities(otherwise, min) < 0)
    tell('default', otherwise, `default is less than min: ${formatQuantity(min)}`);
  if (max !== undefined) {
    overCapacity('max', max);
    if (compareQuantities(min, max) > 0) tell('max', min, `min is larger than max: ${formatQuantity(max)}`);
    if (otherwise !== undefined && compareQuantities(otherwise, max) > 0)
      tell('default', otherwise, `default is more than max: ${formatQuantity(max)}`);
  }
  const amounts = Object.entries({ default: otherwise, min, max, step });
  const isMilli = isFractional && amounts.some(([, q]) => q !== undefined && q.nanos % UNIT !== 0n);
  if (isMilli) {
    const odd = amounts.filter(([, q]) => q !== undefined && !isMilliValue(q));
    for (const [field, q] of odd) tell(field, q!, 'value cannot be represented as a milli value');
    if (odd.length > 0) return;
  }
  if (step === undefined) return;
  if (step.nanos <= 0n) {
    tell('step', step, 'must be greater than zero');
    return;
  }
  const first = { ...min, nanos: min.nanos + step.nanos };
  if (capacity !== undefined && isMore(first, capacity))
    tell('step', step, `one step ${formatQuantity(first)} is larger than capacity value: ${formatQuantity(capacity)}`);
  const uncountable = isMilli ? [] : amounts.filter(([, q]) => q !== undefined && boundProblem(q) !== undefined);
  for (const [field, q] of uncountable) tell(field, q!, boundProblem(q!)!);
  if (uncountable.length > 0) return;
  const counted = isMilli ? milliUnitsOf : unitsOf;
  for (const q of [otherwise, max])
    if (q !== undefined && (counted(q) - counted(min)) % counted(step) !== 0n)
      tell(
        'step',
        q,
        `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`,
      );
}

const UNIT = quantityOf(1).nanos;
/** Steps are counted as int64: in thousandths, or in whole units, rounded up. */
const INT64_MAX = 2n ** 63n - 1n;

const isMilliValue = (q: Quantity): boolean =>
  q.nanos % (UNIT / 1000n) === 0n && milliUnitsOf(q) <= INT64_MAX && milliUnitsOf(q) >= -INT64_MAX;

function boundProblem(q: Quantity): string | undefined {
  if (q.nanos < 0n) return 'must be greater than or equal to 0';
  return q.nanos > INT64_MAX * UNIT ? `must not be larger than ${INT64_MAX}` : undefined;
}

/** An amount in decimal digits. */
function decimalText({ nanos }: Quantity): string {
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(10, '0');
  const whole = digits.length - 9;
  let end = digits.length;
  while (end > whole && digits[end - 1] === '0') end--;
  const fraction = end === whole ? '' : `.${digits.slice(whole, end)}`;
  return `${nanos < 0n ? '-' : ''}${digits.slice(0, whole)}${fraction}`;
}
