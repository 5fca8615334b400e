import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isCidr,
  isLabelValue,
  isObject,
  isQualifiedName,
  type JsonObject,
  parseCidr,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { WriteContext } from '../../resource.js';
import { at, listAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { oneOf, shown } from '../rules.js';
import { cidrWarning } from '../valuewarnings.js';
import { roundAmounts } from './pod/defaults.js';
import { resourceAmount } from './pod/validation/index.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const SPEC = FieldPath.in<shapes.CoreV1Node>().child('spec');

/** Allocatable resources of a node default to its capacity. */
export function defaultNode(o: JsonObject): void {
  for (const field of ['capacity', 'allocatable'] as const) roundAmounts(objectAt(o, 'status', field));
  const capacity = at(o, 'status', 'capacity');
  if (isObject(capacity)) whenAbsent(objectIn(o, 'status'), 'allocatable', { ...capacity });
  fillPodRanges(o);
}

const FEATURE_NAME = /^[A-Z][A-Za-z0-9]*(\/[A-Za-z0-9]+)*$/;

const FEATURE_NAME_MAX = 253;

/** Names of features of a node: in order, none twice. */
export function declaredFeatures(o: Shaped<shapes.CoreV1Node>, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'declaredFeatures');
  const all = listAt(o, 'status', 'declaredFeatures').map(String);
  errors.each(all, (name, i) => {
    const here = path.index(i);
    const before = all[i - 1];
    if (before === name) errors.duplicate(here, name);
    else if (before !== undefined && before > name) errors.invalid(here, name, 'list must be sorted alphabetically');
    const wrong = `invalid feature name ${JSON.stringify(name)}:`;
    if (name.length > FEATURE_NAME_MAX)
      errors.invalid(here, name, `${wrong} must be no more than ${FEATURE_NAME_MAX} characters`);
    else if (!FEATURE_NAME.test(name))
      errors.invalid(
        here,
        name,
        `${wrong} must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
      );
  });
}

/** `podCIDR` is the first of `podCIDRs`. Either one sets the other. */
function fillPodRanges(o: JsonObject): void {
  const one = textAt(o, 'spec', 'podCIDR');
  const all = listAt(o, 'spec', 'podCIDRs').map(String);
  if (one === '' && all.length > 0) objectIn(o, 'spec')['podCIDR'] = all[0]!;
  else if (one !== '' && all[0] !== one) objectIn(o, 'spec')['podCIDRs'] = [one];
}

export function validateNode(o: Shaped<shapes.CoreV1Node>, errors: FieldErrors): void {
  validateNodeParts(o, errors);
  podRanges(o, errors);
}

/** An update of the status does not look at the ranges of the pods. */
function validateNodeParts(o: Shaped<shapes.CoreV1Node>, errors: FieldErrors): void {
  taints(o, errors);
  for (const field of ['capacity', 'allocatable'] as const)
    for (const [name, amount] of Object.entries(objectAt(o, 'status', field)))
      resourceAmount(name, amount, FieldPath.in<shapes.CoreV1Node>().child('status').child(field, name), errors);
}

function taints(o: Shaped<shapes.CoreV1Node>, errors: FieldErrors): void {
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'spec', 'taints'), (taint, i) => {
    const path = FieldPath.in<shapes.CoreV1Node>().child('metadata').childShownAs('taints').index(i);
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    for (const s of isQualifiedName(key)) errors.invalid(path.child('key'), key, s);
    for (const s of isLabelValue(value)) errors.invalid(path.child('value'), value, s);
    oneOf(effect, path.child('effect'), EFFECTS, errors);
    const pair = `${key}/${effect}`;
    if (seen.has(pair)) {
      const told = shown('core/v1.Taint', taint);
      errors.add(
        'FieldValueDuplicate',
        path,
        `Duplicate value: ${told.text}: taints must be unique by key and effect pair`,
      );
    }
    seen.add(pair);
  });
}

function podRanges(o: Shaped<shapes.CoreV1Node>, errors: FieldErrors): void {
  const ranges = listAt(o, 'spec', 'podCIDRs').map(String);
  const path = SPEC.child('podCIDRs');
  const families = new Set<boolean>();
  let bad = -1;
  errors.each(ranges, (range, i) => {
    for (const s of isCidr(range)) errors.invalid(path.index(i), range, s);
    if (bad < 0 && parseCidr(range) === undefined) bad = i;
    families.add(range.includes(':'));
  });
  errors.after(() => {
    if (ranges.length < 2) return;
    if (bad >= 0)
      errors.internal(
        path,
        `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${ranges[bad]})`,
      );
    if (bad >= 0 || families.size < 2 || ranges.length > 2)
      errors.invalid(path, ranges, 'may specify no more than one CIDR for each IP family');
  });
}

/** The pod CIDRs and the provider ID of a node may be set once. */
/** `features`: the rule for declared features, which only an update of the status has. */
export function validateNodeUpdate(
  o: Shaped<shapes.CoreV1Node>,
  old: Shaped<shapes.CoreV1Node>,
  errors: FieldErrors,
  features: typeof declaredFeatures = () => {},
): void {
  validateNodeParts(o, errors);
  taints(o, errors);
  features(o, errors);
  addressesOnce(o, errors);
  const before = listAt(old, 'spec', 'podCIDRs');
  if (before.length > 0 && !equalJson([...before], [...listAt(o, 'spec', 'podCIDRs')]))
    errors.forbidden(SPEC.child('podCIDRs'), 'node updates may not change podCIDR except from "" to valid');
  const provider = textAt(old, 'spec', 'providerID');
  const changed = provider !== '' && provider !== textAt(o, 'spec', 'providerID');
  if (changed) {
    const now = textAt(o, 'spec', 'providerID');
    const what = now === '' ? 'field cannot be cleared once set' : 'field cannot be modified once set';
    errors.invalid(SPEC.child('providerID'), undefined, what);
  }
  if ((at(o, 'spec', 'externalID') ?? '') !== (at(old, 'spec', 'externalID') ?? ''))
    errors.forbidden(SPEC.child('externalID'), 'may not be updated');
}

function addressesOnce(o: Shaped<shapes.CoreV1Node>, errors: FieldErrors): void {
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'status', 'addresses'), (address, i) => {
    const key = `${textAt(address, 'type')} ${textAt(address, 'address')}`;
    const path = FieldPath.in<shapes.CoreV1Node>().child('status', 'addresses').index(i);
    if (seen.has(key)) errors.duplicate(path, shown('core/v1.NodeAddress', address));
    seen.add(key);
  });
}

export function warnAboutNode(o: JsonObject, _old: JsonObject | undefined, context: WriteContext): void {
  if (textAt(o, 'spec', 'externalID') !== '')
    context.warn('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  for (const [i, range] of listAt(o, 'spec', 'podCIDRs').entries())
    cidrWarning(String(range), `spec.podCIDRs[${i}]`, context.warn);
}
