import {
  type AdmissionStep,
  at,
  compareQuantities,
  errors,
  type JsonObject,
  parseQuantity,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { isAbout } from './step.js';

const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' } as const;

/** Allows a bound claim to grow if its storage class allows expansion. */
export function claimResizeStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'PersistentVolumeClaimResize',
    concerns: (request) => request.operation === 'update' && isAbout(request, '', 'persistentvolumeclaims'),
    validate: async (request) => {
      const { object, old } = request;
      if (object === undefined || old === undefined || !grows(object, old)) return;
      const name = textAt(object, 'metadata', 'name');
      const refuse = (why: string): Error => errors.forbidden(request.groupResource, name, why);
      if (textAt(old, 'status', 'phase') !== 'Bound')
        throw refuse('Only bound persistent volume claims can be expanded');
      const className = textAt(object, 'spec', 'storageClassName');
      const found = className === '' ? undefined : await objects.get(STORAGE_CLASSES, '', className);
      if (at(found, 'allowVolumeExpansion') !== true)
        throw refuse(
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
    },
  };
}

function grows(object: JsonObject, old: JsonObject): boolean {
  const now = parseQuantity(textAt(object, 'spec', 'resources', 'requests', 'storage'));
  const before = parseQuantity(textAt(old, 'spec', 'resources', 'requests', 'storage'));
  return now !== undefined && before !== undefined && compareQuantities(now, before) > 0;
}
