import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  type JsonObject,
  parseQuantity,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, boolAt, givenAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { nodeSelector } from '../core/pod/validation/index.js';
import { driverName, sentences, shown } from '../rules.js';
import { capacityPolicy } from './capacitypolicy.js';
import { bindingConditions } from './claimstatus.js';
import { attribute, attributeValues, hasLists, nodeResources, partitionType, partitionTypes } from './devicevalues.js';
import { attributeName, named, poolName, taint } from './validation.js';

const SPEC = FieldPath.in<shapes.ResourceV1ResourceSlice>().child('spec');
const COUNTER_USES_MAX = 2;
const DEVICES_MAX = 128;
/** The limit on devices when some have taints or consume counters. */
const RICH_DEVICES_MAX = 64;
const TAINTS_MAX = 16;
const COUNTERS_MAX = 32;
const SETS_MAX = 8;
const PROPERTIES_MAX = 32;

/** Validates the devices of a pool or their shared counters, and the nodes that can use them. */
export function validateSlice(
  o: Shaped<shapes.ResourceV1ResourceSlice>,
  errors: FieldErrors,
  context: SliceContext,
): void {
  sliceRules(o, { old: undefined, isFractional: context.featureEnabled(FRACTIONS) }, errors);
}

interface SliceContext {
  featureEnabled(gate: string): boolean;
}

const FRACTIONS = 'DRAFractionalCapacityRange';

interface SliceFacts {
  readonly old: Shaped<shapes.ResourceV1ResourceSlice> | undefined;
  /** Amounts of a capacity are compared in thousandths. */
  readonly isFractional: boolean;
}

/** The capacity and the taints of a device are validated only if they change. */
function sliceRules(
  o: Shaped<shapes.ResourceV1ResourceSlice>,
  { old, isFractional }: SliceFacts,
  errors: FieldErrors,
): void {
  const known = old === undefined ? [] : objectsAt(old, 'spec', 'devices');
  const before = new Map(known.map((d) => [textAt(d, 'name'), d]));
  const spec = objectAt(o, 'spec');
  driverName(textAt(spec, 'driver'), SPEC.child('driver'), errors);
  pool(objectAt(spec, 'pool'), SPEC.child('pool'), errors);
  if (old !== undefined) immutable(o, old, errors);
  nodesOfSlice(spec, errors);
  const devices = objectsAt(spec, 'devices');
  if (givenAt(spec, 'devices') !== undefined && givenAt(spec, 'sharedCounters') !== undefined)
    errors.invalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed');
  const rich = devices.some(
    (d) => listAt(d, 'taints').length > 0 || listAt(d, 'consumesCounters').length > 0 || hasLists(d),
  );
  const type = { name: textAt(spec, 'partitionTypeAttribute'), driver: textAt(spec, 'driver') };
  const perDevice = boolAt(spec, 'perDeviceNodeSelection');
  const max = rich ? RICH_DEVICES_MAX : DEVICES_MAX;
  named(devices, SPEC.child('devices'), { max, repeatedLast: true }, errors, (d, path) => {
    device(d, { perDevice, old: before.get(textAt(d, 'name')), isFractional }, path, errors);
    partitionType(d, type, path, errors);
  });
  named(objectsAt(spec, 'sharedCounters'), SPEC.child('sharedCounters'), { max: SETS_MAX }, errors, (set, path) => {
    nameOfCounters(textAt(set, 'name'), path.child('name'), errors);
    counters(set, path.child('counters'), errors);
  });
  partitionTypes(spec, SPEC, errors);
}

export function validateSliceUpdate(
  o: Shaped<shapes.ResourceV1ResourceSlice>,
  old: Shaped<shapes.ResourceV1ResourceSlice>,
  errors: FieldErrors,
  context: SliceContext,
): void {
  sliceRules(o, { old, isFractional: context.featureEnabled(FRACTIONS) }, errors);
}

function immutable(
  o: Shaped<shapes.ResourceV1ResourceSlice>,
  old: Shaped<shapes.ResourceV1ResourceSlice>,
  errors: FieldErrors,
): void {
  for (const place of [['pool', 'name'], ['driver'], ['nodeName']]) {
    const now = at(o as JsonObject, 'spec', ...place);
    if (!equalJson(now ?? null, at(old as JsonObject, 'spec', ...place) ?? null))
      errors.invalid(
        (SPEC as FieldPath).child(...place),
        place[0] === 'nodeName' ? (now ?? null) : (now ?? ''),
        'field is immutable',
      );
  }
}

function pool(
  p: Shaped<shapes.ResourceV1ResourcePool>,
  path: FieldPath<shapes.ResourceV1ResourcePool>,
  errors: FieldErrors,
): void {
  poolName(textAt(p, 'name'), path.child('name'), errors);
  const count = numberAt(p, 'resourceSliceCount');
  if (count <= 0) errors.invalid(path.child('resourceSliceCount'), count, 'must be greater than zero');
  const generation = numberAt(p, 'generation');
  if (generation < 0) errors.invalid(path.child('generation'), generation, 'must be greater than or equal to zero');
}

function nodesOfSlice(spec: Shaped<shapes.ResourceV1ResourceSliceSpec>, errors: FieldErrors): void {
  const given: string[] = [];
  const name = at(spec, 'nodeName');
  if (name === '') errors.invalid(SPEC.child('nodeName'), '', 'must be either unset or set to a non-empty string');
  else if (name !== undefined) {
    given.push('nodeName');
    sentences(String(name), isDns1123Subdomain, SPEC.child('nodeName'), errors);
  }
  if (selectsNodes(spec, SPEC, errors)) {
    given.push('nodeSelector');
    const terms = givenAt(spec, 'nodeSelector', 'nodeSelectorTerms');
    if (!Array.isArray(terms) || terms.length !== 1)
      errors.invalid(
        SPEC.child('nodeSelector', 'nodeSelectorTerms'),
        shown('[]core/v1.NodeSelectorTerm', terms),
        'must have exactly one node selector term',
      );
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const)
    if (flag(spec, field, SPEC, errors)) given.push(field);
  const rule = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (given.length === 0) errors.required(SPEC, rule);
  if (given.length > 1) errors.invalid(SPEC, quoted(given), `${rule}, but multiple fields are set`);
}

const quoted = (fields: readonly string[]): string => `{${fields.map((f) => `\`${f}\``).join(', ')}}`;

function flag(
  holder: Shaped<shapes.ResourceV1ResourceSliceSpec | shapes.ResourceV1Device>,
  field: 'allNodes' | 'perDeviceNodeSelection',
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  const value = at(holder, field);
  if (value === false) errors.invalid(path.child(field), false, 'must be either unset or set to true');
  return value === true;
}

function selectsNodes(
  holder: Shaped<shapes.ResourceV1ResourceSliceSpec | shapes.ResourceV1Device>,
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  const selector = at(holder, 'nodeSelector');
  if (selector !== undefined) nodeSelector(selector, path.child('nodeSelector'), errors);
  return selector !== undefined;
}

interface DeviceFacts {
  readonly perDevice: boolean;
  /** The device of this name in the old object. */
  readonly old: Shaped<shapes.ResourceV1Device> | undefined;
  readonly isFractional: boolean;
}

function device(d: Shaped<shapes.ResourceV1Device>, facts: DeviceFacts, path: FieldPath, errors: FieldErrors): void {
  sentences(textAt(d, 'name'), isDns1123Label, path.child('name'), errors);
  properties(d, facts, path, errors);
  const taints = objectsAt(d, 'taints');
  if (facts.old !== undefined && equalJson([...taints], [...objectsAt(facts.old, 'taints')])) {
    // The stored taints stay.
  } else if (taints.length > TAINTS_MAX) errors.tooMany(path.child('taints'), taints.length, TAINTS_MAX);
  else errors.each(taints, (t, i) => taint(t, path.child('taints').index(i), errors));
  nodesOfDevice(d, facts.perDevice, path, errors);
  const uses = objectsAt(d, 'consumesCounters');
  // The declarative rules of the type report more than that.
  errors.each(uses.length > COUNTER_USES_MAX ? [] : uses, (use, i) => {
    const here = path.child('consumesCounters').index(i);
    nameOfCounters(textAt(use, 'counterSet'), here.child('counterSet'), errors);
    counters(use, here.child('counters'), errors);
  });
  bindingConditions(d, path, errors);
  nodeResources(d, path, errors);
}

function nodesOfDevice(
  d: Shaped<shapes.ResourceV1Device>,
  perDevice: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const fields = ['nodeName', 'nodeSelector', 'allNodes'] as const;
  if (!perDevice) {
    if (fields.some((f) => at(d, f) !== undefined))
      errors.invalid(
        path,
        null,
        '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      );
    return;
  }
  const given: string[] = [];
  const name = at(d, 'nodeName');
  if (name === '') errors.invalid(path.child('nodeName'), '', 'must not be empty');
  else if (name !== undefined) {
    given.push('nodeName');
    sentences(String(name), isDns1123Subdomain, path.child('nodeName'), errors);
  }
  if (selectsNodes(d, path, errors)) given.push('nodeSelector');
  if (flag(d, 'allNodes', path, errors)) given.push('allNodes');
  const rule =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (given.length === 0) errors.required(path, rule);
  if (given.length > 1) errors.invalid(path, quoted(given), rule);
}

function nameOfCounters(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path);
  else sentences(name, isDns1123Label, path, errors);
}

function counters(
  holder: Shaped<shapes.ResourceV1CounterSet | shapes.ResourceV1DeviceCounterConsumption>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = Object.keys(objectAt(holder, 'counters'));
  if (names.length === 0) errors.required(path);
  if (names.length > COUNTERS_MAX) errors.tooMany(path, names.length, COUNTERS_MAX);
  else for (const name of names) sentences(name, isDns1123Label, path, errors);
}

/** Attributes and capacities count against one limit. */
function properties(
  d: Shaped<shapes.ResourceV1Device>,
  { old, isFractional }: DeviceFacts,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const attributes = Object.entries(objectAt(d, 'attributes'));
  const capacities = Object.entries(objectAt(d, 'capacity'));
  const all = attributes.length + capacities.length;
  if (all > PROPERTIES_MAX)
    errors.invalid(path, all, `the total number of attributes and capacities must not exceed ${PROPERTIES_MAX}`);
  attributeValues(d, path, errors);
  for (const [name, value] of attributes) {
    attributeName(name, path.child('attributes'), errors);
    attribute(value, path.child('attributes').key(name), errors);
  }
  if (old !== undefined && equalJson(objectAt(d, 'capacity'), objectAt(old, 'capacity'))) return;
  for (const [name, value] of capacities) {
    attributeName(name, path.child('capacity'), errors);
    const here = path.child('capacity').key(name).child('requestPolicy');
    const p = at(value, 'requestPolicy');
    if (p === undefined) continue;
    const capacity = parseQuantity(textAt(value, 'value'));
    if (at(d, 'allowMultipleAllocations') === true) capacityPolicy(p, { capacity, isFractional }, here, errors);
    else errors.forbidden(here, 'allowMultipleAllocations must be true');
  }
}
