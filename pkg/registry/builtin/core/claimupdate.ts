import {
  cloneJson,
  compareQuantities,
  equalJson,
  type FieldErrors,
  FieldPath,
  type JsonObject,
  parseQuantity,
  unitsOf,
  zeroQuantity,
} from '../../../api/index.js';
import { internalDifference } from '../../../schema/index.js';
import { at, objectAt, objectIn, textAt } from '../access.js';
import { keep } from '../form.js';

const SPEC = FieldPath.of('spec');

/** A claim's spec is immutable, except that volumeName may be set, and a bound claim may grow and change its attributes class. */
export function claimUpdate(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const before = objectAt(old, 'spec');
  const spec = cloneJson(objectAt(o, 'spec'));
  if (textAt(before, 'volumeName') === '') keep('volumeName', spec, before);
  storageClass(o, old, spec, errors);
  const bound = textAt(old, 'status', 'phase') === 'Bound';
  if (bound) {
    keep('volumeAttributesClassName', spec, before);
    if (at(spec, 'resources', 'requests') !== undefined)
      keep('storage', objectIn(objectIn(spec, 'resources'), 'requests'), objectAt(before, 'resources', 'requests'));
  }
  if (!equalJson(spec, before))
    errors.forbidden(
      SPEC,
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${internalDifference('core/v1.PersistentVolumeClaimSpec', before, spec)}`,
    );
  const size = (of: JsonObject, ...path: readonly string[]) =>
    parseQuantity(textAt(of, ...path, 'storage')) ?? zeroQuantity;
  const now = size(o, 'spec', 'resources', 'requests');
  if (
    compareQuantities(now, size(old, 'spec', 'resources', 'requests')) < 0 &&
    compareQuantities(now, size(old, 'status', 'capacity')) <= 0
  )
    errors.forbidden(SPEC.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity');
  const mode = at(o, 'spec', 'volumeMode');
  if (!equalJson(mode ?? null, at(old, 'spec', 'volumeMode') ?? null))
    errors.invalid(FieldPath.of('volumeMode'), mode, 'field is immutable');
  const attributes = at(o, 'spec', 'volumeAttributesClassName');
  if (bound && attributes === undefined && at(old, 'spec', 'volumeAttributesClassName') !== undefined)
    errors.forbidden(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden');
}

/** Capacity and allocated resources of a claim are not negative. */
export function claimStatus(o: JsonObject, errors: FieldErrors): void {
  for (const field of ['capacity', 'allocatedResources'] as const) {
    for (const [name, amount] of Object.entries(objectAt(o, 'status', field))) {
      const q = parseQuantity(String(amount));
      if (q !== undefined && compareQuantities(q, zeroQuantity) < 0)
        errors.invalid(
          FieldPath.of('status', field).key(name),
          Number(unitsOf(q)),
          'must be a valid resource quantity',
        );
    }
  }
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** An update may set the class of a claim that has none, to a default or to the annotation's. `spec` is otherwise unchanged. */
function storageClass(o: JsonObject, old: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const before = objectAt(old, 'spec');
  const wasNamed = at(old, 'metadata', 'annotations', CLASS_ANNOTATION);
  const isNamed = at(o, 'metadata', 'annotations', CLASS_ANNOTATION);
  const given = before['storageClassName'] === undefined ? spec['storageClassName'] : undefined;
  if (wasNamed !== undefined && given === wasNamed && (isNamed === undefined || isNamed === wasNamed))
    keep('storageClassName', spec, before);
  else {
    if (textAt(isNamed) !== textAt(wasNamed))
      errors.invalid(
        FieldPath.of('metadata', 'annotations').key(CLASS_ANNOTATION),
        textAt(isNamed),
        'field is immutable',
      );
    if (wasNamed === undefined && given !== undefined) keep('storageClassName', spec, before);
  }
}
