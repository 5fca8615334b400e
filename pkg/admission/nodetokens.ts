import {
  ApiError,
  at,
  errors,
  type JsonObject,
  type JsonValue,
  listAt,
  objectsAt,
  type ResourceAttributes,
  textAt,
} from '../api/index.js';
import type { NodeCall } from './noderestriction.js';

/** Restricts the service account tokens and certificates that a kubelet may request to those of pods on its node. */

const PODS = { group: '', resource: 'pods' } as const;
const NODES = { group: '', resource: 'nodes' } as const;
const ACCOUNTS = { group: '', resource: 'serviceaccounts' } as const;
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' } as const;
const VOLUMES = { group: '', resource: 'persistentvolumes' } as const;
const DRIVERS = { group: 'storage.k8s.io', resource: 'csidrivers' } as const;

export async function checkTokenRequest(call: NodeCall): Promise<void> {
  const { node, request, objects, refuse, enabled } = call;
  if (request.operation !== 'create' || request.subresource !== 'token') return;
  const ref = at(request.object, 'spec', 'boundObjectRef');
  const name = textAt(ref, 'name');
  if (textAt(ref, 'apiVersion') !== 'v1' || textAt(ref, 'kind') !== 'Pod' || name === '')
    throw refuse('node requested token not bound to a pod');
  const uid = textAt(ref, 'uid');
  if (uid === '') throw refuse('node requested token with a pod binding without a uid');
  const pod = await objects.get(PODS, request.namespace, name);
  // kube-apiserver reads pods from a lister, whose error names the kind.
  if (pod === undefined) throw errors.notFound({ group: '', resource: 'pod' }, name);
  if (uid !== textAt(pod, 'metadata', 'uid'))
    throw refuse(
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (textAt(pod, 'spec', 'nodeName') !== node)
    throw refuse('node requested token bound to a pod scheduled on a different node');
  if (enabled('ServiceAccountNodeAudienceRestriction')) await checkAudience(call, pod);
}

async function checkAudience(call: NodeCall, pod: JsonObject): Promise<void> {
  const { request, refuse } = call;
  const audiences = listAt(request.object, 'spec', 'audiences');
  if (audiences.length > 1) throw refuse('node may only request 0 or 1 audiences');
  const audience = String(audiences[0] ?? '');
  const found = await usesAudience(call, pod, audience);
  if (found === true) return;
  const shown = JSON.stringify(audience);
  if (typeof found === 'string') throw refuse(`error validating audience ${shown}: ${found}`);
  const may = await allowed(call, 'request-serviceaccounts-token-audience', audience, request.name);
  if (!may) throw refuse(`${request.user.name} is not authorized to request tokens for audience ${shown}`);
}

/** Reports whether a volume of the pod needs tokens for the audience; a text is the reason why this is unknown. */
async function usesAudience(call: NodeCall, pod: JsonObject, audience: string): Promise<boolean | string> {
  const problems: string[] = [];
  for (const volume of objectsAt(pod, 'spec', 'volumes')) {
    const projected = objectsAt(volume, 'projected', 'sources').some(
      (s) => at(s, 'serviceAccountToken') !== undefined && textAt(s, 'serviceAccountToken', 'audience') === audience,
    );
    if (projected) return true;
    const driver = await driverOf(call, pod, volume);
    if (driver.problem !== undefined) problems.push(driver.problem);
    if (driver.name === '') continue;
    const found = await call.objects.get(DRIVERS, '', driver.name);
    if (found === undefined) problems.push(`csidriver.storage.k8s.io ${JSON.stringify(driver.name)} not found`);
    else if (objectsAt(found, 'spec', 'tokenRequests').some((t) => textAt(t, 'audience') === audience)) return true;
  }
  const different = [...new Set(problems)];
  if (different.length === 0) return false;
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`;
}

interface Driver {
  readonly name: string;
  readonly problem?: string;
}

/** The drivers that mount volumes of types that were part of Kubernetes. */
const MIGRATED: Readonly<Record<string, string>> = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
};

/** Returns the CSI driver of the source of a volume of a pod, or of the spec of a PersistentVolume; '' if it has none. */
function driverIn(source: JsonValue | undefined): string {
  const own = textAt(source, 'csi', 'driver');
  if (own !== '') return own;
  const type = Object.keys(MIGRATED).find((field) => at(source, field) !== undefined);
  return type === undefined ? '' : MIGRATED[type]!;
}

/** Returns the CSI driver of a volume: its own, or that of the volume bound to its claim. */
async function driverOf({ objects, request }: NodeCall, pod: JsonObject, volume: JsonObject): Promise<Driver> {
  const own = driverIn(volume);
  if (own !== '') return { name: own };
  const isEphemeral = at(volume, 'ephemeral', 'volumeClaimTemplate') !== undefined;
  const claimName = isEphemeral
    ? `${textAt(pod, 'metadata', 'name')}-${textAt(volume, 'name')}`
    : textAt(volume, 'persistentVolumeClaim', 'claimName');
  if (claimName === '') return { name: '' };
  const claim = await objects.get(CLAIMS, request.namespace, claimName);
  if (claim === undefined) return { name: '', problem: `persistentvolumeclaim ${JSON.stringify(claimName)} not found` };
  const volumeName = textAt(claim, 'spec', 'volumeName');
  const bound = volumeName === '' ? undefined : await objects.get(VOLUMES, '', volumeName);
  if (bound === undefined) return { name: '', problem: `persistentvolume ${JSON.stringify(volumeName)} not found` };
  return { name: driverIn(at(bound, 'spec')) };
}

export async function checkPodCertificate(call: NodeCall): Promise<void> {
  const { node, objects, refuse, enabled } = call;
  const { operation, subresource, object, namespace } = call.request;
  if (!enabled('PodCertificateRequest')) throw refuse('PodCertificateRequest feature gate is disabled');
  if (operation !== 'create') throw refuse(`unexpected operation ${operation.toUpperCase()}`);
  if (subresource !== '') throw refuse(`unexpected subresource ${subresource}`);
  const of = (field: string): string => textAt(object, 'spec', field);
  const [nodeName, podName, accountName] = [of('nodeName'), of('podName'), of('serviceAccountName')];
  const shown = JSON.stringify(`${namespace}/${podName}`);
  if (nodeName !== node)
    throw refuse(
      `PodCertificateRequest.Spec.NodeName=${JSON.stringify(nodeName)}, which is not the requesting node ${JSON.stringify(node)}`,
    );
  const found = await objects.get(NODES, '', nodeName);
  if (found === undefined) throw missing('node', nodeName, nodeName);
  const request = `PodCertificateRequest for pod ${shown}`;
  const same = (stated: string, o: JsonObject, text: (stated: string, uid: string) => string): void => {
    const uid = textAt(o, 'metadata', 'uid');
    if (stated !== uid) throw unknown(`${request} ${text(JSON.stringify(stated), JSON.stringify(uid))}`);
  };
  same(of('nodeUID'), found, (a, b) => `names node UID ${a}, inconsistent with the running node (${b})`);
  const pod = await objects.get(PODS, namespace, podName);
  if (pod === undefined) throw missing('pod', podName, `${namespace}/${podName}`);
  same(of('podUID'), pod, (a, b) => `contains pod UID (${a}) which differs from running pod ${b}`);
  if (textAt(pod, 'spec', 'nodeName') !== nodeName)
    throw refuse(`pod ${shown} is not running on node ${JSON.stringify(nodeName)} named in the PodCertificateRequest`);
  if (at(pod, 'metadata', 'annotations', 'kubernetes.io/config.mirror') !== undefined)
    throw refuse(`pod ${shown} is a mirror pod`);
  const running = textAt(pod, 'spec', 'serviceAccountName');
  if (accountName !== running)
    throw refuse(
      `PodCertificateRequest for pod ${shown} contains serviceAccountName (${JSON.stringify(accountName)}) that differs from running pod (${JSON.stringify(running)})`,
    );
  const account = await objects.get(ACCOUNTS, namespace, accountName);
  if (account === undefined) throw missing('service account', accountName, `${namespace}/${accountName}`);
  same(
    of('serviceAccountUID'),
    account,
    (a, b) => `names service account UID ${a}, which differs from the running service account (${b})`,
  );
  const signer = of('signerName');
  const mounts = objectsAt(pod, 'spec', 'volumes').some((v) =>
    objectsAt(v, 'projected', 'sources').some(
      (s) => at(s, 'podCertificate') !== undefined && textAt(s, 'podCertificate', 'signerName') === signer,
    ),
  );
  if (mounts) return;
  // In RBAC, resource names have no slashes.
  const resource = signer.replaceAll('/', ':');
  if (!(await allowed(call, 'request-serviceaccounts-podcertificate-signer', resource, accountName)))
    throw refuse(`pod ${shown} does not mount a podCertificate projected volume for signer ${JSON.stringify(signer)}`);
}

/**
 * kube-apiserver reads these objects from its informers, which may lag, so that an object that is missing or another one is no reason to
 * forbid the request.
 */
const unknown = (text: string): ApiError => new ApiError(500, undefined, text);

const missing = (what: string, name: string, path: string): ApiError =>
  unknown(
    `while retrieving ${what} ${JSON.stringify(path)} named in the PodCertificateRequest: ${what.replace(' ', '')} ${JSON.stringify(name)} not found`,
  );

async function allowed(
  { request, authorize }: NodeCall,
  verb: string,
  resource: string,
  name: string,
): Promise<boolean> {
  const { group, version } = request.requested.resource;
  const { namespace } = request;
  const attributes: ResourceAttributes = {
    kind: 'resource',
    verb,
    group,
    version,
    resource,
    subresource: '',
    namespace,
    name,
  };
  return (await authorize(request.user, attributes)).allowed;
}
