import {
  type FieldErrors,
  type FieldName,
  type FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  type JsonObject,
  type JsonValue,
  type Shaped,
  type Value,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, nameOf, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';
import {
  claimTemplateMeta,
  descendingPath,
  driverName,
  fileMode,
  noBacksteps,
  oneOf,
  sentences,
} from '../../../rules.js';
import { claimSpec } from '../../claimspec.js';
import { downwardItems, items, projected } from './projected.js';
import type { Tolerated } from './tolerated.js';

/** Validation of pod volumes. Each has exactly one source. PersistentVolumes share many sources. */

interface Rule<T = unknown> {
  check(source: Value<T>, path: FieldPath<T>, errors: FieldErrors, tolerated?: Tolerated): void;
}

/** Checks a source of one type. */
export type SourceRule<T = unknown> = Rule<T>['check'];

function needs<T>(s: JsonValue, path: FieldPath<T>, errors: FieldErrors, ...fields: readonly FieldName<T>[]): void {
  for (const f of fields) if (textAt(s, f) === '') errors.required((path as FieldPath).child(f));
}

const need =
  <T>(...fields: readonly FieldName<T>[]): SourceRule<T> =>
  (s, path, errors) =>
    needs(s as JsonValue, path, errors, ...fields);

function partition(
  s: Value<{ readonly partition?: string }>,
  path: FieldPath<shapes.CoreV1AWSElasticBlockStoreVolumeSource | shapes.CoreV1GCEPersistentDiskVolumeSource>,
  errors: FieldErrors,
): void {
  const n = at(s, 'partition');
  if (typeof n === 'number' && (n < 0 || n > 255))
    errors.invalid(path.child('partition'), n, 'must be between 1 and 255, inclusive');
}

const IQN = /^iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/;
const EUI = /^eui\.[A-Fa-f0-9]{16}$/;
const NAA = /^naa\.[A-Fa-f0-9]{32}$/;

const isName = (initiator: string): boolean => [IQN, EUI, NAA].some((r) => r.test(initiator));

/** The sentence for an initiator and a portal whose volume name is too long for a path of the node. */
export const LONG_PORTAL =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** Reports whether the name of a volume and its portal are too long for a path of the node. */
export function hasLongPortal(name: string, s: JsonValue): boolean {
  return at(s, 'initiatorName') !== undefined && Buffer.byteLength(`${name}:${textAt(s, 'targetPortal')}`) > 64;
}

const iscsi: SourceRule = (s, path, errors) => {
  needs(s, path, errors, 'targetPortal');
  iscsiTarget(s, path, errors, PREFIXES);
  const initiator = at(s, 'initiatorName');
  if (typeof initiator !== 'string') return;
  if (!/^(iqn|eui|naa)/.test(initiator)) errors.invalid(path.child('initiatorname'), initiator, PREFIXES);
  else if (!isName(initiator)) errors.invalid(path.child('initiatorname'), initiator, 'must be valid format');
};

const PREFIXES = 'must be valid format starting with iqn, eui, or naa';

/** The rules of a target that volumes of pods and persistent volumes share. `misnamed`: the sentence for a name without a known prefix. */
export function iscsiTarget(s: JsonValue, path: FieldPath, errors: FieldErrors, misnamed: string): void {
  const iqn = textAt(s, 'iqn');
  if (iqn === '') errors.required(path.child('iqn'));
  else if (!/^(iqn|eui|naa)/.test(iqn)) errors.invalid(path.child('iqn'), iqn, misnamed);
  else if (!isName(iqn)) errors.invalid(path.child('iqn'), iqn, 'must be valid format');
  lun(s as Value<{ readonly lun?: string }>, path, errors);
  if ((at(s, 'chapAuthDiscovery') === true || at(s, 'chapAuthSession') === true) && at(s, 'secretRef') === undefined)
    errors.required(path.child('secretRef'));
}

/** An initiator of a persistent volume. */
export function iscsiInitiator(s: JsonValue, path: FieldPath, errors: FieldErrors): void {
  const initiator = at(s, 'initiatorName');
  if (typeof initiator === 'string' && !isName(initiator))
    errors.invalid(path.child('initiatorname'), initiator, 'must be valid format');
}

function lun(s: Value<{ readonly lun?: string }>, path: FieldPath, errors: FieldErrors): void {
  const n = numberAt(s, 'lun');
  if (n < 0 || n > 255) errors.invalid(path.child('lun'), n, 'must be between 0 and 255, inclusive');
}

const fc: SourceRule = (s, path, errors) => {
  const wwns = listAt(s, 'targetWWNs');
  const wwids = listAt(s, 'wwids');
  if (wwns.length === 0 && wwids.length === 0)
    errors.required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both');
  if (wwns.length > 0 && wwids.length > 0)
    errors.invalid(path.child('targetWWNs'), wwns, 'targetWWNs and wwids can not be specified simultaneously');
  if (wwns.length === 0) return;
  if (at(s, 'lun') === undefined) errors.required(path.child('lun'), 'lun is required if targetWWNs is specified');
  else lun(s, path, errors);
};

const QUOBYTE_TENANT_MAX = 64;
const QUOBYTE_HOST = /^[^:,]+:\d+(,[^:,]+:\d+)*$/;

type Sources = Omit<shapes.CoreV1Volume, 'name'>;

/** A volume source, with its names in errors if they differ from the field name. */
type Source = {
  [K in keyof Sources]-?: {
    readonly json: K;
    readonly forbidden?: string;
    readonly named?: string;
    readonly rule: SourceRule<NonNullable<Sources[K]>>;
  };
}[keyof Sources];

/** Rules by JSON name, in the order of kube-apiserver: the first source is validated, others are errors. */
const SOURCES: readonly Source[] = [
  {
    json: 'emptyDir',
    rule: (s, path, errors) => {
      if (textAt(s, 'sizeLimit').startsWith('-'))
        errors.forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity');
    },
  },
  {
    json: 'hostPath',
    rule: (s, path, errors) => {
      const where = textAt(s, 'path');
      if (where === '') {
        errors.required(path.child('path'));
        return;
      }
      noBacksteps(where, path.child('path'), errors);
      const type = at(s, 'type');
      if (typeof type === 'string') oneOf(type, path.child('type'), HOST_PATH_TYPES, errors, false);
    },
  },
  {
    json: 'gitRepo',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'repository');
      descendingPath(textAt(s, 'directory'), path.child('directory'), errors);
    },
  },
  {
    json: 'gcePersistentDisk',
    named: 'persistentDisk',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'pdName');
      partition(s, path, errors);
    },
  },
  {
    json: 'awsElasticBlockStore',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'volumeID');
      partition(s, path, errors);
    },
  },
  {
    json: 'secret',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'secretName');
      fileMode(at(s, 'defaultMode'), path.child('defaultMode'), errors);
      items(s, path, errors);
    },
  },
  {
    json: 'nfs',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'server', 'path');
      if (!textAt(s, 'path').startsWith('/'))
        errors.invalid(path.child('path'), textAt(s, 'path'), 'must be an absolute path');
    },
  },
  { json: 'iscsi', rule: iscsi },
  { json: 'glusterfs', rule: need('endpoints', 'path') },
  {
    json: 'flocker',
    rule: (s, path, errors) => {
      const name = textAt(s, 'datasetName');
      const uuid = textAt(s, 'datasetUUID');
      if (name === '' && uuid === '') errors.required(path, 'one of datasetName and datasetUUID is required');
      if (name !== '' && uuid !== '')
        errors.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
      if (name.includes('/')) errors.invalid(path.child('datasetName'), name, "must not contain '/'");
    },
  },
  { json: 'persistentVolumeClaim', rule: need('claimName') },
  {
    json: 'rbd',
    rule: (s, path, errors) => {
      if (listAt(s, 'monitors').length === 0) errors.required(path.child('monitors'));
      needs(s, path, errors, 'image');
    },
  },
  {
    json: 'cinder',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'volumeID');
      secretReference(s, path, errors);
    },
  },
  {
    json: 'cephfs',
    forbidden: 'cephFS',
    rule: (s, path, errors) => {
      if (listAt(s, 'monitors').length === 0) errors.required(path.child('monitors'));
    },
  },
  {
    json: 'quobyte',
    rule: (s, path, errors) => {
      const registry = textAt(s, 'registry');
      if (registry === '')
        errors.required(path.child('registry'), 'must be a host:port pair or multiple pairs separated by commas');
      else if (textAt(s, 'tenant').length > QUOBYTE_TENANT_MAX)
        errors.required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters');
      else if (!QUOBYTE_HOST.test(registry))
        errors.invalid(
          path.child('registry'),
          registry,
          'must be a host:port pair or multiple pairs separated by commas',
        );
      needs(s, path, errors, 'volume');
    },
  },
  {
    json: 'downwardAPI',
    forbidden: 'downwarAPI',
    rule: (s, path, errors) => {
      fileMode(at(s, 'defaultMode'), path.child('defaultMode'), errors);
      downwardItems(s, path, errors);
    },
  },
  { json: 'fc', rule: fc },
  {
    json: 'flexVolume',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'driver');
      ownOptions(s, path, errors);
    },
  },
  {
    json: 'configMap',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'name');
      fileMode(at(s, 'defaultMode'), path.child('defaultMode'), errors);
      items(s, path, errors);
    },
  },
  { json: 'azureFile', rule: need('secretName', 'shareName') },
  { json: 'vsphereVolume', rule: need('volumePath') },
  { json: 'photonPersistentDisk', rule: need('pdID') },
  { json: 'portworxVolume', rule: need('volumeID') },
  {
    json: 'azureDisk',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'diskName', 'diskURI');
      const caching = at(s, 'cachingMode');
      if (typeof caching === 'string')
        oneOf(caching, path.child('cachingMode'), ['None', 'ReadOnly', 'ReadWrite'], errors, false);
      const kind = at(s, 'kind');
      if (typeof kind === 'string') oneOf(kind, path.child('kind'), ['Dedicated', 'Managed', 'Shared'], errors, false);
      const uri = textAt(s, 'diskURI');
      if (kind === 'Managed' && !uri.startsWith('/subscriptions/'))
        errors.notSupportedText(path.child('diskURI'), uri, [MANAGED_DISK]);
      if (kind !== undefined && kind !== 'Managed' && !uri.startsWith('https://'))
        errors.notSupportedText(path.child('diskURI'), uri, [BLOB_DISK]);
    },
  },
  {
    json: 'storageos',
    rule: (s, path, errors) => {
      const name = textAt(s, 'volumeName');
      if (name === '') errors.required(path.child('volumeName'));
      else sentences(name, isDns1123Label, path.child('volumeName'), errors);
      const namespace = textAt(s, 'volumeNamespace');
      if (namespace !== '') sentences(namespace, isDns1123Label, path.child('volumeNamespace'), errors);
      secretReference(s, path, errors);
    },
  },
  {
    json: 'projected',
    rule: (s, path, errors, tolerated) => {
      fileMode(at(s, 'defaultMode'), path.child('defaultMode'), errors);
      projected(s, path, errors, tolerated?.anyTokenPaths === true);
    },
  },
  {
    json: 'scaleIO',
    rule: (s, path, errors) => {
      needs(s, path, errors, 'gateway', 'system', 'volumeName');
    },
  },
  {
    json: 'csi',
    rule: (s, path, errors) => {
      driverName(textAt(s, 'driver'), path.child('driver'), errors);
      const ref = at(s, 'nodePublishSecretRef');
      if (ref === undefined) return;
      const name = textAt(ref, 'name');
      if (name === '') errors.required(path.child('nodePublishSecretRef', 'name'));
      else sentences(name, isDns1123Subdomain, path.childShownAs('name'), errors);
    },
  },
  {
    json: 'ephemeral',
    rule: (s, path, errors) => {
      const here = path.child('volumeClaimTemplate');
      if (at(s, 'volumeClaimTemplate') === undefined) errors.required(here);
      else {
        claimTemplateMeta(objectAt(s, 'volumeClaimTemplate', 'metadata'), here.child('metadata'), errors);
        claimSpec(objectAt(s, 'volumeClaimTemplate', 'spec'), here.child('spec'), errors);
      }
    },
  },
  {
    json: 'image',
    rule: (s, path, errors, tolerated) => {
      if (tolerated?.noImageReference !== true) needs(s, path, errors, 'reference');
      const policy = textAt(s, 'pullPolicy');
      if (policy !== '') oneOf(policy, path.child('pullPolicy'), ['Always', 'IfNotPresent', 'Never'], errors, false);
    },
  },
];

const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function secretReference(
  s: Value<shapes.CoreV1CinderVolumeSource | shapes.CoreV1StorageOSVolumeSource>,
  path: FieldPath<shapes.CoreV1CinderVolumeSource | shapes.CoreV1StorageOSVolumeSource>,
  errors: FieldErrors,
): void {
  const ref = at(s, 'secretRef');
  if (ref !== undefined && textAt(ref, 'name') === '') errors.required(path.child('secretRef', 'name'));
}

/** The volumes of a pod by name. */
export interface Volumes {
  /** Valid volumes, which containers can mount. */
  readonly good: ReadonlyMap<string, JsonObject>;
  readonly all: ReadonlyMap<string, JsonObject>;
}

/** Validates all volumes. The result is complete when the checks that were put off are done. */
export function volumes(
  pod: Shaped<shapes.CoreV1Pod>,
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  tolerated: Tolerated,
): Volumes {
  const good = new Map<string, JsonObject>();
  const all = new Map<string, JsonObject>();
  const created = createdClaims(textAt(pod, 'metadata', 'name'), spec);
  errors.each(objectsAt(spec, 'volumes'), (volume, i) => {
    const here = path.child('volumes').index(i);
    const name = textAt(volume, 'name');
    const labelErrors = isDns1123Label(name);
    // the name of an invalid volume is not taken
    const wrong = labelErrors.length > 0 || good.has(name);
    const invalid = errors.adds(() => volumeSource(pod, volume, here, errors, tolerated));
    if (name === '') errors.required(here.child('name'));
    else for (const s of labelErrors) errors.invalid(here.child('name'), name, s);
    if (good.has(name)) errors.duplicate(here.child('name'), name);
    // an invalid volume is not found by its mounts
    if (!wrong && !invalid) good.set(name, volume);
    if (!all.has(name)) all.set(name, volume);
    const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (created.has(claim))
      errors.invalid(
        here.child('persistentVolumeClaim', 'claimName'),
        claim,
        'must not reference a PVC that gets created for an ephemeral volume',
      );
  });
  return { good, all };
}

/** The names of the claims that are made for the ephemeral volumes of a pod. A pod whose name is not known yet has none. */
function createdClaims(pod: string, spec: Shaped<shapes.CoreV1PodSpec>): ReadonlySet<string> {
  const ephemeral = objectsAt(spec, 'volumes').filter((v) => pod !== '' && at(v, 'ephemeral') !== undefined);
  return new Set(ephemeral.map((v) => `${pod}-${textAt(v, 'name')}`));
}

function volumeSource(
  pod: Shaped<shapes.CoreV1Pod>,
  volume: Shaped<shapes.CoreV1Volume>,
  path: FieldPath<shapes.CoreV1Volume>,
  errors: FieldErrors,
  tolerated: Tolerated,
): void {
  let first = true;
  for (const { json, forbidden, named, rule } of SOURCES) {
    const source: JsonValue | undefined = at(volume, json);
    if (source === undefined) continue;
    const check: SourceRule = rule;
    if (first) {
      check(source, path.childShownAs(named ?? json), errors, tolerated);
      if (json === 'ephemeral') claimName(pod, textAt(volume, 'name'), path, errors);
    } else errors.forbidden(path.childShownAs(forbidden ?? json), 'may not specify more than 1 volume type');
    if (json === 'iscsi' && hasLongPortal(textAt(volume, 'name'), source))
      errors.invalid(path.child('name'), textAt(volume, 'name'), LONG_PORTAL);
    first = false;
  }
  if (first) errors.required(path, 'must specify a volume type');
}

/** The claim of an ephemeral volume is named after the pod and the volume. That name must be valid. */
function claimName(
  pod: Shaped<shapes.CoreV1Pod>,
  volume: string,
  path: FieldPath<shapes.CoreV1Volume>,
  errors: FieldErrors,
): void {
  const podName = nameOf(pod);
  if (podName === '' || volume === '') return;
  const claim = `${podName}-${volume}`;
  for (const s of isDns1123Subdomain(claim)) errors.invalid(path.child('name'), volume, `PVC name "${claim}": ${s}`);
}

/** Validates a source that pods and PersistentVolumes share. */
export function sourceRule(json: string): SourceRule | undefined {
  return SOURCES.find((s) => s.json === json)?.rule;
}

/** Options of a driver do not use the names of Kubernetes, which the kubelet adds. */
export function ownOptions(source: JsonValue, path: FieldPath, errors: FieldErrors): void {
  for (const key of Object.keys(objectAt(source, 'options'))) {
    const namespace = key.split('/', 1)[0]!.toLowerCase();
    if (/(^|\.)(kubernetes|k8s)\.io$/.test(namespace))
      errors.invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved');
  }
}
