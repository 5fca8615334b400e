import { type AdmissionStep, at, objectIn, type StoredObjects, textAt } from '../api/index.js';
import { newestDefault } from './defaultclass.js';
import { isAbout } from './step.js';

const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' } as const;

/** Sets the default storage class on a claim without one. */
export function defaultStorageClassStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'DefaultStorageClass',
    mutate: (request) => {
      const { object } = request;
      if (request.operation !== 'create' || object === undefined || !isAbout(request, '', 'persistentvolumeclaims'))
        return;
      if (at(object, 'spec', 'storageClassName') !== undefined) return;
      if (at(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class') !== undefined) return;
      const found = newestDefault(objects.list(STORAGE_CLASSES, ''), [
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ]);
      if (found !== undefined) objectIn(object, 'spec')['storageClassName'] = textAt(found, 'metadata', 'name');
    },
  };
}
