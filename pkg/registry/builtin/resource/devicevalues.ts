import {
  type FieldErrors,
  type FieldPath,
  formatQuantity,
  type JsonObject,
  parseQuantity,
  type Shaped,
  type Value,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, givenAt, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { shown } from '../rules.js';

/** Rules of the values of devices: attributes, what they take of a node's own resources, and the types of partitions. */

const LISTS = ['bools', 'ints', 'strings', 'versions'] as const;
const VALUES_MAX = 48;
const VALUE_MAX = 64;
const NODE_RESOURCE = /^(?:cpu|memory|hugepages-.*)$/;

/** Validates the number of values of all attributes: each item of a list counts. */
export function attributeValues(d: Shaped<shapes.ResourceV1Device>, path: FieldPath, errors: FieldErrors): void {
  let count = 0;
  for (const value of Object.values(objectAt(d, 'attributes'))) {
    const lists = LISTS.filter((field) => at(value, field) !== undefined);
    count += lists.length === 0 ? 1 : lists.reduce((sum, field) => sum + listAt(value, field).length, 0);
  }
  if (count > VALUES_MAX)
    errors.invalid(path, count, `the total number of attribute values must not exceed ${VALUES_MAX}`);
}

export const hasLists = (d: Shaped<shapes.ResourceV1Device>): boolean =>
  Object.values(objectAt(d, 'attributes')).some((value) => LISTS.some((field) => at(value, field) !== undefined));

const VALUES = ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'] as const;
const SEMANTIC_VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/** semver.org 2.0.0: numeric pre-release identifiers have no leading zeros. */
function isSemanticVersion(text: string): boolean {
  const found = SEMANTIC_VERSION.exec(text);
  return found !== null && (found[1] ?? '').split('.').every((part) => !/^0\d+$/.test(part));
}

export function attribute(value: Value<shapes.ResourceV1DeviceAttribute>, path: FieldPath, errors: FieldErrors): void {
  const isLong = (text: string, at: FieldPath): void => {
    if (Buffer.byteLength(text) > VALUE_MAX) errors.tooLong(at, VALUE_MAX);
  };
  const isVersion = (text: string, at: FieldPath): void => {
    if (!isSemanticVersion(text)) errors.invalid(at, text, 'must be a string compatible with semver.org spec 2.0.0');
    isLong(text, at);
  };
  isLong(textAt(value, 'string'), path.child('string'));
  const version = at(value, 'version');
  if (version !== undefined) isVersion(String(version), path.child('version'));
  for (const field of LISTS)
    if (isEmptyList(value, field)) errors.invalid(path.child(field), [], 'must not be empty if specified');
  errors.each(listAt(value, 'strings'), (text, i) => isLong(String(text), path.child('strings').index(i)));
  errors.each(listAt(value, 'versions'), (text, i) => isVersion(String(text), path.child('versions').index(i)));
  const given = VALUES.filter((field) => givenAt(value, field) !== undefined);
  if (given.length !== 1)
    errors.invalid(
      path,
      given.length === 0 ? '' : shown('resource/v1.DeviceAttribute', value),
      'exactly one value must be specified',
    );
}

const isEmptyList = (value: Value<shapes.ResourceV1DeviceAttribute>, field: (typeof LISTS)[number]): boolean => {
  const given = givenAt(value, field);
  return Array.isArray(given) && given.length === 0;
};

/** Validates what of a node's own resources an allocation of the device takes. */
export function nodeResources(d: Shaped<shapes.ResourceV1Device>, path: FieldPath, errors: FieldErrors): void {
  for (const [name, resource] of Object.entries(objectAt(d, 'nodeAllocatableResources'))) {
    const here = path.child('nodeAllocatableResources').key(name);
    if (!NODE_RESOURCE.test(name)) errors.invalid(here, name, 'must be a node allocatable resource name');
    const mapping = at(resource, 'mapping');
    const overhead = at(resource, 'overhead');
    if (mapping === undefined && overhead === undefined)
      errors.required(here, 'at least one of mapping or overhead must be set');
    if (mapping !== undefined) mappingRules(mapping as JsonObject, d, here.child('mapping'), errors);
    if (overhead !== undefined) overheadRules(overhead as JsonObject, here.child('overhead'), errors);
  }
}

function mappingRules(
  mapping: JsonObject,
  d: Shaped<shapes.ResourceV1Device>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const key = at(mapping, 'capacityKey');
  const multiplier = at(mapping, 'capacityMultiplier');
  if (key === '') errors.invalid(path.child('capacityKey'), '', 'capacityKey must not be an empty string');
  else if (key !== undefined && !Object.hasOwn(objectAt(d, 'capacity'), String(key)))
    errors.notFound(path.child('capacityKey'), key);
  if (key !== undefined && multiplier === undefined)
    errors.required(path.child('capacityMultiplier'), 'capacityMultiplier is required when capacityKey is set');
  if (key === undefined && multiplier !== undefined)
    errors.required(path.child('capacityKey'), 'capacityKey is required when capacityMultiplier is set');
  if (key !== undefined) amount(mapping, 'capacityMultiplier', path, errors, 'must be positive');
  amount(mapping, 'deviceMultiplier', path, errors, 'must be positive');
}

function overheadRules(overhead: JsonObject, path: FieldPath, errors: FieldErrors): void {
  if (at(overhead, 'perPod') === undefined && at(overhead, 'perContainer') === undefined)
    errors.invalid(path, '', 'at least one of perPod or perContainer must be set');
  amount(overhead, 'perPod', path, errors, 'must be non-negative');
  amount(overhead, 'perContainer', path, errors, 'must be non-negative');
}

function amount(
  holder: JsonObject,
  field: string,
  path: FieldPath,
  errors: FieldErrors,
  rule: 'must be positive' | 'must be non-negative',
): void {
  const quantity = parseQuantity(textAt(holder, field));
  if (quantity === undefined) return;
  const least = rule === 'must be positive' ? 1n : 0n;
  if (quantity.nanos < least) errors.invalid(path.child(field), formatQuantity(quantity), rule);
}

/** Validates that each device that consumes counters has the attribute that tells the types of partitions, and that there is such a device. */
export function partitionTypes(
  spec: Shaped<shapes.ResourceV1ResourceSliceSpec>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const name = at(spec, 'partitionTypeAttribute');
  if (name === undefined) return;
  const devices = objectsAt(spec, 'devices');
  if (!devices.some((d) => listAt(d, 'consumesCounters').length > 0))
    errors.invalid(
      path.child('partitionTypeAttribute'),
      name,
      'may only be set on a slice which declares devices that consume counters',
    );
}

/** Validates the attribute that tells the type of a partition. The name may leave out the driver in the device. */
export function partitionType(
  d: Shaped<shapes.ResourceV1Device>,
  { name, driver }: { readonly name: string; readonly driver: string },
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!name.includes('/') || listAt(d, 'consumesCounters').length === 0) return;
  const attributes = objectAt(d, 'attributes');
  const short = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const value = Object.hasOwn(attributes, name)
    ? attributes[name]
    : Object.hasOwn(attributes, short) && attributes[short];
  const here = path.child('attributes').key(name);
  if (value === undefined || value === false)
    errors.required(
      here,
      'device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set',
    );
  else if (at(value, 'string') === undefined)
    errors.invalid(
      here,
      shown('resource/v1.DeviceAttribute', value),
      'must be a string value because `partitionTypeAttribute` names this attribute',
    );
}
