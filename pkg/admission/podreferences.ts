import { at, type JsonObject, type JsonValue, objectsAt, textAt } from '../api/index.js';

/** Volume sources that refer to API objects, with the texts of kube-apiserver. */
const VOLUMES: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
};
const PROJECTIONS: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};
/** Sources with a reference to a secret inside. */
const SECRET_REFS = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'] as const;
const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Returns what a pod refers to in the API, or undefined: a static pod may not refer to any object. */
export function apiReference(pod: JsonObject): string | undefined {
  const spec = at(pod, 'spec');
  if (textAt(spec, 'serviceAccountName') !== '') return 'serviceaccounts';
  if (usesSecrets(pod)) return 'secrets';
  if (usesConfigMaps(pod)) return 'configmaps';
  if (objectsAt(spec, 'resourceClaims').length > 0) return 'resourceclaims';
  for (const volume of objectsAt(spec, 'volumes')) {
    const source = Object.keys(volume).find((field) => Object.hasOwn(VOLUMES, field));
    if (source !== undefined) return VOLUMES[source];
    for (const projection of objectsAt(volume, 'projected', 'sources')) {
      const kind = Object.keys(projection).find((field) => Object.hasOwn(PROJECTIONS, field));
      if (kind !== undefined) return PROJECTIONS[kind];
    }
  }
  return undefined;
}

/** A reference without a name refers to nothing. */
const names = (reference: JsonValue | undefined): boolean => textAt(reference, 'name') !== '';

function usesSecrets(pod: JsonObject): boolean {
  if (objectsAt(pod, 'spec', 'imagePullSecrets').some(names) || fromEnvironment(pod, 'secretKeyRef', 'secretRef'))
    return true;
  return objectsAt(pod, 'spec', 'volumes').some(
    (v) =>
      textAt(v, 'azureFile', 'secretName') !== '' ||
      textAt(v, 'secret', 'secretName') !== '' ||
      names(at(v, 'csi', 'nodePublishSecretRef')) ||
      SECRET_REFS.some((source) => names(at(v, source, 'secretRef'))) ||
      objectsAt(v, 'projected', 'sources').some((s) => names(at(s, 'secret'))),
  );
}

function usesConfigMaps(pod: JsonObject): boolean {
  if (fromEnvironment(pod, 'configMapKeyRef', 'configMapRef')) return true;
  return objectsAt(pod, 'spec', 'volumes').some(
    (v) => names(at(v, 'configMap')) || objectsAt(v, 'projected', 'sources').some((s) => names(at(s, 'configMap'))),
  );
}

function fromEnvironment(pod: JsonObject, key: string, source: string): boolean {
  return CONTAINER_LISTS.some((list) =>
    objectsAt(pod, 'spec', list).some(
      (c) =>
        objectsAt(c, 'env').some((e) => names(at(e, 'valueFrom', key))) ||
        objectsAt(c, 'envFrom').some((e) => names(at(e, source))),
    ),
  );
}
