import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1123Subdomain,
  isGroupId,
  isIp,
  isQualifiedName,
  isUserId,
  type JsonValue,
  type Shaped,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, objectsAt, textAt } from '../../../access.js';
import { sentences } from '../../../rules.js';

/** Validation of a pod's status. */

const STATUS = FieldPath.in<shapes.CoreV1Pod>().child('status');
const OWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

export function validatePodStatus(
  pod: Shaped<shapes.CoreV1Pod>,
  old: Shaped<shapes.CoreV1Pod>,
  errors: FieldErrors,
): void {
  conditions(pod, errors);
  const nominated = textAt(pod, 'status', 'nominatedNodeName');
  if (nominated !== '' && nominated !== textAt(old, 'status', 'nominatedNodeName'))
    sentences(nominated, isDns1123Subdomain, STATUS.child('nominatedNodeName'), errors);
  const qos = at(pod, 'status', 'qosClass');
  if (!equalJson(qos ?? '', at(old, 'status', 'qosClass') ?? ''))
    errors.invalid(STATUS.child('qosClass'), qos ?? '', 'field is immutable');
  const restart = textAt(old, 'spec', 'restartPolicy');
  transitions(pod, old, 'containerStatuses', restart, errors);
  transitions(pod, old, 'initContainerStatuses', restart, errors);
  transitions(pod, old, 'ephemeralContainerStatuses', 'Never', errors);
  claims(pod, errors);
  addresses(pod, 'podIPs', errors);
  addresses(pod, 'hostIPs', errors);
  for (const list of LISTS) users(pod, list, errors);
}

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
type List = (typeof LISTS)[number];

function conditions(pod: Shaped<shapes.CoreV1Pod>, errors: FieldErrors): void {
  // kube-apiserver reads them from the metadata
  const path = FieldPath.in<shapes.CoreV1Pod>().child('status', 'conditions');
  for (const [i, c] of objectsAt(pod, 'status', 'conditions').entries()) {
    const type = textAt(c, 'type');
    if (!OWN_CONDITIONS.includes(type)) sentences(type, isQualifiedName, path.index(i).childShownAs('Type'), errors);
  }
}

/** A terminated container may run again only if the restart policy allows it. */
function transitions(
  pod: Shaped<shapes.CoreV1Pod>,
  old: Shaped<shapes.CoreV1Pod>,
  list: List,
  policy: string,
  errors: FieldErrors,
): void {
  if (policy === 'Always') return;
  const sidecars = new Set(
    objectsAt(old, 'spec', 'initContainers')
      .filter((c) => textAt(c, 'restartPolicy') === 'Always')
      .map((c) => textAt(c, 'name')),
  );
  for (const [i, before] of objectsAt(old, 'status', list).entries()) {
    const ended = at(before, 'state', 'terminated');
    if (ended === undefined) continue;
    if ((at(ended, 'exitCode') ?? 0) !== 0 && policy === 'OnFailure') continue;
    const name = textAt(before, 'name');
    if (list === 'initContainerStatuses' && sidecars.has(name)) continue;
    for (const now of objectsAt(pod, 'status', list))
      if (textAt(now, 'name') === name && at(now, 'state', 'terminated') === undefined)
        errors.forbidden(STATUS.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state');
  }
}

function claims(pod: Shaped<shapes.CoreV1Pod>, errors: FieldErrors): void {
  const declared = new Set(objectsAt(pod, 'spec', 'resourceClaims').map((c) => textAt(c, 'name')));
  const seen = new Set<string>();
  for (const [i, status] of objectsAt(pod, 'status', 'resourceClaimStatuses').entries()) {
    const path = STATUS.child('resourceClaimStatuses').index(i).child('name');
    const name = textAt(status, 'name');
    if (!declared.has(name)) errors.invalid(path, name, 'must match the name of an entry in `spec.resourceClaims`');
    if (seen.has(name)) errors.duplicate(path, name);
    seen.add(name);
    const claim = at(status, 'resourceClaimName');
    if (typeof claim === 'string') sentences(claim, isDns1123Subdomain, path, errors);
  }
}

/** At most one address of each IP family. */
function addresses(pod: Shaped<shapes.CoreV1Pod>, field: 'podIPs' | 'hostIPs', errors: FieldErrors): void {
  const path = STATUS.child(field);
  const all = objectsAt(pod, 'status', field).map((a) => textAt(a, 'ip'));
  for (const [i, ip] of all.entries()) sentences(ip, isIp, path.index(i), errors);
  if (all.length < 2) return;
  const families = new Set(all.map((ip) => ip.includes(':')));
  if (all.length > 2 || families.size < 2)
    errors.invalid(
      path,
      all.map((IP) => ({ IP })),
      'may specify no more than one IP for each IP family',
    );
  for (const [i, IP] of all.entries()) if (all.indexOf(IP) < i) errors.duplicate(path.index(i), { IP });
}

function users(pod: Shaped<shapes.CoreV1Pod>, list: List, errors: FieldErrors): void {
  for (const [i, status] of objectsAt(pod, 'status', list).entries()) {
    const user = at(status, 'user', 'linux');
    if (user === undefined) continue;
    const path = STATUS.child(list).index(i).childShownAs('linux');
    if (textAt(pod, 'spec', 'os', 'name') === 'windows') {
      errors.forbidden(path, 'cannot be set for a windows pod');
      continue;
    }
    const inRange = (value: JsonValue | undefined, rule: (n: number) => readonly string[], where: FieldPath): void => {
      if (typeof value === 'number') for (const s of rule(value)) errors.invalid(where, value, s);
    };
    inRange(at(user, 'uid'), isUserId, path.child('uid'));
    inRange(at(user, 'gid'), isGroupId, path.child('gid'));
    for (const [j, group] of listAt(user, 'supplementalGroups').entries())
      inRange(group, isGroupId, path.child('supplementalGroups').index(j));
  }
}
