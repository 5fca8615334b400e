import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isQualifiedName,
  type JsonValue,
  parseIp,
  parseQuantity,
  type Shaped,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import type { WriteContext } from '../../../../resource.js';
import { at, objectAt, objectsAt, textAt } from '../../../access.js';
import { sentences } from '../../../rules.js';
import { conditionReason } from '../../../status/conditions.js';
import { ipWarning } from '../../../valuewarnings.js';
import { podAnnotationsUpdate } from './annotations.js';
import { validateContainerStatuses } from './containerstatus.js';

/** Validation of a pod's status. */

export type Pod = Shaped<shapes.CoreV1Pod>;

const STATUS = FieldPath.in<shapes.CoreV1Pod>().child('status');
const OWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

export function validatePodStatus(pod: Pod, old: Pod, errors: FieldErrors, context: WriteContext): void {
  podAnnotationsUpdate(pod, old, errors);
  conditions(pod, errors);
  nominatedNode(pod, old, errors, context);
  notNegative(at(pod, 'status', 'observedGeneration'), STATUS.child('observedGeneration'), errors);
  const qos = at(pod, 'status', 'qosClass');
  if (!equalJson(qos ?? '', at(old, 'status', 'qosClass') ?? ''))
    errors.invalid(STATUS.child('qosClass'), qos ?? '', 'field is immutable');
  claims(pod, errors);
  extendedClaim(pod, errors);
  nodeClaims(pod, errors);
  volumeHealth(pod, errors);
  podAddresses(pod, old, errors);
  hostAddresses(pod, old, errors);
  validateContainerStatuses(pod, old, errors, context);
}

function notNegative(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'number' && value < 0) errors.invalid(path, value, 'must be a non-negative integer');
}

function nominatedNode(pod: Pod, old: Pod, errors: FieldErrors, context: WriteContext): void {
  const path = STATUS.child('nominatedNodeName');
  const nominated = textAt(pod, 'status', 'nominatedNodeName');
  if (nominated === '' || nominated === textAt(old, 'status', 'nominatedNodeName')) return;
  sentences(nominated, isDns1123Subdomain, path, errors);
  if (textAt(old, 'spec', 'nodeName') !== '' && context.featureEnabled('ClearingNominatedNodeNameAfterBinding'))
    errors.forbidden(path, 'may not be set on pods that are already bound to a node');
}

function conditions(pod: Pod, errors: FieldErrors): void {
  const path = STATUS.child('conditions');
  errors.each(objectsAt(pod, 'status', 'conditions'), (c, i) => {
    const type = textAt(c, 'type');
    notNegative(at(c, 'observedGeneration'), path.index(i).child('observedGeneration'), errors);
    if (!OWN_CONDITIONS.includes(type)) sentences(type, isQualifiedName, path.index(i).childShownAs('Type'), errors);
  });
}

function claims(pod: Pod, errors: FieldErrors): void {
  const declared = new Set(objectsAt(pod, 'spec', 'resourceClaims').map((c) => textAt(c, 'name')));
  const seen = new Set<string>();
  errors.each(objectsAt(pod, 'status', 'resourceClaimStatuses'), (status, i) => {
    const path = STATUS.child('resourceClaimStatuses').index(i);
    const name = textAt(status, 'name');
    if (!declared.has(name))
      errors.invalid(path.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`');
    if (seen.has(name)) errors.duplicate(path.child('name'), name);
    seen.add(name);
    const claim = at(status, 'resourceClaimName');
    if (typeof claim === 'string') sentences(claim, isDns1123Subdomain, path.child('resourceClaimName'), errors);
  });
}

/** The claim for extended resources names containers and their requests, each once. */
function extendedClaim(pod: Pod, errors: FieldErrors): void {
  const status = at(pod, 'status', 'extendedResourceClaimStatus');
  if (status === undefined) return;
  const path = STATUS.child('extendedResourceClaimStatus');
  const containers = new Map(
    [...objectsAt(pod, 'spec', 'initContainers'), ...objectsAt(pod, 'spec', 'containers')].map(
      (c) => [textAt(c, 'name'), c] as const,
    ),
  );
  const mappings = objectsAt(status, 'requestMappings');
  if (mappings.length === 0) errors.required(path.child('requestMappings'), 'at least one request mapping is required');
  const seen = new Set<string>();
  errors.each(mappings, (mapping, i) => {
    const here = path.child('requestMappings').index(i);
    const [name, resource, request] = [
      textAt(mapping, 'containerName'),
      textAt(mapping, 'resourceName'),
      textAt(mapping, 'requestName'),
    ];
    const container = containers.get(name);
    if (container === undefined)
      errors.invalid(
        here.child('containerName'),
        name,
        'must match the name of an entry in spec.initContainers.name or spec.containers.name',
      );
    else if (!Object.hasOwn(objectAt(container, 'resources', 'requests'), resource))
      errors.invalid(
        here.child('resourceName'),
        resource,
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
      );
    // kube-apiserver omits the mapping from this path.
    sentences(request, isDns1123Label, path.childShownAs('requestName'), errors);
    const key = JSON.stringify([name, resource, request]);
    if (seen.has(key)) {
      errors.duplicate(here.child('containerName'), name);
      errors.duplicate(here.child('resourceName'), resource);
      errors.duplicate(here.child('requestName'), request);
    }
    seen.add(key);
  });
  const claim = textAt(status, 'resourceClaimName');
  if (claim === '') errors.required(path.child('resourceClaimName'));
  else sentences(claim, isDns1123Subdomain, path.child('resourceClaimName'), errors);
}

const isNodeResource = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Claims that take resources of the node: the pod must refer to them. */
function nodeClaims(pod: Pod, errors: FieldErrors): void {
  const known = new Set(
    [...objectsAt(pod, 'spec', 'resourceClaims'), ...objectsAt(pod, 'status', 'resourceClaimStatuses')].map((c) =>
      textAt(c, 'resourceClaimName'),
    ),
  );
  const quantity = (value: JsonValue | undefined, path: FieldPath): void => {
    if (typeof value === 'string' && (parseQuantity(value)?.nanos ?? 0n) < 0n)
      errors.invalid(path, value, 'must be non-negative');
  };
  errors.each(objectsAt(pod, 'status', 'nodeAllocatableResourceClaimStatuses'), (status, i) => {
    const path = STATUS.child('nodeAllocatableResourceClaimStatuses').index(i);
    const claim = textAt(status, 'resourceClaimName');
    if (claim === '') return;
    if (!known.has(claim)) errors.invalid(path.child('resourceClaimName'), claim, 'no mapping found in pod reference');
    const name = (of: JsonValue, where: FieldPath): void => {
      if (!isNodeResource(textAt(of, 'name')))
        errors.invalid(where.child('name'), textAt(of, 'name'), 'must be a node allocatable resource name');
    };
    for (const [j, item] of objectsAt(status, 'mapping').entries()) {
      const here = path.child('mapping').index(j);
      name(item, here);
      quantity(at(item, 'quantity'), here.child('quantity'));
    }
    for (const [j, item] of objectsAt(status, 'overhead').entries()) {
      const here = path.child('overhead').index(j);
      name(item, here);
      if (at(item, 'perPod') === undefined && at(item, 'perContainer') === undefined)
        errors.invalid(here, '', 'at least one of perPod or perContainer must be set');
      quantity(at(item, 'perPod'), here.child('perPod'));
      quantity(at(item, 'perContainer'), here.child('perContainer'));
    }
  });
}

function volumeHealth(pod: Pod, errors: FieldErrors): void {
  const volumes = new Set(objectsAt(pod, 'spec', 'volumes').map((v) => textAt(v, 'name')));
  errors.each(objectsAt(pod, 'status', 'volumeHealth'), (health, i) => {
    const path = STATUS.child('volumeHealth').index(i);
    const name = textAt(health, 'name');
    if (name !== '' && !volumes.has(name)) errors.notFound(path.child('name'), name);
    for (const [j, c] of objectsAt(health, 'healthConditions').entries()) {
      const reason = textAt(c, 'reason');
      if (reason !== '') conditionReason(reason, path.child('healthConditions').index(j).child('reason'), errors);
    }
  });
}

/** New addresses are valid, and there is at most one of each IP family. Existing invalid ones may stay. */
function addresses(pod: Pod, old: Pod, field: 'podIPs' | 'hostIPs', errors: FieldErrors): readonly string[] {
  const path = STATUS.child(field);
  const of = (o: Pod): readonly string[] => objectsAt(o, 'status', field).map((a) => textAt(a, 'ip'));
  const [all, before] = [of(pod), new Set(of(old))];
  errors.each(all, (ip, i) => {
    if (!before.has(ip)) sentences(ip, isIp, path.index(i), errors);
  });
  if (all.length < 2) return all;
  // Leading zeros do not matter here.
  const parsed = all.map(parseIp);
  const wrong = parsed.indexOf(undefined);
  if (wrong >= 0)
    errors.internal(path, `failed to check for dual stack with error:invalid IP[${wrong}]: ${all[wrong]}`);
  const families = new Set(parsed.map((ip) => ip?.family));
  if (wrong >= 0 || all.length > 2 || families.size < 2)
    errors.invalid(path, shownAddresses(all), 'may specify no more than one IP for each IP family');
  return all;
}

/** Warns of addresses that are not in canonical form. */
export function podStatusWarnings(pod: Pod, warn: (text: string) => void): void {
  for (const field of ['podIPs', 'hostIPs'] as const)
    for (const [i, address] of objectsAt(pod, 'status', field).entries())
      ipWarning(textAt(address, 'ip'), `status.${field}[${i}].ip`, warn);
}

const shownAddresses = (all: readonly string[]): JsonValue => all.map((IP) => ({ IP }));

function podAddresses(pod: Pod, old: Pod, errors: FieldErrors): void {
  const all = addresses(pod, old, 'podIPs', errors);
  const first = textAt(pod, 'status', 'podIP');
  const path = STATUS.child('podIPs');
  if ((first !== '') !== all.length > 0)
    errors.invalid(
      path,
      all.length === 0 ? null : shownAddresses(all),
      'podIP and podIPs must either both be set or both be unset',
    );
  else if (all.length > 0 && first !== all[0])
    errors.invalid(path.index(0).child('ip'), all[0], 'must be equal to `podIP`');
}

function hostAddresses(pod: Pod, old: Pod, errors: FieldErrors): void {
  const first = objectsAt(pod, 'status', 'hostIPs')[0];
  const ip = textAt(first, 'ip');
  if (first !== undefined && textAt(pod, 'status', 'hostIP') !== ip)
    errors.invalid(STATUS.child('hostIPs').index(0).child('ip'), ip, 'must be equal to `hostIP`');
  addresses(pod, old, 'hostIPs', errors);
}
