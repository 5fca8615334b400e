import {
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  isDns1123Label,
  isInterfaceAddress,
  isLabelKey,
  isObject,
  type JsonObject,
  type Shaped,
  type Value,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, boolAt, givenAt, listAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { nodeSelector } from '../core/pod/validation/scheduling.js';
import { driverName, oneOf, sentences } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import {
  ADMIN_LABEL,
  lowerDriverName,
  opaqueConfiguration,
  parameters,
  poolName,
  requestNames,
  requestNamesOf,
  requestReference,
  tolerations,
} from './validation.js';

/** Validation of the status of a ResourceClaim: allocation, consumers and device status. */

const STATUS = FieldPath.in<shapes.ResourceV1ResourceClaim>().child('status');
const RESERVED_MAX = 256;
const RESULTS_MAX = 32;
const CONFIGS_MAX = 64;
const CONDITIONS_MAX = 8;
const BINDING_CONDITIONS_MAX = 4;
const ADDRESSES_MAX = 16;
const INTERFACE_NAME_MAX = 256;
const HARDWARE_ADDRESS_MAX = 128;
const DATA_MAX = 10_240;

/** Drops the status of devices that are no longer allocated. */
export function dropDeallocatedDevices(
  o: Shaped<shapes.ResourceV1ResourceClaim>,
  old: Shaped<shapes.ResourceV1ResourceClaim>,
): void {
  const allocated = new Set(objectsAt(o, 'status', 'allocation', 'devices', 'results').map(deviceIdentity));
  const before = objectsAt(old, 'status', 'allocation', 'devices', 'results').map(deviceIdentity);
  const deallocated = new Set(before.filter((device) => !allocated.has(device)));
  const devices = objectsAt(o, 'status', 'devices');
  const kept = devices.filter((device) => !deallocated.has(deviceIdentity(device)));
  if (kept.length === devices.length) return;
  const status = objectIn(o, 'status');
  if (kept.length > 0) status['devices'] = kept;
  else delete status['devices'];
}

export function validateClaimStatus(
  o: Shaped<shapes.ResourceV1ResourceClaim>,
  old: Shaped<shapes.ResourceV1ResourceClaim>,
  errors: FieldErrors,
): void {
  const allocation = at(o, 'status', 'allocation');
  const before = at(old, 'status', 'allocation');
  const consumers = objectsAt(o, 'status', 'reservedFor');
  reservedFor(consumers, errors);
  deviceStatuses(o, allocation, errors);
  if (consumers.length > 0) mayBeReserved(o, old, errors);
  // The declarative rules of the type keep an allocation as it is.
  if (before === undefined && isObject(allocation))
    allocated(allocation, requestNamesOf(at(o, 'spec', 'devices')), errors);
}

/** Admin access to devices in use requires a namespace with the admin access label. */
export function adminAccessInStatus(
  o: Shaped<shapes.ResourceV1ResourceClaim>,
  old: Shaped<shapes.ResourceV1ResourceClaim>,
  label: string | undefined,
  errors: FieldErrors,
): void {
  const results = (of: Shaped<shapes.ResourceV1ResourceClaim>) =>
    objectsAt(of, 'status', 'allocation', 'devices', 'results');
  if (label === 'true' || results(old).some((result) => boolAt(result, 'adminAccess'))) return;
  const path = STATUS.child('allocation', 'devices', 'results');
  for (const [i, result] of results(o).entries())
    if (boolAt(result, 'adminAccess'))
      errors.forbidden(
        path.index(i).child('adminAccess'),
        `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`,
      );
}

function reservedFor(
  list: readonly Shaped<shapes.ResourceV1ResourceClaimConsumerReference>[],
  errors: FieldErrors,
): void {
  const path = STATUS.child('reservedFor');
  if (list.length > RESERVED_MAX) errors.tooMany(path, list.length, RESERVED_MAX);
  else
    for (const [i, consumer] of list.entries())
      for (const field of ['resource', 'name', 'uid'] as const)
        if (textAt(consumer, field) === '') errors.required(path.index(i).child(field));
}

/** Only an allocated claim has consumers, and it gets no new ones during its deletion. */
function mayBeReserved(
  o: Shaped<shapes.ResourceV1ResourceClaim>,
  old: Shaped<shapes.ResourceV1ResourceClaim>,
  errors: FieldErrors,
): void {
  const path = STATUS.child('reservedFor');
  if (at(o, 'status', 'allocation') === undefined) {
    errors.forbidden(path, 'may not be specified when `allocated` is not set');
    return;
  }
  if (textAt(o, 'metadata', 'deletionTimestamp') === '') return;
  const known = objectsAt(old, 'status', 'reservedFor');
  if (objectsAt(o, 'status', 'reservedFor').some((consumer) => !known.some((k) => equalJson(k, consumer))))
    errors.forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set');
}

/** The device id as errors show it. */
const shownIdentity = (d: Shaped<shapes.ResourceV1AllocatedDeviceStatus>): JsonObject => ({
  Driver: textAt(d, 'driver'),
  Pool: textAt(d, 'pool'),
  Device: textAt(d, 'device'),
  ShareID: textAt(d, 'shareID'),
});

/** The key of a device, or of a share of one. */
function deviceIdentity(
  d: Shaped<shapes.ResourceV1AllocatedDeviceStatus | shapes.ResourceV1DeviceRequestAllocationResult>,
): string {
  const id = [textAt(d, 'driver'), textAt(d, 'pool'), textAt(d, 'device')].join('/');
  const share = textAt(d, 'shareID');
  return share === '' ? id : `${id}/${share}`;
}

function deviceStatuses(
  o: Shaped<shapes.ResourceV1ResourceClaim>,
  allocation: Value<shapes.ResourceV1AllocationResult> | undefined,
  errors: FieldErrors,
): void {
  const known = new Set(objectsAt(allocation ?? null, 'devices', 'results').map(deviceIdentity));
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'status', 'devices'), (device, i) => {
    const path = STATUS.child('devices').index(i);
    deviceStatus(device, known, path, errors);
    const identity = deviceIdentity(device);
    if (seen.has(identity)) errors.duplicate(path, shownIdentity(device));
    seen.add(identity);
  });
}

function deviceStatus(
  d: Shaped<shapes.ResourceV1AllocatedDeviceStatus>,
  known: ReadonlySet<string>,
  path: FieldPath<shapes.ResourceV1AllocatedDeviceStatus>,
  errors: FieldErrors,
): void {
  driverName(textAt(d, 'driver'), path.child('driver'), errors);
  poolName(textAt(d, 'pool'), path.child('pool'), errors);
  sentences(textAt(d, 'device'), isDns1123Label, path.child('device'), errors);
  if (!known.has(deviceIdentity(d))) errors.invalid(path, shownIdentity(d), 'must be an allocated device in the claim');
  const conditions = objectsAt(d, 'conditions');
  if (conditions.length > CONDITIONS_MAX) errors.tooMany(path.child('conditions'), conditions.length, CONDITIONS_MAX);
  conditionList(conditions, path.child('conditions'), errors);
  const data = at(d, 'data');
  if (data !== undefined) parameters(data, path.child('data'), errors, DATA_MAX);
  if (isObject(at(d, 'networkData'))) networkData(objectAt(d, 'networkData'), path.child('networkData'), errors);
}

function networkData(
  n: Shaped<shapes.ResourceV1NetworkDeviceData>,
  path: FieldPath<shapes.ResourceV1NetworkDeviceData>,
  errors: FieldErrors,
): void {
  const long = (field: FieldName<shapes.ResourceV1NetworkDeviceData>, max: number): void => {
    if (Buffer.byteLength(textAt(n, field)) > max) errors.tooLong(path.child(field), max);
  };
  long('interfaceName', INTERFACE_NAME_MAX);
  long('hardwareAddress', HARDWARE_ADDRESS_MAX);
  const addresses = listAt(n, 'ips').map(String);
  const here = path.child('ips');
  if (addresses.length > ADDRESSES_MAX) errors.tooMany(here, addresses.length, ADDRESSES_MAX);
  else errors.each(addresses, (address, i) => sentences(address, isInterfaceAddress, here.index(i), errors));
}

function allocated(
  allocation: Shaped<shapes.ResourceV1AllocationResult>,
  requests: ReadonlySet<string>,
  errors: FieldErrors,
): void {
  const path = STATUS.child('allocation');
  const results = objectsAt(allocation, 'devices', 'results');
  const here = path.child('devices', 'results');
  if (results.length > RESULTS_MAX) errors.tooMany(here, results.length, RESULTS_MAX);
  else {
    const seen = new Set<string>();
    errors.each(results, (r, i) => {
      result(r, requests, here.index(i), errors);
      const identity = deviceIdentity(r);
      if (seen.has(identity) && !boolAt(r, 'adminAccess')) errors.duplicate(here.index(i), identity);
      seen.add(identity);
    });
  }
  const configs = objectsAt(allocation, 'devices', 'config');
  const place = path.child('devices', 'config');
  if (configs.length > CONFIGS_MAX) errors.tooMany(place, configs.length, CONFIGS_MAX);
  else
    errors.each(configs, (config, i) => {
      oneOf(textAt(config, 'source'), place.index(i).child('source'), ['FromClaim', 'FromClass'], errors);
      requestNames(config, requests, place.index(i), errors);
      opaqueConfiguration(config, place.index(i), errors);
    });
  const selector = at(allocation, 'nodeSelector');
  if (selector !== undefined) nodeSelector(selector, path.child('nodeSelector'), errors);
}

function result(
  r: Shaped<shapes.ResourceV1DeviceRequestAllocationResult>,
  requests: ReadonlySet<string>,
  path: FieldPath<shapes.ResourceV1DeviceRequestAllocationResult>,
  errors: FieldErrors,
): void {
  requestReference(textAt(r, 'request'), requests, path.child('request'), errors);
  lowerDriverName(textAt(r, 'driver'), path.child('driver'), errors);
  poolName(textAt(r, 'pool'), path.child('pool'), errors);
  sentences(textAt(r, 'device'), isDns1123Label, path.child('device'), errors);
  bindingConditions(r, path, errors);
  tolerations(r, path, errors);
  const skipped = listAt(r, 'skipNodeOperations').map(String);
  if (skipped.includes('NodePrepareResources') && !skipped.includes('NodeUnprepareResources') && !skipped.includes('*'))
    errors.invalid(
      path.child('skipNodeOperations'),
      skipped,
      'NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped',
    );
}

/** Conditions that a device must meet before a pod is bound, and those that report a failure to meet them. */
export function bindingConditions(
  d: Shaped<shapes.ResourceV1DeviceRequestAllocationResult | shapes.ResourceV1Device>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const [good, bad] = ['bindingConditions', 'bindingFailureConditions'] as const;
  const wanted = listAt(d, good).map(String);
  const failures = listAt(d, bad).map(String);
  for (const [field, names] of [
    [good, wanted],
    [bad, failures],
  ] as const) {
    const here = path.child(field);
    if (names.length > BINDING_CONDITIONS_MAX) errors.tooMany(here, names.length, BINDING_CONDITIONS_MAX);
    else errors.each(names, (name, i) => sentences(name, isLabelKey, here.index(i), errors));
  }
  const allWanted = new Set<string>();
  errors.each(wanted, (name, i) => {
    if (allWanted.has(name)) errors.duplicate(path.child(good).index(i), name);
    allWanted.add(name);
  });
  const allFailures = new Set<string>();
  errors.each(failures, (name, i) => {
    const here = path.child(bad).index(i);
    if (allFailures.has(name)) errors.duplicate(here, name);
    allFailures.add(name);
    if (allWanted.has(name)) errors.invalid(here, name, `${bad} must not overlap with ${good}`);
  });
  const lacking = (field: 'bindingConditions' | 'bindingFailureConditions', other: string): void => {
    errors.invalid(path.child(field), givenAt(d, field) ?? null, `${field} are required to use ${other}`);
  };
  if (wanted.length === 0 && failures.length > 0) lacking(good, bad);
  if (failures.length === 0 && wanted.length > 0) lacking(bad, good);
}
