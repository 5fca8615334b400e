import {
  equalJson,
  type FieldErrors,
  type FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelKey,
  isLabelValue,
  isQualifiedName,
  type JsonValue,
  type Shaped,
  subdomainName,
  type Value,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { labelSelector, oneOf, sentences } from '../../../rules.js';
import type { Tolerated } from './tolerated.js';

/** Validation of scheduling fields: affinity, tolerations, topology spread constraints and gates. */

export function affinity(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  { anyAffinityValues, anyNodeValues }: Tolerated,
): void {
  const a = at(spec, 'affinity');
  if (a === undefined) return;
  const here = path.child('affinity');
  const checkValues = !anyAffinityValues;
  nodeAffinity(at(a, 'nodeAffinity'), here.child('nodeAffinity'), errors, !anyNodeValues);
  podAffinity(at(a, 'podAffinity'), here.child('podAffinity'), errors, checkValues);
  podAffinity(at(a, 'podAntiAffinity'), here.child('podAntiAffinity'), errors, checkValues);
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function nodeAffinity(
  a: Value<shapes.CoreV1NodeAffinity> | undefined,
  path: FieldPath<shapes.CoreV1NodeAffinity>,
  errors: FieldErrors,
  checkValues: boolean,
): void {
  const required = at(a, REQUIRED);
  if (required !== undefined) nodeSelector(required, path.child(REQUIRED), errors, checkValues);
  errors.each(objectsAt(a, PREFERRED), (term, i) => {
    const here = path.child(PREFERRED).index(i);
    weight(term, here, errors);
    nodeSelectorTerm(objectAt(term, 'preference'), here.child('preference'), errors, false);
  });
}

export function nodeSelector(
  selector: Value<shapes.CoreV1NodeSelector>,
  path: FieldPath,
  errors: FieldErrors,
  checkValues = true,
): void {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) errors.required(path.child('nodeSelectorTerms'), 'must have at least one node selector term');
  errors.each(terms, (term, i) =>
    nodeSelectorTerm(term, path.child('nodeSelectorTerms').index(i), errors, checkValues),
  );
}

/** `checkValues`: values must be valid label values too. Preferred node affinity does not require that. */
function nodeSelectorTerm(
  term: Shaped<shapes.CoreV1NodeSelectorTerm>,
  path: FieldPath,
  errors: FieldErrors,
  checkValues: boolean,
): void {
  errors.each(objectsAt(term, 'matchExpressions'), (e, i) =>
    nodeExpression(e, path.child('matchExpressions').index(i), errors, checkValues),
  );
  errors.each(objectsAt(term, 'matchFields'), (e, i) => nodeField(e, path.child('matchFields').index(i), errors));
}

function nodeExpression(
  e: Shaped<shapes.CoreV1NodeSelectorRequirement>,
  path: FieldPath,
  errors: FieldErrors,
  checkValues: boolean,
): void {
  const operator = textAt(e, 'operator');
  const values = listAt(e, 'values');
  const here = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.required(here, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.forbidden(here, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.required(here, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      errors.invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
  sentences(textAt(e, 'key'), isLabelKey, path.child('key'), errors);
  if (checkValues) for (const [i, v] of values.entries()) sentences(String(v), isLabelValue, here.index(i), errors);
}

function nodeField(e: Shaped<shapes.CoreV1NodeSelectorRequirement>, path: FieldPath, errors: FieldErrors): void {
  const operator = textAt(e, 'operator');
  const values = listAt(e, 'values').map(String);
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      errors.required(
        path.child('values'),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      );
  } else errors.invalid(path.child('operator'), operator, 'not a valid selector operator');
  const key = textAt(e, 'key');
  if (key !== 'metadata.name') errors.invalid(path.child('key'), key, 'not a valid field selector key');
  else errors.each(values, (v, i) => sentences(v, isDns1123Subdomain, path.child('values').index(i), errors));
}

function weight(
  term: Shaped<shapes.CoreV1PreferredSchedulingTerm | shapes.CoreV1WeightedPodAffinityTerm>,
  path: FieldPath<shapes.CoreV1PreferredSchedulingTerm | shapes.CoreV1WeightedPodAffinityTerm>,
  errors: FieldErrors,
): void {
  const w = numberAt(term, 'weight');
  if (w <= 0 || w > 100) errors.invalid(path.child('weight'), w, 'must be in the range 1-100');
}

function podAffinity(
  a: Value<shapes.CoreV1PodAffinity | shapes.CoreV1PodAntiAffinity> | undefined,
  path: FieldPath<shapes.CoreV1PodAffinity | shapes.CoreV1PodAntiAffinity>,
  errors: FieldErrors,
  checkValues: boolean,
): void {
  errors.each(objectsAt(a, REQUIRED), (term, i) =>
    podAffinityTerm(term, path.child(REQUIRED).index(i), errors, checkValues),
  );
  errors.each(objectsAt(a, PREFERRED), (term, i) => {
    const here = path.child(PREFERRED).index(i);
    weight(term, here, errors);
    podAffinityTerm(objectAt(term, 'podAffinityTerm'), here.child('podAffinityTerm'), errors, checkValues);
  });
}

function podAffinityTerm(
  term: Shaped<shapes.CoreV1PodAffinityTerm>,
  path: FieldPath<shapes.CoreV1PodAffinityTerm>,
  errors: FieldErrors,
  checkValues: boolean,
): void {
  labelSelector(at(term, 'labelSelector'), path.child('labelSelector'), errors, checkValues);
  labelSelector(at(term, 'namespaceSelector'), path.child('namespaceSelector'), errors, checkValues);
  for (const namespace of listAt(term, 'namespaces').map(String))
    sentences(namespace, isDns1123Label, path.childShownAs('namespace'), errors);
  matchLabelKeys(term, path, errors);
  const key = textAt(term, 'topologyKey');
  if (key === '') errors.required(path.child('topologyKey'), 'can not be empty');
  sentences(key, isLabelKey, path.child('topologyKey'), errors);
}

function matchLabelKeys(
  term: Shaped<shapes.CoreV1PodAffinityTerm>,
  path: FieldPath<shapes.CoreV1PodAffinityTerm>,
  errors: FieldErrors,
): void {
  const selector = at(term, 'labelSelector');
  const match = listAt(term, 'matchLabelKeys').map(String);
  const mismatch = listAt(term, 'mismatchLabelKeys').map(String);
  for (const [field, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    if (keys.length === 0) continue;
    if (selector === undefined)
      errors.forbidden(path.child(field), 'must not be specified when labelSelector is not set');
    else errors.each(keys, (key, i) => sentences(key, isLabelKey, path.child(field).index(i), errors));
  }
  keysInSelector(match, selector, path, errors);
  errors.each(match, (key, i) => {
    if (mismatch.includes(key))
      errors.invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  });
}

/**
 * Rejects the keys of `matchLabelKeys` that occur twice in the selector, in the order of its expressions. A key was merged into the selector
 * on create as often as it is in `matchLabelKeys`. The error names the last of equal keys.
 */
function keysInSelector(
  keys: readonly string[],
  selector: Value<shapes.MetaV1LabelSelector> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (keys.length === 0) return;
  const last = new Map(keys.map((key, i) => [key, i]));
  const seen = new Set(Object.keys(objectAt(selector, 'matchLabels')));
  const repeated = new Set<string>();
  for (const e of objectsAt(selector, 'matchExpressions')) {
    const key = textAt(e, 'key');
    if (last.has(key) && seen.has(key)) repeated.add(key);
    seen.add(key);
  }
  errors.each([...repeated], (key) =>
    errors.invalid(path.index(last.get(key)!), key, 'exists in both matchLabelKeys and labelSelector'),
  );
}

/** The operators Gt and Lt are known, but rejected unless a stored toleration has one. */
const COMPARING = ['Lt', 'Gt'];
const OPERATORS = ['Equal', 'Exists', ...COMPARING];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function tolerations(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  mayCompare: boolean,
): void {
  errors.each(objectsAt(spec, 'tolerations'), (t, i) =>
    toleration(t, path.child('tolerations').index(i), errors, mayCompare),
  );
}

export function toleration(
  t: Shaped<shapes.CoreV1Toleration>,
  path: FieldPath<shapes.CoreV1Toleration>,
  errors: FieldErrors,
  mayCompare = false,
): void {
  const key = textAt(t, 'key');
  const operator = textAt(t, 'operator');
  const value = textAt(t, 'value');
  const effect = textAt(t, 'effect');
  if (key !== '') sentences(key, isLabelKey, path.child('key'), errors);
  if (key === '' && operator !== 'Exists') {
    errors.invalid(
      path.child('operator'),
      operator,
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    );
  }
  if (at(t, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
    errors.invalid(path.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  switch (operator) {
    case 'Equal':
    case '':
      if (value !== '') for (const s of isLabelValue(value)) errors.invalid(path.child('operator'), value, s);
      break;
    case 'Exists':
      if (value !== '')
        errors.invalid(path.child('operator'), value, "value must be empty when `operator` is 'Exists'");
      break;
    default:
      if (mayCompare && COMPARING.includes(operator)) {
        decimal(value, path.child('value'), errors);
        break;
      }
      errors.notSupported(
        path.child('operator'),
        operator,
        COMPARING.includes(operator) ? OPERATORS : ['Equal', 'Exists'],
      );
  }
  if (effect !== '') oneOf(effect, path.child('effect'), EFFECTS, errors, false);
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** The number that a toleration compares. */
function decimal(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.invalid(path, value, 'must be non-empty');
  else if (!/^(0|-?[1-9][0-9]*)$/.test(value))
    errors.invalid(path, value, 'must be a valid decimal integer in canonical form');
  const shown = `strconv.ParseInt: parsing ${JSON.stringify(value)}`;
  if (!/^[-+]?[0-9]+$/.test(value)) errors.invalid(path, value, `${shown}: invalid syntax`);
  else if (BigInt(value.replace('+', '')) < INT64_MIN || BigInt(value.replace('+', '')) > INT64_MAX)
    errors.invalid(path, value, `${shown}: value out of range`);
}

const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION = ['Honor', 'Ignore'];

export function topologySpread(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  { anySpreadSelectors, oldMatchKeys }: Tolerated,
): void {
  const all = objectsAt(spec, 'topologySpreadConstraints');
  const here = path.child('topologySpreadConstraints');
  const pairOf = (c: Shaped<shapes.CoreV1TopologySpreadConstraint>): string =>
    JSON.stringify([textAt(c, 'topologyKey'), textAt(c, 'whenUnsatisfiable')]);
  const last = new Map(all.map((c, i) => [pairOf(c), i]));
  errors.each(all, (c, i) => {
    const one = here.index(i);
    const skew = numberAt(c, 'maxSkew');
    if (skew <= 0) errors.invalid(one.child('maxSkew'), skew, 'must be greater than zero');
    const key = textAt(c, 'topologyKey');
    if (key === '') errors.required(one.child('topologyKey'), 'can not be empty');
    const when = textAt(c, 'whenUnsatisfiable');
    if (!UNSATISFIABLE.includes(when)) errors.notSupported(one.child('whenUnsatisfiable'), when, UNSATISFIABLE);
    if (last.get(pairOf(c))! > i)
      errors.duplicate(one.childShownAs('{topologyKey, whenUnsatisfiable}'), `{${key}, ${when}}`);
    const domains = at(c, 'minDomains');
    if (typeof domains === 'number') {
      if (domains <= 0) errors.invalid(one.child('minDomains'), domains, 'must be greater than zero');
      if (when !== 'DoNotSchedule')
        errors.invalid(
          one.child('minDomains'),
          domains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${when}`,
        );
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const v = at(c, field);
      if (typeof v === 'string') oneOf(v, one.child(field), INCLUSION, errors, false);
    }
    spreadKeys(c, one, errors, oldMatchKeys);
    if (!anySpreadSelectors) labelSelector(at(c, 'labelSelector'), one.child('labelSelector'), errors);
  });
}

/** With `oldRule`, a key may not be in the selector at all. Since 1.34 keys are merged into it on create, so that each is there once. */
export function spreadKeys(
  c: Shaped<shapes.CoreV1TopologySpreadConstraint>,
  path: FieldPath<shapes.CoreV1TopologySpreadConstraint>,
  errors: FieldErrors,
  oldRule: boolean,
): void {
  const keys = listAt(c, 'matchLabelKeys').map(String);
  const selector = at(c, 'labelSelector');
  const here = path.child('matchLabelKeys');
  if (keys.length > 0 && selector === undefined) {
    errors.forbidden(here, 'must not be specified when labelSelector is not set');
    if (!oldRule) return;
  }
  if (oldRule) {
    const selected = new Set([
      ...Object.keys(objectAt(selector, 'matchLabels')),
      ...objectsAt(selector, 'matchExpressions').map((e) => textAt(e, 'key')),
    ]);
    errors.each(keys, (key, i) => {
      sentences(key, isLabelKey, here.index(i), errors);
      if (selected.has(key)) errors.invalid(here.index(i), key, 'exists in both matchLabelKeys and labelSelector');
    });
    return;
  }
  errors.each(keys, (key, i) => sentences(key, isLabelKey, here.index(i), errors));
  keysInSelector(keys, selector, path, errors);
}

export function readinessGates(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  errors.each(objectsAt(spec, 'readinessGates'), (gate, i) => {
    sentences(
      textAt(gate, 'conditionType'),
      isQualifiedName,
      path.child('readinessGates').index(i).child('conditionType'),
      errors,
    );
  });
}

export function schedulingGates(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  errors.each(objectsAt(spec, 'schedulingGates'), (gate, i) => {
    const here = path.child('schedulingGates').index(i);
    const name = textAt(gate, 'name');
    sentences(name, isQualifiedName, here, errors);
    if (seen.has(name)) errors.duplicate(here, name);
    seen.add(name);
  });
}

/** Compares tolerations in order, as kube-apiserver does. */
export const sameTolerations = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  equalJson(a ?? [], b ?? []);

/** The responders that a pod names for its eviction. Names and priorities of Kubernetes itself are reserved. */
export function evictionResponders(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  for (const [i, responder] of objectsAt(spec, 'evictionResponders').entries()) {
    const here = path.child('evictionResponders').index(i);
    const [name, priority] = [textAt(responder, 'name'), at(responder, 'priority')];
    if (/(^|\.)(k8s|kubernetes)\.io\//.test(name))
      errors.invalid(here.child('name'), name, 'domain names *.k8s.io, *.kubernetes.io are reserved');
    if (typeof priority === 'number' && priority >= 0 && priority < 1000)
      errors.invalid(
        here.child('priority'),
        priority,
        'priorities 0-999 are reserved for responders with *.k8s.io suffix',
      );
  }
}

/** A pod with a group names it, and has no eviction responders. */
export function schedulingGroup(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const group = at(spec, 'schedulingGroup');
  if (group === undefined) return;
  const here = path.child('schedulingGroup');
  const name = at(group, 'podGroupName');
  if (typeof name === 'string')
    for (const s of subdomainName(name, false)) errors.invalid(here.child('podGroupName'), name, s);
  else errors.invalid(here.child('podGroupName'), null, 'must specify one of: `podGroupName`');
  if (listAt(spec, 'evictionResponders').length > 0)
    errors.forbidden(here, 'may not be set when evictionResponders is set');
}
