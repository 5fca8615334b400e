import {
  asGiven,
  type FieldOf,
  formatQuantity,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  noteEmpty,
  parseQuantity,
  roundUpToMilli,
  type Shaped,
  setOwn,
} from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import { at, boolAt, keysOf, numberAt, objectAt, objectIn, objectsAt, textAt } from '../../access.js';
import { whenAbsent } from '../../defaults.js';
import { pullsAlways } from './image.js';

/**
 * Defaults of a pod spec, for pods and pod templates. They are set when an object is
 * decoded and when a stored one is read, so each of them is idempotent.
 */
export function defaultPodSpec(spec: Shaped<shapes.CoreV1PodSpec>): void {
  fill(spec, 'restartPolicy', 'Always');
  fill(spec, 'dnsPolicy', 'ClusterFirst');
  // zero is a valid grace period
  if (spec['terminationGracePeriodSeconds'] === undefined) spec['terminationGracePeriodSeconds'] = 30;
  fill(spec, 'schedulerName', 'default-scheduler');
  objectIn(spec, 'securityContext');
  // two names of one field: the older one is a copy
  if (textAt(spec, 'serviceAccountName') === '' && textAt(spec, 'serviceAccount') !== '')
    spec['serviceAccountName'] = spec['serviceAccount']!;
  else if (textAt(spec, 'serviceAccountName') !== '') spec['serviceAccount'] = spec['serviceAccountName']!;
  for (const list of CONTAINER_LISTS) for (const container of objectsAt(spec, list)) defaultContainer(container);
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
  roundAmounts(objectAt(spec, 'overhead'));
  for (const field of ['limits', 'requests'] as const) roundAmounts(objectAt(spec, 'resources', field));
}

export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Defaults of pods but not templates: enableServiceLinks, host ports, and requests from limits. */
export function defaultPod(pod: Shaped<shapes.CoreV1Pod>): void {
  const spec = objectIn(pod, 'spec');
  defaultPodSpec(spec);
  if (spec['enableServiceLinks'] === undefined) spec['enableServiceLinks'] = true;
  const hostNetwork = boolAt(spec, 'hostNetwork');
  for (const list of ['containers', 'initContainers'] as const) {
    for (const container of objectsAt(spec, list)) {
      requestsFollowLimits(objectIn(container, 'resources'));
      if (hostNetwork) for (const port of objectsAt(container, 'ports')) hostPort(port);
    }
  }
  alignAddresses(pod);
  roundStatus(objectAt(pod, 'status'));
}

const STATUS_LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

function roundStatus(status: Shaped<shapes.CoreV1PodStatus>): void {
  const all = [status, ...STATUS_LISTS.flatMap((list) => objectsAt(status, list))];
  for (const held of all) {
    roundAmounts(objectAt(held, 'allocatedResources'));
    for (const field of ['limits', 'requests'] as const) roundAmounts(objectAt(held, 'resources', field));
  }
}

/** `podIP` is the first of `podIPs`. Either one sets the other; where they differ, the single one wins. */
function alignAddresses(pod: Shaped<shapes.CoreV1Pod>): void {
  const status = pod['status'];
  if (!isObject(status)) return;
  const first = textAt(objectsAt(status, 'podIPs')[0], 'ip');
  const single = textAt(status, 'podIP');
  if (single === '' && first !== '') status['podIP'] = first;
  else if (single !== '' && first !== single) status['podIPs'] = [{ ip: single }];
}

/** Rounds quantities up to a thousandth. */
export function roundAmounts(list: JsonObject): void {
  for (const [name, amount] of Object.entries(list)) {
    const q = typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(String(amount)) : undefined;
    if (q === undefined) continue;
    const rounded = roundUpToMilli(q);
    if (rounded !== q) setOwn(list, name, formatQuantity(rounded));
  }
}

/** Rounds the amounts of the spec of a claim. */
export function roundClaim(spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>): void {
  for (const field of ['limits', 'requests'] as const) roundAmounts(objectAt(spec, 'resources', field));
}

function requestsFollowLimits(resources: Shaped<shapes.CoreV1ResourceRequirements>): void {
  const limits = asGiven(resources, 'limits');
  if (!isObject(limits)) return;
  if (Object.keys(limits).length === 0) {
    noteEmpty(resources, 'requests', {});
    return;
  }
  for (const [name, limit] of Object.entries(limits)) {
    const requests = objectIn(resources, 'requests');
    if (getOwn(requests, name) === undefined) setOwn(requests, name, limit);
  }
}

function defaultContainer(container: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>): void {
  fill(container, 'terminationMessagePath', '/dev/termination-log');
  fill(container, 'terminationMessagePolicy', 'File');
  fill(container, 'imagePullPolicy', pullsAlways(textAt(container, 'image')) ? 'Always' : 'IfNotPresent');
  const resources = objectIn(container, 'resources');
  roundAmounts(objectAt(resources, 'limits'));
  roundAmounts(objectAt(resources, 'requests'));
  for (const port of objectsAt(container, 'ports')) fill(port, 'protocol', 'TCP');
  for (const env of objectsAt(container, 'env')) {
    const ref = at(env, 'valueFrom', 'fieldRef');
    if (isObject(ref)) fill(ref, 'apiVersion', 'v1');
    const file = at(env, 'valueFrom', 'fileKeyRef');
    if (isObject(file) && file['optional'] === undefined) file['optional'] = false;
  }
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const p = container[probe];
    if (isObject(p)) defaultProbe(p);
  }
  for (const hook of ['postStart', 'preStop'] as const) {
    const http = at(container, 'lifecycle', hook, 'httpGet');
    if (isObject(http)) defaultHttpGet(http);
  }
}

function defaultProbe(probe: Shaped<shapes.CoreV1Probe>): void {
  fill(probe, 'timeoutSeconds', 1);
  fill(probe, 'periodSeconds', 10);
  fill(probe, 'successThreshold', 1);
  fill(probe, 'failureThreshold', 3);
  const http = probe['httpGet'];
  if (isObject(http)) defaultHttpGet(http);
  const grpc = probe['grpc'];
  if (isObject(grpc) && grpc['service'] === undefined) grpc['service'] = '';
}

function defaultHttpGet(http: Shaped<shapes.CoreV1HTTPGetAction>): void {
  fill(http, 'path', '/');
  fill(http, 'scheme', 'HTTP');
}

/** With the host's network a container port is a host port. */
function hostPort(port: Shaped<shapes.CoreV1ContainerPort>): void {
  if (numberAt(port, 'hostPort') === 0 && port['containerPort'] !== undefined) port['hostPort'] = port['containerPort'];
}

const FILE_MODE = 0o644;

type VolumeDefaults = (source: JsonObject) => void;

const VOLUME_DEFAULTS: Readonly<Record<string, VolumeDefaults>> = {
  secret: (s) => whenAbsent(s, 'defaultMode', FILE_MODE),
  configMap: (s) => whenAbsent(s, 'defaultMode', FILE_MODE),
  downwardAPI: (s) => {
    whenAbsent(s, 'defaultMode', FILE_MODE);
    defaultDownwardItems(s);
  },
  projected: (s) => {
    whenAbsent(s, 'defaultMode', FILE_MODE);
    for (const source of objectsAt(s, 'sources')) {
      const token = source['serviceAccountToken'];
      if (isObject(token)) whenAbsent(token, 'expirationSeconds', 3600);
      defaultDownwardItems(source['downwardAPI']);
    }
  },
  hostPath: (s) => {
    if (s['type'] === undefined) s['type'] = '';
  },
  iscsi: (s) => fill(s, 'iscsiInterface', 'default'),
  rbd: (s) => {
    fill(s, 'pool', 'rbd');
    fill(s, 'user', 'admin');
    fill(s, 'keyring', '/etc/ceph/keyring');
  },
  azureDisk: (s) => {
    whenAbsent(s, 'cachingMode', 'ReadWrite');
    whenAbsent(s, 'kind', 'Shared');
    whenAbsent(s, 'fsType', 'ext4');
    whenAbsent(s, 'readOnly', false);
  },
  scaleIO: (s) => {
    fill(s, 'storageMode', 'ThinProvisioned');
    fill(s, 'fsType', 'xfs');
  },
  ephemeral: (s) => {
    const template = s['volumeClaimTemplate'];
    if (!isObject(template)) return;
    const inner = objectIn(template, 'spec');
    whenAbsent(inner, 'volumeMode', 'Filesystem');
    roundClaim(inner);
  },
  image: () => {},
};

function defaultVolume(volume: Shaped<shapes.CoreV1Volume>): void {
  const sources = keysOf(volume).filter((k) => k !== 'name' && volume[k] !== null);
  // a volume without a source is an emptyDir
  if (sources.length === 0) {
    volume['emptyDir'] = {};
    return;
  }
  for (const name of sources) {
    const source = volume[name];
    if (isObject(source) && Object.hasOwn(VOLUME_DEFAULTS, name)) VOLUME_DEFAULTS[name]!(source);
  }
  const image = volume['image'];
  if (isObject(image)) fill(image, 'pullPolicy', pullsAlways(textAt(image, 'reference')) ? 'Always' : 'IfNotPresent');
}

/** Defaults of volume sources, which PersistentVolume shares. */
export function defaultVolumeSource(name: string, source: JsonObject): void {
  if (Object.hasOwn(VOLUME_DEFAULTS, name)) VOLUME_DEFAULTS[name]!(source);
}

function defaultDownwardItems(downward: JsonValue | undefined): void {
  for (const item of objectsAt(downward, 'items')) {
    const ref = item['fieldRef'];
    if (isObject(ref)) fill(ref, 'apiVersion', 'v1');
  }
}

/** Sets a field that is absent or zero. */
export function fill<O extends JsonObject>(o: O, field: FieldOf<O>, value: JsonValue): void {
  const target: JsonObject = o;
  const v = target[field];
  if (v === undefined || v === null || v === '' || v === 0) target[field] = value;
}
