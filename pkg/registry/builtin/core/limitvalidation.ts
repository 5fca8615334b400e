import {
  compareQuantities,
  equalJson,
  type FieldErrors,
  FieldPath,
  formatQuantity,
  goJson,
  isQualifiedName,
  milliUnits64,
  Printed,
  parseQuantity,
  type Quantity,
  type Shaped,
  units64,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, givenAt, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { shown } from '../rules.js';
import { containerResourceName, isStandardResource, resourceAmount, resourceName } from './pod/validation/index.js';
import { isNativeResource } from './pod/validation/resources.js';

const SPEC = FieldPath.in<shapes.CoreV1LimitRange | shapes.CoreV1ResourceQuota>().child('spec');
const TYPES = ['Container', 'Pod', 'PersistentVolumeClaim'];

/** Validation of LimitRange and ResourceQuota. */
export function validateLimitRange(o: Shaped<shapes.CoreV1LimitRange>, errors: FieldErrors): void {
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'spec', 'limits'), (limit, i) => {
    const path = SPEC.child('limits').index(i);
    const type = textAt(limit, 'type');
    limitType(type, path.child('type'), errors);
    if (seen.has(type)) errors.duplicate(path.child('type'), type);
    seen.add(type);
    amounts(limit, type, path, errors);
    if (
      type === 'PersistentVolumeClaim' &&
      at(limit, 'min', 'storage') === undefined &&
      at(limit, 'max', 'storage') === undefined
    )
      errors.required(
        path.childShownAs('limits'),
        'either minimum or maximum storage value is required, but neither was provided',
      );
  });
}

function limitType(type: string, path: FieldPath, errors: FieldErrors): void {
  const wrong = isQualifiedName(type);
  for (const s of wrong) errors.invalid(path, type, s);
  if (wrong.length === 0 && !type.includes('/') && !TYPES.includes(type))
    errors.invalid(path, type, 'must be a standard limit type or fully qualified');
}

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type Bounds = Readonly<Record<(typeof LISTS)[number], Quantity | undefined>>;

function amounts(
  limit: Shaped<shapes.CoreV1LimitRangeItem>,
  type: string,
  path: FieldPath<shapes.CoreV1LimitRangeItem>,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  for (const field of LISTS) {
    const values = objectAt(limit, field);
    if (type === 'Pod' && (field === 'default' || field === 'defaultRequest')) {
      if (Object.keys(values).length > 0)
        errors.forbidden(path.child(field), "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const name of Object.keys(values)) {
      names.add(name);
      limitResource(name, type, path.child(field).key(name), errors);
    }
  }
  for (const name of names) {
    const of = (field: (typeof LISTS)[number]) => parseQuantity(textAt(limit, field, name));
    bounds(
      name,
      {
        max: of('max'),
        min: of('min'),
        default: of('default'),
        defaultRequest: of('defaultRequest'),
        maxLimitRequestRatio: of('maxLimitRequestRatio'),
      },
      path,
      errors,
    );
  }
}

function limitResource(name: string, type: string, path: FieldPath, errors: FieldErrors): void {
  if (type === 'Pod' || type === 'Container') containerResourceName(name, path, errors);
  else resourceName(name, path, errors);
}

const show = (q: Quantity): string => formatQuantity(q);
const above = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantities(a, b) > 0;

function bounds(name: string, b: Bounds, path: FieldPath<shapes.CoreV1LimitRangeItem>, errors: FieldErrors): void {
  const key = (field: (typeof LISTS)[number]) => path.child(field).key(name);
  if (above(b.min, b.max))
    errors.invalid(key('min'), show(b.min!), `min value ${show(b.min!)} is greater than max value ${show(b.max!)}`);
  const fallback = b.defaultRequest;
  if (above(b.min, fallback))
    errors.invalid(
      key('defaultRequest'),
      show(fallback!),
      `min value ${show(b.min!)} is greater than default request value ${show(fallback!)}`,
    );
  if (above(fallback, b.max))
    errors.invalid(
      key('defaultRequest'),
      show(fallback!),
      `default request value ${show(fallback!)} is greater than max value ${show(b.max!)}`,
    );
  if (above(fallback, b.default))
    errors.invalid(
      key('defaultRequest'),
      show(fallback!),
      `default request value ${show(fallback!)} is greater than default limit value ${show(b.default!)}`,
    );
  if (above(b.min, b.default))
    errors.invalid(
      key('default'),
      show(b.min!),
      `min value ${show(b.min!)} is greater than default value ${show(b.default!)}`,
    );
  if (above(b.default, b.max))
    errors.invalid(
      key('default'),
      show(b.max!),
      `default value ${show(b.default!)} is greater than max value ${show(b.max!)}`,
    );
  ratio(b, key('maxLimitRequestRatio'), errors);
  const mayDiffer = isNativeResource(name) && !name.startsWith('hugepages-');
  if (!mayDiffer && fallback !== undefined && b.default !== undefined && compareQuantities(fallback, b.default) !== 0)
    errors.invalid(
      key('defaultRequest'),
      show(fallback),
      `default value ${show(b.default)} must equal to defaultRequest value ${show(fallback)} in ${name}`,
    );
}

function ratio(b: Bounds, path: FieldPath, errors: FieldErrors): void {
  const wanted = b.maxLimitRequestRatio;
  if (wanted === undefined) return;
  const value = Number(wanted.nanos) / 1e9;
  if (value < 1) errors.invalid(path, show(wanted), `ratio ${show(wanted)} is less than 1`);
  if (b.min === undefined || b.max === undefined) return;
  const [ratio64, max, min] = comparable([wanted, b.max, b.min]);
  const most = max!.amount / min!.amount;
  if (ratio64!.amount / ratio64!.scale > most)
    errors.invalid(path, show(wanted), `ratio ${show(wanted)} is greater than max/min = ${most.toFixed(6)}`);
}

/**
 * Quantities as int64, which overflow as in kube-apiserver: thousandths, or units if one of them has more units than an int64 has thousandths.
 */
function comparable(quantities: readonly Quantity[]): readonly { readonly amount: number; readonly scale: number }[] {
  const fits = quantities.every((q) => units64(q) < MILLI_UNITS_MAX);
  const amount = (q: Quantity): bigint => (fits ? milliUnits64(q) : units64(q));
  return quantities.map((q) => ({ amount: Number(amount(q)), scale: fits ? 1000 : 1 }));
}

const MILLI_UNITS_MAX = (2n ** 63n - 1n) / 1000n;

const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const COMPUTE = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

export function validateQuota(o: Shaped<shapes.CoreV1ResourceQuota>, errors: FieldErrors): void {
  const hard = objectAt(o, 'spec', 'hard');
  errors.each(Object.entries(hard), ([name, amount]) => {
    const path = SPEC.child('hard').key(name);
    quotaResource(name, path, errors);
    resourceAmount(name, amount, path, errors);
  });
  const scopes = listAt(o, 'spec', 'scopes').map(String);
  const path = SPEC.child('scopes');
  const unfit = unfitResources(Object.keys(hard));
  // Each error shows all scopes, so their text is made once.
  const all = once(() => new Printed(goJson(scopes)));
  errors.each(scopes, (scope) => {
    if (!SCOPES.includes(scope)) errors.invalid(path, all(), 'unsupported scope');
    for (let left = unfit(scope); left > 0 && !errors.full; left--)
      errors.invalid(path, all(), 'unsupported scope applied to resource');
  });
  for (const [a, b] of OPPOSITES)
    if (scopes.includes(a) && scopes.includes(b)) errors.invalid(path, all(), 'conflicting scopes');
  scopeSelector(o, unfit, errors);
}

/** Returns how many of the resources a scope does not fit. Counted once for each scope: both lists may be long. */
function unfitResources(resources: readonly string[]): (scope: string) => number {
  const standard = resources.filter(isStandardResource);
  const known = new Map<string, number>();
  return (scope) => {
    if (!SCOPES.includes(scope)) return 0;
    const count = known.get(scope) ?? standard.filter((name) => !scopeFits(scope, name)).length;
    known.set(scope, count);
    return count;
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const ONLY_EXISTS = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'];
const ONLY_EXISTS_SAID = `must be 'Exists' when scope is any of ${ONLY_EXISTS.map((s) => `ResourceQuotaScope${s}`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')}`;

function scopeSelector(
  o: Shaped<shapes.CoreV1ResourceQuota>,
  unfit: (scope: string) => number,
  errors: FieldErrors,
): void {
  const path = SPEC.child('scopeSelector').child('matchExpressions');
  const terms = objectsAt(o, 'spec', 'scopeSelector', 'matchExpressions');
  const whole = once(() => new Printed(shown('core/v1.ScopeSelector', at(o, 'spec', 'scopeSelector')).text));
  errors.each(terms, (term) => {
    const scope = textAt(term, 'scopeName');
    if (!SCOPES.includes(scope)) errors.invalid(path.childShownAs('scopeName'), scope, 'unsupported scope');
    for (let left = unfit(scope); left > 0 && !errors.full; left--)
      errors.invalid(path, whole(), 'unsupported scope applied to resource');
    scopeTerm(term, scope, path, errors);
  });
  const scopes = terms.map((term) => textAt(term, 'scopeName'));
  for (const [a, b] of OPPOSITES)
    if (scopes.includes(a) && scopes.includes(b)) errors.invalid(path, null, 'conflicting scopes');
}

function scopeTerm(
  term: Shaped<shapes.CoreV1ScopedResourceSelectorRequirement>,
  scope: string,
  path: FieldPath<readonly shapes.CoreV1ScopedResourceSelectorRequirement[]>,
  errors: FieldErrors,
): void {
  const operator = textAt(term, 'operator');
  const values = listAt(term, 'values');
  if (ONLY_EXISTS.includes(scope) && operator !== 'Exists')
    errors.invalid(path.childShownAs('operator'), operator, ONLY_EXISTS_SAID);
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.required(
          path.childShownAs('values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        );
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.invalid(
          path.childShownAs('values'),
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        );
      return;
    default:
      errors.invalid(path.childShownAs('operator'), operator, 'not a valid selector operator');
  }
}

function quotaResource(name: string, path: FieldPath, errors: FieldErrors): void {
  resourceName(name, path, errors);
  if (!name.includes('/') && !isStandardResource(name))
    errors.invalid(path, name, 'must be a standard resource for quota');
}

function scopeFits(scope: string, resource: string): boolean {
  switch (scope) {
    case 'BestEffort':
      return resource === 'pods';
    case 'VolumeAttributesClass':
      return ['persistentvolumeclaims', 'requests.storage', 'storage'].includes(resource);
    default:
      return resource === 'pods' || COMPUTE.includes(resource);
  }
}

export function validateQuotaUpdate(
  o: Shaped<shapes.CoreV1ResourceQuota>,
  old: Shaped<shapes.CoreV1ResourceQuota>,
  errors: FieldErrors,
): void {
  validateQuota(o, errors);
  // kube-apiserver compares sets: a repeated scope is not an error.
  const scopes = (of: Shaped<shapes.CoreV1ResourceQuota>): readonly string[] =>
    [...new Set(listAt(of, 'spec', 'scopes').map(String))].sort();
  if (!equalJson([...scopes(o)], [...scopes(old)]))
    errors.invalid(SPEC.child('scopes'), givenAt(o, 'spec', 'scopes'), 'field is immutable');
}

/** The status uses the resource names and quantities of the spec. */
export function validateQuotaStatus(
  o: Shaped<shapes.CoreV1ResourceQuota>,
  _old: Shaped<shapes.CoreV1ResourceQuota>,
  errors: FieldErrors,
): void {
  for (const field of ['hard', 'used'] as const) {
    for (const [name, amount] of Object.entries(objectAt(o, 'status', field))) {
      const path = FieldPath.of('status', field).key(name);
      quotaResource(name, path, errors);
      resourceAmount(name, amount, path, errors);
    }
  }
}
