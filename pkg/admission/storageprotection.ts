import { type AdmissionStep, listAt, objectIn } from '../api/index.js';

const PROTECTION: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Adds the finalizer that keeps a volume or claim while it is in use; a controller removes it. */
export const storageProtectionStep: AdmissionStep = {
  name: 'StorageObjectInUseProtection',
  mutate: (request) => {
    const { object, subresource, groupResource } = request;
    if (request.operation !== 'create' || object === undefined || subresource !== '') return;
    const finalizer = PROTECTION[`${groupResource.group}/${groupResource.resource}`];
    if (finalizer === undefined) return;
    const meta = objectIn(object, 'metadata');
    const finalizers = listAt(meta, 'finalizers');
    if (!finalizers.includes(finalizer)) meta['finalizers'] = [...finalizers, finalizer];
  },
};

const POD_GROUP_PROTECTION = 'scheduling.k8s.io/podgroup-protection';

/** Adds the finalizer that keeps a pod group while pods refer to it. */
export function podGroupProtectionStep(enabled: boolean): AdmissionStep {
  return {
    name: 'PodGroupProtection',
    mutate: ({ operation, object, subresource, groupResource }) => {
      if (!enabled || operation !== 'create' || object === undefined || subresource !== '') return;
      if (groupResource.group !== 'scheduling.k8s.io' || groupResource.resource !== 'podgroups') return;
      const meta = objectIn(object, 'metadata');
      const finalizers = listAt(meta, 'finalizers');
      if (!finalizers.includes(POD_GROUP_PROTECTION)) meta['finalizers'] = [...finalizers, POD_GROUP_PROTECTION];
    },
  };
}
