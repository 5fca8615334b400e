import {
  at,
  compareQuantities,
  errors,
  type JsonObject,
  listAt,
  objectIn,
  parseQuantity,
  textAt,
} from '../api/index.js';
import { type Admitted, isAbout, type Step, type StoredObjects } from './step.js';

const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' } as const;
const INGRESS_CLASSES = { group: 'networking.k8s.io', resource: 'ingressclasses' } as const;

const PROTECTION: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Volumes and claims stay until nobody uses them any more: a controller takes the finalizer away. */
export const storageProtectionStep: Step = {
  name: 'StorageObjectInUseProtection',
  mutate: (request) => {
    const { object, target } = request;
    if (request.operation !== 'create' || object === undefined || target.subresource !== '') return;
    const finalizer = PROTECTION[`${target.resource.group}/${target.resource.resource}`];
    if (finalizer === undefined) return;
    const meta = objectIn(object, 'metadata');
    const finalizers = listAt(meta, 'finalizers');
    if (!finalizers.includes(finalizer)) meta['finalizers'] = [...finalizers, finalizer];
  },
};

/** A claim without a class gets the default one. */
export function defaultStorageClassStep(objects: StoredObjects): Step {
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

/** An ingress without a class gets the default one. */
export function defaultIngressClassStep(objects: StoredObjects): Step {
  return {
    name: 'DefaultIngressClass',
    mutate: (request) => {
      const { object } = request;
      if (request.operation !== 'create' || object === undefined || !isAbout(request, 'networking.k8s.io', 'ingresses'))
        return;
      if (at(object, 'spec', 'ingressClassName') !== undefined) return;
      if (at(object, 'metadata', 'annotations', 'kubernetes.io/ingress.class') !== undefined) return;
      const found = newestDefault(objects.list(INGRESS_CLASSES, ''), ['ingressclass.kubernetes.io/is-default-class']);
      if (found !== undefined) objectIn(object, 'spec')['ingressClassName'] = textAt(found, 'metadata', 'name');
    },
  };
}

/** Of several defaults the newest counts, of equally new ones the first by name. */
function newestDefault(classes: readonly JsonObject[], annotations: readonly string[]): JsonObject | undefined {
  return classes
    .filter((c) => annotations.some((a) => at(c, 'metadata', 'annotations', a) === 'true'))
    .sort((a, b) => {
      const byAge = textAt(b, 'metadata', 'creationTimestamp').localeCompare(
        textAt(a, 'metadata', 'creationTimestamp'),
      );
      return byAge !== 0 ? byAge : textAt(a, 'metadata', 'name').localeCompare(textAt(b, 'metadata', 'name'));
    })[0];
}

/** A bound claim may grow where its class allows that. */
export function claimResizeStep(objects: StoredObjects): Step {
  return {
    name: 'PersistentVolumeClaimResize',
    validate: async (request) => {
      const { object, old } = request;
      if (request.operation !== 'update' || object === undefined || old === undefined) return;
      if (!isAbout(request, '', 'persistentvolumeclaims') || !grows(object, old)) return;
      const name = textAt(object, 'metadata', 'name');
      const refuse = (why: string): Error => errors.forbidden(request.target.resource.groupResource, name, why);
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

function grows(object: Admitted['object'], old: Admitted['old']): boolean {
  const now = parseQuantity(textAt(object, 'spec', 'resources', 'requests', 'storage'));
  const before = parseQuantity(textAt(old, 'spec', 'resources', 'requests', 'storage'));
  return now !== undefined && before !== undefined && compareQuantities(now, before) > 0;
}
