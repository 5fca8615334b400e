import { asGiven, isObject, type JsonObject, type JsonValue, removeField } from '../../../api/index.js';
import type { DeclaredVersion } from '../../resource.js';
import { at, objectsAt } from '../access.js';
import { versions } from '../form.js';
import { fillClaim } from './validation.js';

/**
 * `resource.k8s.io/v1beta1` has the same fields as later versions in other places: request fields are in the request itself
 * (later in `exactly`), and device fields are in `basic` (later in the device itself).
 */

type Change = (o: JsonObject) => void;

/** v1 is the storage version; v1beta2 is identical to it. */
const withV1beta1 = (beta: Omit<DeclaredVersion, 'version'>): readonly DeclaredVersion[] => [
  ...versions('v1', 'v1beta2'),
  { version: 'v1beta1', ...beta },
];

const REQUEST = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
  'derivedAttributes',
] as const;

const UNSET: readonly (JsonValue | undefined)[] = [undefined, null, '', 0];

function toExactly(request: JsonObject): void {
  // An empty list in the request is a wish, too.
  const wished = REQUEST.some((name) => !UNSET.includes(asGiven(request, name)));
  const exactly: JsonObject = {};
  for (const name of REQUEST) move(request, exactly, name);
  if (wished) request['exactly'] = exactly;
}

function fromExactly(request: JsonObject): void {
  const { exactly } = request;
  delete request['exactly'];
  if (isObject(exactly)) for (const name of REQUEST) move(exactly, request, name);
}

function toBasic(device: JsonObject): void {
  const basic: JsonObject = {};
  for (const name of Object.keys(device)) if (name !== 'name') move(device, basic, name);
  device['basic'] = basic;
}

function fromBasic(device: JsonObject): void {
  const { basic } = device;
  delete device['basic'];
  if (isObject(basic)) for (const name of Object.keys(basic)) move(basic, device, name);
}

function move(from: JsonObject, to: JsonObject, name: string): void {
  const v: JsonValue | undefined = from[name];
  removeField(from, name);
  if (v !== undefined) to[name] = v;
}

const each =
  (place: readonly string[], list: string, change: Change): Change =>
  (o) => {
    for (const item of objectsAt(at(o, ...place) ?? null, list)) change(item);
  };

/** `spec.devices.requests[0].exactly.count` is `spec.devices.requests[0].count`. */
function outOfExactly(stored: string): string {
  const parts = stored.split('.');
  const at = parts.findIndex((part) => part.startsWith('requests[')) + 1;
  return parts[at] === 'exactly' ? parts.toSpliced(at, 1).join('.') : stored;
}

/** `spec.devices[0].taints` is `spec.devices[0].basic.taints`. */
function intoBasic(stored: string): string {
  const parts = stored.split('.');
  const [, devices = '', field = 'name'] = parts;
  return devices.startsWith('devices[') && field !== 'name' ? parts.toSpliced(2, 0, 'basic').join('.') : stored;
}

const requestsAt = (...place: readonly string[]) =>
  withV1beta1({
    toStorage: each(place, 'requests', toExactly),
    fromStorage: each(place, 'requests', fromExactly),
    fieldPath: outOfExactly,
    defaults: (o) => fillClaim(at(o, ...place.slice(0, -1)), true),
  });

export const claimVersions = requestsAt('spec', 'devices');
export const claimTemplateVersions = requestsAt('spec', 'spec', 'devices');
export const sliceVersions = withV1beta1({
  toStorage: each(['spec'], 'devices', fromBasic),
  fromStorage: each(['spec'], 'devices', toBasic),
  fieldPath: intoBasic,
});
