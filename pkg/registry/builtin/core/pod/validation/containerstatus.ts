import { type FieldErrors, FieldPath, isGroupId, type JsonObject, type JsonValue } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import type { WriteContext } from '../../../../resource.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';
import type { Pod } from './status.js';

/** Validation of the statuses of containers in a pod's status. */

const STATUS = FieldPath.in<shapes.CoreV1Pod>().child('status');
const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
type List = (typeof LISTS)[number];

export function validateContainerStatuses(pod: Pod, old: Pod, errors: FieldErrors, context: WriteContext): void {
  for (const list of LISTS) transitions(pod, old, list, errors, context);
  for (const list of LISTS) users(pod, list, errors);
  allocatedResources(pod, 'containerStatuses', 'containers', errors);
  allocatedResources(pod, 'initContainerStatuses', 'initContainers', errors);
  for (const [i, status] of objectsAt(pod, 'status', 'ephemeralContainerStatuses').entries())
    if (listAt(status, 'allocatedResourcesStatus').length > 0)
      errors.forbidden(
        STATUS.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus'),
        'must not be specified in container status',
      );
  if (context.featureEnabled('ImageVolumeWithDigest')) for (const list of LISTS) imageVolumes(pod, list, errors);
}

/** A terminated container may run again only if its rules, its policy or that of the pod restart it. */
function transitions(pod: Pod, old: Pod, list: List, errors: FieldErrors, context: WriteContext): void {
  const containers = new Map(
    objectsAt(old, 'spec', list === 'initContainerStatuses' ? 'initContainers' : 'containers').map(
      (c) => [textAt(c, 'name'), c] as const,
    ),
  );
  const all = [...objectsAt(old, 'spec', 'initContainers'), ...objectsAt(old, 'spec', 'containers')];
  const restartsAll =
    context.featureEnabled('RestartAllContainersOnContainerExits') &&
    all.some((c) => objectsAt(c, 'restartPolicyRules').some((r) => textAt(r, 'action') === 'RestartAllContainers'));
  if (restartsAll && list !== 'ephemeralContainerStatuses') return;
  const policy = textAt(old, 'spec', 'restartPolicy');
  const running = new Set(
    objectsAt(pod, 'status', list)
      .filter((now) => at(now, 'state', 'terminated') === undefined)
      .map((now) => textAt(now, 'name')),
  );
  errors.each(objectsAt(old, 'status', list), (before, i) => {
    const ended = at(before, 'state', 'terminated');
    if (ended === undefined) return;
    const name = textAt(before, 'name');
    if (!running.has(name)) return;
    const container = list === 'ephemeralContainerStatuses' ? undefined : containers.get(name);
    if (container !== undefined && restarts(container, policy, numberAt(ended, 'exitCode'))) return;
    errors.forbidden(STATUS.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state');
  });
}

/** The first rule that matches the exit code decides, then the policy of the container, then that of the pod. */
function restarts(container: JsonObject, policy: string, exitCode: number): boolean {
  const own = textAt(container, 'restartPolicy');
  if (own !== '') {
    const rule = objectsAt(container, 'restartPolicyRules').find((r) => {
      const matches = listAt(r, 'exitCodes', 'values').includes(exitCode);
      const operator = textAt(r, 'exitCodes', 'operator');
      return (operator === 'In' && matches) || (operator === 'NotIn' && !matches);
    });
    if (rule !== undefined && textAt(rule, 'action') === 'Restart') return true;
  }
  const decides = own === '' ? policy : own;
  return decides === 'OnFailure' ? exitCode !== 0 : decides !== 'Never';
}

const UID_MAX = 2 ** 32 - 1;

/** The user of a container as the runtime reports it: any number that Linux allows. */
function users(pod: Pod, list: List, errors: FieldErrors): void {
  errors.each(objectsAt(pod, 'status', list), (status, i) => {
    const user = at(status, 'user', 'linux');
    if (user === undefined) return;
    const path = STATUS.child(list).index(i).child('user').child('linux');
    const os = textAt(pod, 'spec', 'os', 'name');
    if (os === 'windows') errors.forbidden(path, 'cannot be set for a windows pod');
    if (os !== '' && os !== 'linux') return;
    const uid = numberAt(user, 'uid');
    if (uid < 0 || uid > UID_MAX) errors.invalid(path.child('uid'), uid, `must be between 0 and ${UID_MAX}, inclusive`);
    const group = (value: JsonValue | undefined, where: FieldPath): void => {
      if (typeof value === 'number') for (const s of isGroupId(value)) errors.invalid(where, value, s);
    };
    group(at(user, 'gid'), path.child('gid'));
    for (const [j, id] of listAt(user, 'supplementalGroups').entries())
      group(id, path.child('supplementalGroups').index(j));
  });
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const MESSAGE_BYTES_MAX = 1024;
const CLAIM = 'claim:';

/** The health of devices belongs to requests of the container, and has each device once. */
function allocatedResources(
  pod: Pod,
  list: 'containerStatuses' | 'initContainerStatuses',
  field: 'containers' | 'initContainers',
  errors: FieldErrors,
): void {
  errors.each(objectsAt(pod, 'status', list), (status, i) => {
    const container = objectsAt(pod, 'spec', field).find((c) => textAt(c, 'name') === textAt(status, 'name'));
    for (const [j, resource] of objectsAt(status, 'allocatedResourcesStatus').entries()) {
      const path = STATUS.child(list).index(i).child('allocatedResourcesStatus').index(j);
      const name = textAt(resource, 'name');
      if (container !== undefined && !isRequested(name, container, pod))
        errors.invalid(
          path.child('name'),
          name,
          name.startsWith(CLAIM)
            ? "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty"
            : "must match one of the container's resource requests",
        );
      const seen = new Set<string>();
      for (const [k, device] of objectsAt(resource, 'resources').entries()) {
        const here = path.child('resources').index(k);
        const [health, message, id] = [textAt(device, 'health'), at(device, 'message'), textAt(device, 'resourceID')];
        if (!HEALTH.includes(health)) errors.notSupported(here.child('health'), health, HEALTH);
        if (message === '') errors.required(here.child('message'), 'must be non-empty if specified');
        else if (typeof message === 'string' && Buffer.byteLength(message) > MESSAGE_BYTES_MAX)
          errors.tooLong(here.child('message'), MESSAGE_BYTES_MAX);
        if (seen.has(id)) errors.duplicate(here.child('resourceID'), id);
        seen.add(id);
      }
    }
  });
}

function isRequested(name: string, container: JsonObject, pod: Pod): boolean {
  if (!name.startsWith(CLAIM)) return Object.hasOwn(objectAt(container, 'resources', 'requests'), name);
  const [claim = '', request, ...more] = name.slice(CLAIM.length).split('/');
  const isClaim = objectsAt(container, 'resources', 'claims').some(
    (c) => textAt(c, 'name') === claim && textAt(c, 'request') === (request ?? '') && more.length === 0,
  );
  if (isClaim || request === undefined || request === '') return isClaim;
  const extended = at(pod, 'status', 'extendedResourceClaimStatus');
  const full = [request, ...more].join('/');
  return (
    textAt(extended, 'resourceClaimName') === claim &&
    objectsAt(extended, 'requestMappings').some(
      (m) =>
        textAt(m, 'containerName') === textAt(container, 'name') &&
        textAt(m, 'requestName') === full &&
        !['', '0'].includes(textAt(container, 'resources', 'requests', textAt(m, 'resourceName'))),
    )
  );
}

const IMAGE_REF_BYTES_MAX = 256;

function imageVolumes(pod: Pod, list: List, errors: FieldErrors): void {
  for (const [i, status] of objectsAt(pod, 'status', list).entries())
    for (const [j, mount] of objectsAt(status, 'volumeMounts').entries()) {
      if (at(mount, 'volumeStatus', 'image') === undefined) continue;
      const volume = STATUS.child(list).index(i).child('volumeMounts').index(j).child('volumeStatus');
      const path = volume.childShownAs('imageVolumeStatus').child('imageRef');
      const reference = textAt(mount, 'volumeStatus', 'image', 'imageRef');
      if (reference === '') errors.required(path, 'imageRef must not be empty');
      if (Buffer.byteLength(reference) > IMAGE_REF_BYTES_MAX) errors.tooLong(path, IMAGE_REF_BYTES_MAX);
    }
}
