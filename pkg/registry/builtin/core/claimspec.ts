import {
  compareQuantities,
  equalJson,
  type FieldErrors,
  type FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isObject,
  parseQuantity,
  type Shaped,
  type Value,
  zeroQuantity,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { WriteContext } from '../../resource.js';
import { at, listAt, textAt } from '../access.js';
import { labelSelector, oneOf, sentences } from '../rules.js';
import { fractionalBytes } from '../valuewarnings.js';

/**
 * Validation and defaults of the spec of claims, claim templates and ephemeral volumes. `anyGroup`: the groups of data sources are not
 * validated.
 */

export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];

export function claimSpec(
  spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>,
  path: FieldPath<shapes.CoreV1PersistentVolumeClaimSpec>,
  errors: FieldErrors,
  anyGroup = false,
): void {
  const className = (field: 'storageClassName' | 'volumeAttributesClassName') => {
    const name = textAt(spec, field);
    if (name !== '') sentences(name, isDns1123Subdomain, path.child(field), errors);
  };
  const modes = listAt(spec, 'accessModes').map(String);
  const modesPath = path.child('accessModes');
  if (modes.length === 0) errors.required(modesPath, 'at least 1 access mode is required');
  labelSelector(at(spec, 'selector'), path.child('selector'), errors);
  knownModes(modes, modesPath, errors);
  const storage = at(spec, 'resources', 'requests', 'storage');
  const here = path.child('resources').key('storage');
  if (storage === undefined) errors.required(here);
  else {
    const q = parseQuantity(String(storage));
    if (q !== undefined && compareQuantities(q, zeroQuantity) <= 0)
      errors.invalid(here, storage, 'must be greater than zero');
  }
  className('storageClassName');
  const mode = at(spec, 'volumeMode');
  if (typeof mode === 'string') oneOf(mode, path.child('volumeMode'), VOLUME_MODES, errors, false);
  dataSources(spec, path, errors, anyGroup);
  className('volumeAttributesClassName');
}

/** Reports whether the old spec has a data source with a group: an update of it may have any other. */
export const namesGroup = (old: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>): boolean =>
  at(old, 'dataSource', 'apiGroup') !== undefined || at(old, 'dataSourceRef', 'apiGroup') !== undefined;

/** The access modes of claims and volumes. Only known ones are compared with each other. */
export function knownModes(modes: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.notSupported(path, mode, ACCESS_MODES);
  const known = new Set(modes.filter((mode) => ACCESS_MODES.includes(mode)));
  if (known.size > 1 && known.has('ReadWriteOncePod'))
    errors.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
}

function dataSources(
  spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>,
  path: FieldPath<shapes.CoreV1PersistentVolumeClaimSpec>,
  errors: FieldErrors,
  anyGroup: boolean,
): void {
  const source = at(spec, 'dataSource');
  const ref = at(spec, 'dataSourceRef');
  if (source !== undefined) dataSource(source, path.child('dataSource'), errors, anyGroup);
  if (ref !== undefined) {
    dataSource(ref, path.child('dataSourceRef'), errors, anyGroup);
    const namespace = textAt(ref, 'namespace');
    if (namespace !== '') sentences(namespace, isDns1123Label, path.child('dataSourceRef', 'namespace'), errors);
  }
  if (source === undefined || ref === undefined) return;
  if (textAt(ref, 'namespace') !== '')
    errors.invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified');
  else if (!sameSource(source, ref)) errors.invalid(path, {}, 'must match dataSourceRef');
}

const sameSource = (
  a: Value<shapes.CoreV1TypedLocalObjectReference>,
  b: Value<shapes.CoreV1TypedObjectReference>,
): boolean => (['apiGroup', 'kind', 'name'] as const).every((f) => textAt(a, f) === textAt(b, f));

function dataSource(
  source: Value<shapes.CoreV1TypedLocalObjectReference | shapes.CoreV1TypedObjectReference>,
  path: FieldPath<shapes.CoreV1TypedLocalObjectReference | shapes.CoreV1TypedObjectReference>,
  errors: FieldErrors,
  anyGroup: boolean,
): void {
  const kind = textAt(source, 'kind');
  const group = textAt(source, 'apiGroup');
  if (textAt(source, 'name') === '') errors.required(path.child('name'));
  if (kind === '') errors.required(path.child('kind'));
  if (group === '' && kind !== 'PersistentVolumeClaim')
    errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (group !== '' && !anyGroup) sentences(group, isDns1123Subdomain, path.child('apiGroup'), errors);
}

/** `dataSource` and `dataSourceRef` name the same object: each defaults to the other. */
export function alignDataSources(spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>): void {
  const source = spec['dataSource'];
  const ref = spec['dataSourceRef'];
  if (isObject(source) && ref === undefined) spec['dataSourceRef'] = { ...source };
  else if (isObject(ref) && source === undefined && textAt(ref, 'namespace') === '') {
    spec['dataSource'] = Object.fromEntries(Object.entries(ref).filter(([k]) => k !== 'namespace'));
  }
}

/**
 * Drops a reference to another namespace while the feature is disabled, because without its
 * namespace it would name another object. An update may keep an existing one.
 */
export function dropForeignSource(
  spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>,
  old: Shaped<shapes.CoreV1PersistentVolumeClaimSpec> | undefined,
  context: WriteContext,
): void {
  if (context.featureEnabled('CrossNamespaceVolumeDataSource') || at(old, 'dataSourceRef') !== undefined) return;
  if (textAt(spec, 'dataSourceRef', 'namespace') !== '') delete spec['dataSourceRef'];
}

/** `dataSource` may name only claims and snapshots. Other kinds are ignored. */
export function dropUnknownSource(spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>): void {
  const source = at(spec, 'dataSource');
  if (source === undefined) return;
  const group = textAt(source, 'apiGroup');
  const kind = textAt(source, 'kind');
  const known =
    (kind === 'PersistentVolumeClaim' && group === '') ||
    (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io');
  if (!known && (spec['dataSourceRef'] === undefined || equalJson(source, {}))) delete spec['dataSource'];
}

/** `path` is the path of the claim's spec. */
export function claimWarnings(
  spec: Shaped<shapes.CoreV1PersistentVolumeClaimSpec>,
  path: string,
  warn: (text: string) => void,
): void {
  for (const field of ['requests', 'limits'] as const)
    fractionalBytes(at(spec, 'resources', field, 'storage'), `${path}.resources.${field}[storage]`, warn);
}
