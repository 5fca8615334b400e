import {
  compareQuantities,
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  goJson,
  isDns1123Label,
  isDns1123Subdomain,
  isObject,
  type JsonObject,
  type JsonValue,
  Printed,
  parseQuantity,
  type Shaped,
  units64,
  zeroQuantity,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { internalDifference } from '../../../schema/index.js';
import { at, givenAt, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { noBacksteps, oneOf, sentences, shown } from '../rules.js';
import { knownModes, VOLUME_MODES } from './claimspec.js';
import {
  hasLongPortal,
  iscsiInitiator,
  iscsiTarget,
  LONG_PORTAL,
  nodeSelector,
  ownOptions,
  type SourceRule,
  sourceRule,
} from './pod/validation/index.js';
import { hasInvalidNodeValue } from './pod/validation/tolerated.js';

const SPEC = FieldPath.in<shapes.CoreV1PersistentVolume>().child('spec');

/** Sources of a PersistentVolume, in the order of kube-apiserver: the first is validated, others are errors. */
const SOURCES: readonly { readonly json: VolumeSource; readonly path?: string; readonly forbidden?: string }[] = [
  { json: 'hostPath' },
  { json: 'gcePersistentDisk', path: 'persistentDisk' },
  { json: 'awsElasticBlockStore' },
  { json: 'glusterfs' },
  { json: 'flocker' },
  { json: 'nfs' },
  { json: 'rbd' },
  { json: 'quobyte' },
  { json: 'cephfs', forbidden: 'cephFS' },
  { json: 'iscsi' },
  { json: 'cinder' },
  { json: 'fc' },
  { json: 'flexVolume' },
  { json: 'azureFile' },
  { json: 'vsphereVolume' },
  { json: 'photonPersistentDisk' },
  { json: 'portworxVolume' },
  { json: 'azureDisk' },
  { json: 'scaleIO' },
  { json: 'local' },
  { json: 'storageos' },
  { json: 'csi' },
];

type VolumeSource = Exclude<FieldName<shapes.CoreV1PersistentVolumeSpec>, 'capacity'>;

export const VOLUME_SOURCES: readonly VolumeSource[] = SOURCES.map((s) => s.json);

const required = (s: JsonValue, path: FieldPath, errors: FieldErrors, ...fields: readonly string[]): void => {
  for (const f of fields) if (textAt(s, f) === '') errors.required(path.child(f));
};

/** The secret for node staging is not validated. */
const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

/** A volume has no namespace of its own, so its secret names one. */
function secretOfANamespace(name: string): SourceRule {
  return (s, path, errors) => {
    sourceRule(name)!(s, path, errors);
    const secret = at(s, 'secretRef');
    if (secret !== undefined) required(secret, path.child('secretRef'), errors, 'namespace');
  };
}

/** Sources that a PersistentVolume validates differently from a pod's volume. */
const OWN: Readonly<Record<string, SourceRule>> = {
  azureFile: (s, path, errors) => {
    required(s, path, errors, 'secretName', 'shareName');
    if (at(s, 'secretNamespace') === '') errors.required(path.child('secretNamespace'));
  },
  glusterfs: (s, path, errors) => {
    sourceRule('glusterfs')!(s, path, errors);
    const namespace = at(s, 'endpointsNamespace');
    const here = path.child('endpointsNamespace');
    if (namespace === '')
      errors.invalid(here, '', 'if the endpointnamespace is set, it must be a valid namespace name');
    else if (namespace !== undefined) sentences(String(namespace), isDns1123Label, here, errors);
  },
  local: (s, path, errors) => {
    const where = textAt(s, 'path');
    if (where === '') errors.required(path.child('path'));
    else noBacksteps(where, path.child('path'), errors);
  },
  iscsi: (s, path, errors) => {
    required(s, path, errors, 'targetPortal');
    iscsiTarget(s, path, errors, 'must be valid format');
    const secret = at(s, 'secretRef');
    if (secret !== undefined) required(secret, path.child('secretRef'), errors, 'name');
    iscsiInitiator(s, path, errors);
  },
  cinder: secretOfANamespace('cinder'),
  storageos: secretOfANamespace('storageos'),
  flexVolume: (s, path, errors) => {
    required(s, path, errors, 'driver');
    ownOptions(s, path, errors);
  },
  csi: (s, path, errors) => {
    sourceRule('csi')!({ driver: textAt(s, 'driver') }, path, errors);
    required(s, path, errors, 'volumeHandle');
    for (const field of SECRETS) {
      const ref = at(s, field);
      if (ref === undefined) continue;
      const here = path.child(field);
      const name = textAt(ref, 'name');
      const namespace = textAt(ref, 'namespace');
      if (name === '') errors.required(here.child('name'));
      else sentences(name, isDns1123Subdomain, here.child('name'), errors);
      if (namespace === '') errors.required(here.child('namespace'));
      else sentences(namespace, isDns1123Label, here.child('namespace'), errors);
    }
  },
};

/** `inline`: the volume of an attachment, which has no class, no claim and no size. */
export function volumeSpec(
  spec: Shaped<shapes.CoreV1PersistentVolumeSpec>,
  path: FieldPath,
  inline: boolean,
  errors: FieldErrors,
  name = '',
  old?: Shaped<shapes.CoreV1PersistentVolumeSpec>,
): void {
  const context = 'in the context of inline volumes';
  const notInline = (field: 'capacity' | 'claimRef' | 'nodeAffinity') => {
    if (at(spec, field) !== undefined) errors.forbidden(path.child(field), `may not be specified ${context}`);
  };
  if (inline) {
    notInline('claimRef');
    notInline('capacity');
    if (at(spec, 'csi') === undefined) errors.required(path.child('csi'), `has to be specified ${context}`);
  }
  modes(spec, path.child('accessModes'), errors);
  if (!inline) capacity(spec, path.child('capacity'), errors);
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const policyPath = path.child('persistentVolumeReclaimPolicy');
  if (policy !== '' && !inline) oneOf(policy, policyPath, ['Delete', 'Recycle', 'Retain'], errors, false);
  else if (policy !== '' && policy !== 'Retain') errors.forbidden(policyPath, `may only be Retain ${context}`);
  if (inline) notInline('nodeAffinity');
  else nodeAffinity(spec, path.child('nodeAffinity'), errors, old);
  sources(spec, path, errors, name);
  if (textAt(spec, 'hostPath', 'path') === '/' && policy === 'Recycle')
    errors.forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'");
  const storageClass = textAt(spec, 'storageClassName');
  if (storageClass !== '' && inline)
    errors.forbidden(path.child('storageClassName'), `may not be specified ${context}`);
  else if (storageClass !== '') sentences(storageClass, isDns1123Subdomain, path.child('storageClassName'), errors);
  const mode = at(spec, 'volumeMode');
  if (typeof mode === 'string' && !inline) oneOf(mode, path.child('volumeMode'), VOLUME_MODES, errors, false);
  else if (typeof mode === 'string' && mode !== 'Filesystem')
    errors.forbidden(path.child('volumeMode'), `may not specify volumeMode other than Filesystem ${context}`);
  if (!inline) attributesClass(spec, path, errors);
}

function modes(spec: Shaped<shapes.CoreV1PersistentVolumeSpec>, path: FieldPath, errors: FieldErrors): void {
  const all = listAt(spec, 'accessModes').map(String);
  if (all.length === 0) errors.required(path);
  knownModes(all, path, errors);
}

function capacity(spec: Shaped<shapes.CoreV1PersistentVolumeSpec>, path: FieldPath, errors: FieldErrors): void {
  const all = objectAt(spec, 'capacity');
  const names = Object.keys(all);
  if (names.length === 0) errors.required(path);
  if (!names.includes('storage') || names.length > 1)
    errors.notSupported(path, new Printed(() => goJson(givenAt(spec, 'capacity') ?? null)), ['storage']);
  for (const name of names) {
    const q = parseQuantity(String(all[name]));
    if (q === undefined) continue;
    const order = compareQuantities(q, zeroQuantity);
    if (units64(q) < 0n) errors.invalid(path.key(name), units64(q), 'must be a valid resource quantity');
    if (order <= 0) errors.invalid(path.key(name), all[name], 'must be greater than zero');
  }
}

function nodeAffinity(
  spec: Shaped<shapes.CoreV1PersistentVolumeSpec>,
  path: FieldPath,
  errors: FieldErrors,
  old: Shaped<shapes.CoreV1PersistentVolumeSpec> | undefined,
): void {
  const affinity = at(spec, 'nodeAffinity');
  if (affinity === undefined) return;
  const needed = at(affinity, 'required');
  if (needed === undefined) errors.required(path.child('required'), 'must specify required node constraints');
  else {
    // A stored volume may select nodes by values that are not label values.
    const anyValues = objectsAt(old, 'nodeAffinity', 'required', 'nodeSelectorTerms').some(hasInvalidNodeValue);
    nodeSelector(needed, path.child('required'), errors, !anyValues);
  }
}

function sources(
  spec: Shaped<shapes.CoreV1PersistentVolumeSpec>,
  path: FieldPath,
  errors: FieldErrors,
  name: string,
): void {
  let first = true;
  for (const { json, path: named, forbidden } of SOURCES) {
    const source = at(spec, json);
    if (source === undefined) continue;
    const rule = Object.hasOwn(OWN, json) ? OWN[json]! : sourceRule(json)!;
    if (first && json === 'iscsi' && hasLongPortal(name, source as JsonValue))
      errors.invalid(
        path.child('iscsi').childShownAs('targetportal'),
        textAt(source as JsonValue, 'targetPortal'),
        LONG_PORTAL,
      );
    // kube-apiserver counts this source even if it is not the first
    if (first || json === 'flexVolume') rule(source, path.child(named ?? json), errors);
    if (first && json === 'local' && at(spec, 'nodeAffinity') === undefined)
      errors.required(path.child('nodeAffinity'), 'Local volume requires node affinity');
    if (!first && json !== 'flexVolume')
      errors.forbidden(path.child(forbidden ?? json), 'may not specify more than 1 volume type');
    first = false;
  }
  if (first) errors.required(path, 'must specify a volume type');
}

function attributesClass(spec: Shaped<shapes.CoreV1PersistentVolumeSpec>, path: FieldPath, errors: FieldErrors): void {
  const name = at(spec, 'volumeAttributesClassName');
  if (typeof name !== 'string') return;
  const here = path.child('volumeAttributesClassName');
  if (name === '') errors.required(here, 'an empty string is disallowed');
  else sentences(name, isDns1123Subdomain, here, errors);
  if (at(spec, 'csi') === undefined)
    errors.required(path.child('csi'), 'has to be specified when using volumeAttributesClassName');
}

/** The source of a volume is immutable. */
export function volumeUpdate(
  o: Shaped<shapes.CoreV1PersistentVolume>,
  old: Shaped<shapes.CoreV1PersistentVolume>,
  errors: FieldErrors,
): void {
  const before = sourceOf(old);
  const now = withoutNewSecret(sourceOf(o), before);
  if (!equalJson(now, before))
    errors.forbidden(
      SPEC.childShownAs('persistentvolumesource'),
      `spec.persistentvolumesource is immutable after creation\n${internalDifference('core/v1.PersistentVolumeSource', before, now)}`,
    );
  const mode = at(o, 'spec', 'volumeMode');
  if (!equalJson(mode ?? null, at(old, 'spec', 'volumeMode') ?? null))
    errors.invalid(FieldPath.root.childShownAs('volumeMode'), mode, 'field is immutable');
  const affinity = at(o, 'spec', 'nodeAffinity');
  const was = at(old, 'spec', 'nodeAffinity');
  if (was !== undefined && !equalJson(affinity ?? null, was) && !isRelabelled(affinity, was))
    errors.invalid(
      FieldPath.root.childShownAs('nodeAffinity'),
      shown('core/v1.VolumeNodeAffinity', affinity),
      'field is immutable, except for updating from beta label to GA',
    );
  if (
    at(o, 'spec', 'volumeAttributesClassName') === undefined &&
    at(old, 'spec', 'volumeAttributesClassName') !== undefined
  )
    errors.forbidden(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden');
}

/** The labels of nodes with their names before they were stable. */
const STABLE_LABELS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** Reports whether two node affinities differ only in labels that have their stable name now. An empty name is reported elsewhere. */
function isRelabelled(now: JsonValue | undefined, before: JsonValue | undefined): boolean {
  if (Array.isArray(now) && Array.isArray(before))
    return now.length === before.length && now.every((item, i) => isRelabelled(item, before[i]));
  if (!isObject(now) || !isObject(before)) return equalJson(now ?? null, before ?? null);
  const fields = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  return fields.every((field) => {
    const [key, was] = [now[field], before[field]];
    if (field !== 'key' || typeof was !== 'string') return isRelabelled(key, was);
    return key === was || key === undefined || key === '' || key === STABLE_LABELS[was];
  });
}

function sourceOf(o: Shaped<shapes.CoreV1PersistentVolume>): JsonObject {
  const spec = objectAt(o, 'spec');
  const out: JsonObject = {};
  for (const json of VOLUME_SOURCES) if (spec[json] !== undefined) out[json] = spec[json];
  return out;
}

/** The node expansion secret of a CSI driver may be set once. */
function withoutNewSecret(now: JsonObject, before: JsonObject): JsonObject {
  const secret = 'controllerExpandSecretRef';
  if (
    at(before, 'csi') === undefined ||
    at(before, 'csi', secret) !== undefined ||
    at(now, 'csi', secret) === undefined
  )
    return now;
  const { [secret]: _, ...csi } = objectAt(now, 'csi');
  return { ...now, csi };
}
