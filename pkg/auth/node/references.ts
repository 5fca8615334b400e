import { at, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from '../../api/index.js';

/** Objects that a node may read because a pod on it uses them: keys `resource/namespace/name`. */
export function podReferences(pod: JsonObject): ReadonlySet<string> {
  const namespace = textAt(pod, 'metadata', 'namespace');
  const name = textAt(pod, 'metadata', 'name');
  const found = new Set<string>([keyOf('pods', namespace, name)]);
  // A mirror pod of a static pod grants nothing else.
  if (at(pod, 'metadata', 'annotations', MIRROR) !== undefined) return found;
  const add = (resource: string, of: string): void => {
    if (of !== '') found.add(keyOf(resource, namespace, of));
  };
  const spec = objectAt(pod, 'spec');
  add('serviceaccounts', textAt(spec, 'serviceAccountName'));
  for (const secret of objectsAt(spec, 'imagePullSecrets')) add('secrets', textAt(secret, 'name'));
  for (const list of CONTAINERS) for (const container of objectsAt(spec, list)) containerReferences(container, add);
  for (const volume of objectsAt(spec, 'volumes')) volumeReferences(volume, name, add);
  for (const claim of objectsAt(spec, 'resourceClaims')) add('resourceclaims', textAt(claim, 'resourceClaimName'));
  for (const claim of objectsAt(pod, 'status', 'resourceClaimStatuses'))
    add('resourceclaims', textAt(claim, 'resourceClaimName'));
  add('resourceclaims', textAt(pod, 'status', 'extendedResourceClaimStatus', 'resourceClaimName'));
  return found;
}

export const keyOf = (resource: string, namespace: string, name: string): string => `${resource}/${namespace}/${name}`;

type Add = (resource: string, name: string) => void;

const MIRROR = 'kubernetes.io/config.mirror';
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function containerReferences(container: JsonObject, add: Add): void {
  for (const env of objectsAt(container, 'env')) {
    add('secrets', textAt(env, 'valueFrom', 'secretKeyRef', 'name'));
    add('configmaps', textAt(env, 'valueFrom', 'configMapKeyRef', 'name'));
  }
  for (const from of objectsAt(container, 'envFrom')) {
    add('secrets', textAt(from, 'secretRef', 'name'));
    add('configmaps', textAt(from, 'configMapRef', 'name'));
  }
}

function volumeReferences(volume: JsonObject, podName: string, add: Add): void {
  addSecretsOf(volume, (name) => add('secrets', name));
  add('secrets', textAt(volume, 'secret', 'secretName'));
  add('configmaps', textAt(volume, 'configMap', 'name'));
  for (const source of objectsAt(volume, 'projected', 'sources')) {
    add('secrets', textAt(source, 'secret', 'name'));
    add('configmaps', textAt(source, 'configMap', 'name'));
  }
  add('persistentvolumeclaims', textAt(volume, 'persistentVolumeClaim', 'claimName'));
  // The claim of an ephemeral volume is named after the pod and the volume.
  if (at(volume, 'ephemeral') !== undefined) add('persistentvolumeclaims', `${podName}-${textAt(volume, 'name')}`);
}

/** Volume sources that refer to a Secret in `secretRef`. */
const SECRET_REFS = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const;

function addSecretsOf(source: JsonValue, add: (name: string) => void): void {
  for (const kind of SECRET_REFS) add(textAt(source, kind, 'secretRef', 'name'));
  add(textAt(source, 'azureFile', 'secretName'));
  add(textAt(source, 'csi', 'nodePublishSecretRef', 'name'));
}

/**
 * The objects that nodes with the claim of a PersistentVolume may read: the volume, and the Secrets needed to mount it.
 */
export function volumeGrants(
  volume: JsonObject,
): { readonly claim: string; readonly keys: readonly string[] } | undefined {
  const claim = objectAt(volume, 'spec', 'claimRef');
  const name = textAt(claim, 'name');
  if (name === '') return undefined;
  const namespace = textAt(claim, 'namespace');
  const keys = [keyOf('persistentvolumes', '', textAt(volume, 'metadata', 'name'))];
  const addSecret = (ref: JsonValue | undefined): void => {
    const secret = textAt(ref, 'name');
    const own = textAt(ref, 'namespace');
    if (secret !== '') keys.push(keyOf('secrets', own === '' ? namespace : own, secret));
  };
  const spec = objectAt(volume, 'spec');
  for (const kind of SECRET_REFS) addSecret(at(spec, kind, 'secretRef'));
  for (const ref of ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'])
    addSecret(at(spec, 'csi', ref));
  const azure = textAt(spec, 'azureFile', 'secretName');
  if (azure !== '') addSecret({ name: azure, namespace: textAt(spec, 'azureFile', 'secretNamespace') });
  return { claim: keyOf('persistentvolumeclaims', namespace, name), keys };
}
