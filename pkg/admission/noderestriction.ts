import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  boolAt,
  COMMON_NAME,
  cloneJson,
  equalJson,
  errors,
  type JsonObject,
  type JsonValue,
  namesOf,
  objectAt,
  objectIn,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { internalDifference } from '../schema/index.js';
import { requestIn } from './certificatesubject.js';
import { checkPodCertificate, checkTokenRequest } from './nodetokens.js';
import { apiReference } from './podreferences.js';
import type { AuthorizeCheck } from './policy/checks.js';
import { forbidden } from './step.js';

const NODE_PREFIX = 'system:node:';
const NODES_GROUP = 'system:nodes';
const NODE_LEASES = 'kube-node-lease';
const MIRROR = 'kubernetes.io/config.mirror';
const PODS = { group: '', resource: 'pods' } as const;
const NODES = { group: '', resource: 'nodes' } as const;

/** The state of the checks of one request. */
export interface NodeCall {
  readonly node: string;
  readonly request: AdmissionRequest;
  readonly objects: StoredObjects;
  readonly authorize: AuthorizeCheck;
  enabled(gate: string): boolean;
  /** Returns the 403 of this request. */
  refuse(why: string): Error;
}

type Check = (call: NodeCall) => void | Promise<void>;

/**
 * Limits the writes of a kubelet to its own node, the pods on it and their objects. It completes the Node authorizer,
 * which does not see objects.
 */
export function nodeRestrictionStep(
  objects: StoredObjects,
  authorize: AuthorizeCheck,
  enabled: (gate: string) => boolean,
): AdmissionStep {
  return {
    name: 'NodeRestriction',
    concerns: ({ user, operation }) =>
      operation !== 'connect' && user.name.startsWith(NODE_PREFIX) && user.groups.includes(NODES_GROUP),
    mutate: async (request) => {
      const { user, groupResource } = request;
      const refuse = (why: string): Error => forbidden(request, why);
      const node = user.name.slice(NODE_PREFIX.length);
      if (node === '') throw refuse(`could not determine node from user ${JSON.stringify(user.name)}`);
      await CHECKS[`${groupResource.group}/${groupResource.resource}`]?.({
        node,
        request,
        objects,
        authorize,
        enabled,
        refuse,
      });
    },
  };
}

const CHECKS: Readonly<Record<string, Check>> = {
  '/pods': (call) => {
    const { subresource } = call.request;
    if (subresource === '') return checkPod(call);
    if (subresource === 'status') return checkPodStatus(call);
    if (subresource === 'eviction') return checkEviction(call);
    throw call.refuse(
      `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
    );
  },
  '/nodes': checkNode,
  '/persistentvolumeclaims': checkClaim,
  '/serviceaccounts': checkTokenRequest,
  'certificates.k8s.io/podcertificaterequests': checkPodCertificate,
  'certificates.k8s.io/certificatesigningrequests': checkSigningRequest,
  'coordination.k8s.io/leases': checkLease,
  'storage.k8s.io/csinodes': checkCsiNode,
  'resource.k8s.io/resourceslices': checkResourceSlice,
};

const quoted = (text: string): string => JSON.stringify(text);
const operationOf = ({ request }: NodeCall): string => request.operation.toUpperCase();
const podNode = (pod: JsonObject | undefined): string => textAt(pod, 'spec', 'nodeName');

async function existingPod({ request, objects }: NodeCall): Promise<JsonObject> {
  const pod = await objects.get(PODS, request.namespace, request.name);
  // kube-apiserver reads pods from a lister, whose error names the kind.
  if (pod === undefined) throw errors.notFound({ group: '', resource: 'pod' }, request.name);
  return pod;
}

async function checkPod(call: NodeCall): Promise<void> {
  const { node, request, refuse } = call;
  if (request.operation === 'create') return checkNewPod(call);
  if (request.operation !== 'delete')
    throw refuse(
      `unexpected operation ${quoted(operationOf(call))}, node ${quoted(node)} can only create and delete mirror pods`,
    );
  // Deleting a collection is refused by the Node authorizer; kube-apiserver checks no pod of it here.
  if (request.name === '') return;
  const pod = request.old ?? (await existingPod(call));
  if (podNode(pod) !== node) throw refuse(`node ${quoted(node)} can only delete pods with spec.nodeName set to itself`);
}

async function checkNewPod({ node, request, objects, refuse }: NodeCall): Promise<void> {
  const pod = request.object ?? {};
  const who = `node ${quoted(node)}`;
  if (at(pod, 'metadata', 'annotations', MIRROR) === undefined)
    throw refuse(`pod does not have ${quoted(MIRROR)} annotation, ${who} can only create mirror pods`);
  if (podNode(pod) !== node) throw refuse(`${who} can only create pods with spec.nodeName set to itself`);
  const owners = objectsAt(pod, 'metadata', 'ownerReferences');
  if (owners.length > 1) throw refuse(`${who} can only create pods with a single owner reference set to itself`);
  const owner = owners[0];
  if (
    owner === undefined ||
    textAt(owner, 'apiVersion') !== 'v1' ||
    textAt(owner, 'kind') !== 'Node' ||
    textAt(owner, 'name') !== node
  )
    throw refuse(`${who} can only create pods with an owner reference set to itself`);
  if (!boolAt(owner['controller']))
    throw refuse(`${who} can only create pods with a controller owner reference set to itself`);
  if (boolAt(owner['blockOwnerDeletion'])) throw refuse(`${who} must not set blockOwnerDeletion on an owner reference`);
  const found = await objects.get(NODES, '', node);
  // Read from a lister as well.
  if (found === undefined) throw errors.notFound({ group: '', resource: 'node' }, node);
  const [uid, stated] = [textAt(found, 'metadata', 'uid'), textAt(owner, 'uid')];
  if (uid !== stated) throw refuse(`node ${node} UID mismatch: expected ${stated} got ${uid}`);
  const reference = apiReference(pod);
  if (reference !== undefined) throw refuse(`${who} can not create pods that reference ${reference}`);
}

function checkPodStatus(call: NodeCall): void {
  const { node, request, refuse } = call;
  const { old, object } = request;
  if (request.operation !== 'update') throw refuse(`unexpected operation ${quoted(operationOf(call))}`);
  if (podNode(old) !== node)
    throw refuse(`node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`);
  const same = (...path: readonly string[]): boolean => equalJson(at(old, ...path) ?? [], at(object, ...path) ?? []);
  const labels = (o: JsonObject | undefined): JsonObject => objectAt(o, 'metadata', 'labels');
  if (!equalJson(labels(old), labels(object)))
    throw refuse(`node ${quoted(node)} cannot update labels through pod status`);
  if (!same('status', 'resourceClaimStatuses'))
    throw refuse(`node ${quoted(node)} cannot update resource claim statues`);
  if (!same('status', 'extendedResourceClaimStatus'))
    throw refuse(`node ${quoted(node)} cannot update extended resource claim status`);
  if (!same('status', 'nodeAllocatableResourceClaimStatuses'))
    throw refuse(`node ${quoted(node)} cannot update node allocatable resource claim statuses`);
}

async function checkEviction(call: NodeCall): Promise<void> {
  const { node, request, refuse } = call;
  if (request.operation !== 'create') throw refuse(`unexpected operation ${operationOf(call)}`);
  if (request.name === '') throw refuse('could not determine pod from request data');
  if (podNode(await existingPod(call)) !== node)
    throw refuse(`node ${node} can only evict pods with spec.nodeName set to itself`);
}

/** In a claim, a node may change the capacity, the conditions and the status of a resize. */
function checkClaim(call: NodeCall): void {
  const { node, request, refuse } = call;
  if (request.subresource !== 'status') throw refuse('may only update PVC status');
  if (request.operation !== 'update') throw refuse(`unexpected operation ${quoted(operationOf(call))}`);
  const rest = (claim: JsonObject | undefined): JsonValue => {
    const copy = cloneJson(claim ?? {}) as JsonObject;
    const [meta, status] = [objectIn(copy, 'metadata'), objectIn(copy, 'status')];
    delete meta['resourceVersion'];
    delete meta['managedFields'];
    for (const field of ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources'])
      delete status[field];
    return copy;
  };
  const [before, now] = [rest(request.old), rest(request.object)];
  if (!equalJson(before, now))
    throw refuse(
      `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions: ${internalDifference('core/v1.PersistentVolumeClaim', before, now)}`,
    );
}

function checkNode({ node, request, refuse }: NodeCall): void {
  const { operation, object, old } = request;
  // In a create the name is in the object.
  const name = request.name === '' ? textAt(object, 'metadata', 'name') : request.name;
  const who = `node ${quoted(node)}`;
  if (name !== node) throw refuse(`${who} is not allowed to modify node ${quoted(name)}`);
  const source = at(object, 'spec', 'configSource');
  const wrongLabels = forbiddenLabels(object, old);
  if (operation === 'create') {
    if (source !== undefined) throw refuse(`${who} is not allowed to create pods with a non-nil configSource`);
    if (wrongLabels !== '') throw refuse(`${who} is not allowed to set the following labels: ${wrongLabels}`);
  }
  if (operation !== 'update') return;
  if (source !== undefined && !equalJson(source, at(old, 'spec', 'configSource') ?? null))
    throw refuse(`${who} is not allowed to update configSource to a new non-nil configSource`);
  const same = (...path: readonly string[]): boolean => equalJson(at(object, ...path) ?? [], at(old, ...path) ?? []);
  if (!same('spec', 'taints')) throw refuse(`${who} is not allowed to modify taints`);
  if (!same('metadata', 'ownerReferences')) throw refuse(`${who} is not allowed to modify ownerReferences`);
  if (wrongLabels !== '') throw refuse(`is not allowed to modify labels: ${wrongLabels}`);
}

const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

/**
 * Returns the changed labels that a kubelet may not set, sorted: labels that could attract other users' pods to its
 * node.
 */
function forbiddenLabels(object: JsonObject | undefined, old: JsonObject | undefined): string {
  const [after, before] = [objectAt(object, 'metadata', 'labels'), objectAt(old, 'metadata', 'labels')];
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((key) => after[key] !== before[key] && !isKubeletLabel(key))
    .sort()
    .join(', ');
}

function isKubeletLabel(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  const within = (...domains: readonly string[]): boolean =>
    domains.some((d) => domain === d || domain.endsWith(`.${d}`));
  if (within('node-restriction.kubernetes.io')) return false;
  if (!within('kubernetes.io', 'k8s.io')) return true;
  return KUBELET_LABELS.has(key) || within('kubelet.kubernetes.io', 'node.kubernetes.io');
}

function checkLease({ node, request, refuse }: NodeCall): void {
  if (request.namespace !== NODE_LEASES)
    throw refuse(`can only access leases in the ${quoted(NODE_LEASES)} system namespace`);
  if (nameIn(request) !== node) throw refuse('can only access node lease with the same name as the requesting node');
}

function checkCsiNode(call: NodeCall): void {
  const { node, request, refuse, enabled } = call;
  if (nameIn(request) !== node) throw refuse('can only access CSINode with the same name as the requesting node');
  if (request.subresource !== 'status') return;
  if (!enabled('CSIVolumeHealth')) throw refuse('CSIVolumeHealth feature gate is disabled');
  if (request.operation !== 'update') throw refuse(`unexpected operation ${quoted(operationOf(call))}`);
  if (!equalJson(at(request.old, 'spec') ?? {}, at(request.object, 'spec') ?? {}))
    throw refuse(`node ${quoted(node)} is not allowed to modify CSINode spec via status`);
}

const nameIn = ({ operation, object, name }: AdmissionRequest): string =>
  operation === 'create' ? textAt(object, 'metadata', 'name') : name;

function checkResourceSlice({ node, request, refuse }: NodeCall): void {
  const { operation, object, old } = request;
  if (operation === 'create' && podNode(object) !== node)
    throw refuse('can only create ResourceSlice with the same NodeName as the requesting node');
  if (operation === 'delete' && old !== undefined && podNode(old) !== node)
    throw refuse('can only delete ResourceSlice with the same NodeName as the requesting node');
}

const NODE_SIGNERS: ReadonlySet<string> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
]);

function checkSigningRequest({ node, request, refuse, enabled }: NodeCall): void {
  if (request.operation !== 'create' || enabled('AllowInsecureKubeletCertificateSigningRequests')) return;
  if (!NODE_SIGNERS.has(textAt(request.object, 'spec', 'signerName'))) return;
  const read = requestIn(request.object);
  if (typeof read === 'string') throw refuse(`unable to parse csr: ${read}`);
  const wanted = `${NODE_PREFIX}${node}`;
  // Of several common names the last one counts, as in the authentication of the certificate.
  if (namesOf(read.subject, COMMON_NAME)?.at(-1) !== wanted)
    throw refuse(`can only create a node CSR with CN=${wanted}`);
}
