import {
  cloneJson,
  compareQuantities,
  equalJson,
  type FieldErrors,
  FieldPath,
  isQualifiedName,
  type JsonValue,
  parseQuantity,
  type Shaped,
  units64,
  zeroQuantity,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { equalAs, internalDifference } from '../../../schema/index.js';
import { at, listAt, objectAt, objectIn, textAt } from '../access.js';
import { keep } from '../form.js';
import { isNativeResource } from './pod/validation/resources.js';

type Claim = Shaped<shapes.CoreV1PersistentVolumeClaim>;

const SPEC = FieldPath.in<shapes.CoreV1PersistentVolumeClaim>().child('spec');

/** A claim's spec is immutable, except that volumeName may be set, and a bound claim may grow and change its attributes class. */
export function claimUpdate(
  o: Shaped<shapes.CoreV1PersistentVolumeClaim>,
  old: Shaped<shapes.CoreV1PersistentVolumeClaim>,
  errors: FieldErrors,
): void {
  const before = { ...objectAt(old, 'spec') };
  const spec = cloneJson(objectAt(o, 'spec'));
  // The difference shows the new name on both sides.
  if (textAt(before, 'volumeName') === '') keep('volumeName', before, spec);
  storageClass(o, old, spec, errors);
  const bound = textAt(old, 'status', 'phase') === 'Bound';
  if (bound) {
    keep('volumeAttributesClassName', spec, before);
    if (at(spec, 'resources', 'requests') !== undefined)
      keep('storage', objectIn(objectIn(spec, 'resources'), 'requests'), objectAt(before, 'resources', 'requests'));
  }
  if (!equalAs('core/v1.PersistentVolumeClaimSpec', spec, before))
    errors.forbidden(
      SPEC,
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${internalDifference('core/v1.PersistentVolumeClaimSpec', before, spec)}`,
    );
  const size = (amount: JsonValue | undefined) => parseQuantity(textAt(amount)) ?? zeroQuantity;
  const now = size(at(o, 'spec', 'resources', 'requests', 'storage'));
  if (
    compareQuantities(now, size(at(old, 'spec', 'resources', 'requests', 'storage'))) < 0 &&
    compareQuantities(now, size(at(old, 'status', 'capacity', 'storage'))) <= 0
  )
    errors.forbidden(SPEC.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity');
  const mode = at(o, 'spec', 'volumeMode');
  if (!equalJson(mode ?? null, at(old, 'spec', 'volumeMode') ?? null))
    errors.invalid(FieldPath.root.childShownAs('volumeMode'), mode, 'field is immutable');
  attributesClass(o, old, errors);
}

/** The class of attributes that a volume has may be replaced, but not taken away. */
function attributesClass(o: Claim, old: Claim, errors: FieldErrors): void {
  const [wanted, before] = [o, old].map((claim) => at(claim, 'spec', 'volumeAttributesClassName'));
  if (wanted === before || at(old, 'status', 'currentVolumeAttributesClassName') === undefined) return;
  const change = wanted === undefined ? 'nil' : wanted === '' ? 'empty string' : undefined;
  if (change !== undefined)
    errors.forbidden(
      SPEC.child('volumeAttributesClassName'),
      `update to ${change} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    );
}

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** The name of a resource of a claim. Names of kubernetes.io, also those without a domain, are limited to storage. */
function resourceKey(name: string, path: FieldPath, errors: FieldErrors): boolean {
  const wrong = isQualifiedName(name);
  for (const s of wrong) errors.invalid(path, name, s);
  if (wrong.length > 0) return false;
  if (name === 'storage' || !isNativeResource(name)) return true;
  errors.notSupported(path, name, ['storage']);
  return false;
}

/**
 * The stored spec has access modes. Amounts of a claim are not negative, and the resources that are resized and the states of that
 * are known.
 */
export function claimStatus(o: Shaped<shapes.CoreV1PersistentVolumeClaim>, errors: FieldErrors): void {
  const path = FieldPath.of('status');
  const states = path.child('allocatedResourceStatuses');
  if (listAt(o, 'spec', 'accessModes').length === 0) errors.required(FieldPath.of('Spec', 'accessModes'));
  amounts(o, 'capacity', errors);
  for (const [name, state] of Object.entries(objectAt(o, 'status', 'allocatedResourceStatuses'))) {
    resourceKey(name, states, errors);
    // kube-apiserver shows the resource, not its state
    if (!RESIZE_STATES.includes(String(state))) errors.notSupported(states, name, RESIZE_STATES);
  }
  amounts(o, 'allocatedResources', errors);
}

function amounts(
  o: Shaped<shapes.CoreV1PersistentVolumeClaim>,
  field: 'capacity' | 'allocatedResources',
  errors: FieldErrors,
): void {
  const path = FieldPath.of('status', field);
  for (const [name, amount] of Object.entries(objectAt(o, 'status', field))) {
    if (field === 'allocatedResources' && !resourceKey(name, path, errors)) continue;
    const q = parseQuantity(String(amount));
    if (q !== undefined && units64(q) < 0n)
      errors.invalid(path.key(name), units64(q), 'must be a valid resource quantity');
  }
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** An update may set the class of a claim that has none, to a default or to the annotation's. `spec` is otherwise unchanged. */
function storageClass(
  o: Shaped<shapes.CoreV1PersistentVolumeClaim>,
  old: Shaped<shapes.CoreV1PersistentVolumeClaim>,
  spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>,
  errors: FieldErrors,
): void {
  const before = objectAt(old, 'spec');
  const wasNamed = at(old, 'metadata', 'annotations', CLASS_ANNOTATION);
  const isNamed = at(o, 'metadata', 'annotations', CLASS_ANNOTATION);
  const given = before['storageClassName'] === undefined ? spec['storageClassName'] : undefined;
  if (wasNamed !== undefined && given === wasNamed && (isNamed === undefined || isNamed === wasNamed))
    keep('storageClassName', spec, before);
  else {
    if (textAt(isNamed) !== textAt(wasNamed))
      errors.invalid(
        FieldPath.in<shapes.CoreV1PersistentVolumeClaim>().child('metadata', 'annotations', CLASS_ANNOTATION),
        textAt(isNamed),
        'field is immutable',
      );
    if (wasNamed === undefined && given !== undefined) keep('storageClassName', spec, before);
  }
}
