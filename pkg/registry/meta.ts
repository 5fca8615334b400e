import {
  equalJson,
  type FieldErrors,
  type FieldPath,
  isDns1123Label,
  isLabelKey,
  isLabelValue,
  isObject,
  isQualifiedName,
  type JsonObject,
  type JsonValue,
  type NameRule,
  parseApiVersion,
} from '../api/index.js';
import { sortInPlace } from '../base/index.js';
import { disallowedOwner } from './builtin/core/owners.js';
import { limits } from './limits.js';

/** The rules of ObjectMeta, with the messages and the order of kube-apiserver. */

/** Returns the metadata of the object, and adds it if absent. */
export function metaOf(o: JsonObject): JsonObject {
  const meta = o['metadata'];
  if (isObject(meta)) return meta;
  const made: JsonObject = {};
  o['metadata'] = made;
  return made;
}

export function text(o: JsonObject, field: string): string {
  const v = o[field];
  return typeof v === 'string' ? v : '';
}

export function strings(o: JsonObject, field: string): readonly string[] {
  const v = o[field];
  return Array.isArray(v) ? v.filter((x): x is string => typeof x === 'string') : [];
}

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', orphanFinalizer, foregroundFinalizer]);

export interface MetaRules {
  /** Undefined: the object may have a namespace. */
  readonly namespaced: boolean | undefined;
  readonly nameRule: NameRule;
  /** The object may be without a name. */
  readonly nameless?: boolean;
}

/** The rules of the metadata of any object. */
export function validateMeta(meta: JsonObject, rules: MetaRules, path: FieldPath, errors: FieldErrors): void {
  const generateName = text(meta, 'generateName');
  if (generateName !== '')
    for (const s of rules.nameRule(generateName, true)) errors.invalid(path.child('generateName'), generateName, s);
  const name = text(meta, 'name');
  if (name === '') {
    if (rules.nameless !== true) errors.required(path.child('name'), 'name or generateName is required');
  } else for (const s of rules.nameRule(name, false)) errors.invalid(path.child('name'), name, s);
  const namespace = text(meta, 'namespace');
  if (rules.namespaced === false) {
    if (namespace !== '') errors.forbidden(path.child('namespace'), 'not allowed on this type');
  } else if (namespace === '') {
    if (rules.namespaced === true) errors.required(path.child('namespace'));
  } else for (const s of isDns1123Label(namespace)) errors.invalid(path.child('namespace'), namespace, s);
  const generation = meta['generation'];
  if (typeof generation === 'number' && generation < 0)
    errors.invalid(path.child('generation'), generation, 'must be greater than or equal to 0');
  validateLabels(meta['labels'], path.child('labels'), errors);
  validateAnnotations(meta['annotations'], path.child('annotations'), errors);
  validateOwners(meta['ownerReferences'], path.child('ownerReferences'), errors);
  validateFinalizers(strings(meta, 'finalizers'), path.child('finalizers'), errors);
  validateManagedFields(meta['managedFields'], path.child('managedFields'), errors);
}

/** The rules for finalizers of built-in kinds, beside those of qualified names. */
export function validateFinalizerNames(meta: JsonObject, path: FieldPath, errors: FieldErrors): void {
  errors.each(strings(meta, 'finalizers'), (f, i) => {
    if (!f.includes('/') && !STANDARD_FINALIZERS.has(f))
      errors.invalid(
        path.child('finalizers').index(i),
        f,
        'name is neither a standard finalizer name nor is it fully qualified',
      );
  });
}

/** The rules for an update: some fields are immutable. */
export function validateMetaUpdate(meta: JsonObject, old: JsonObject, path: FieldPath, errors: FieldErrors): void {
  if (old['deletionTimestamp'] !== undefined) {
    const before = new Set(strings(old, 'finalizers'));
    const added = [...new Set(strings(meta, 'finalizers').filter((f) => !before.has(f)))].sort();
    if (added.length > 0)
      errors.forbidden(
        path.child('finalizers'),
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
      );
  }
  if (text(meta, 'resourceVersion') === '')
    errors.invalid(path.child('resourceVersion'), '', 'must be specified for an update');
  if (numberOf(meta['generation']) < numberOf(old['generation']))
    errors.invalid(path.child('generation'), meta['generation'] ?? 0, 'must not be decremented');
  for (const field of IMMUTABLE)
    if (!equalJson(meta[field] ?? ZERO[field]!, old[field] ?? ZERO[field]!))
      errors.invalid(path.child(field), meta[field] ?? ZERO[field]!, 'field is immutable');
  validateLabels(meta['labels'], path.child('labels'), errors);
  validateAnnotations(meta['annotations'], path.child('annotations'), errors);
  validateOwners(meta['ownerReferences'], path.child('ownerReferences'), errors);
  validateManagedFields(meta['managedFields'], path.child('managedFields'), errors);
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

const ZERO: Readonly<Record<string, JsonValue>> = {
  name: '',
  namespace: '',
  uid: '',
  creationTimestamp: null,
  deletionTimestamp: null,
  deletionGracePeriodSeconds: null,
};

const numberOf = (v: JsonValue | undefined): number => (typeof v === 'number' ? v : 0);

export function validateLabels(labels: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!isObject(labels)) return;
  errors.each(sorted(labels), ([key, value]) => {
    for (const s of isLabelKey(key)) errors.invalid(path, key, s);
    if (typeof value === 'string') for (const s of isLabelValue(value)) errors.invalid(path, value, s);
  });
}

export function validateAnnotations(annotations: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!isObject(annotations)) return;
  let bytes = 0;
  const entries = sorted(annotations);
  errors.each(entries, ([key]) => {
    for (const s of isQualifiedName(key.toLowerCase())) errors.invalid(path, key, s);
  });
  for (const [key, value] of entries)
    bytes += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  if (bytes > limits.annotationsBytesMax) errors.tooLong(path, limits.annotationsBytesMax);
}

const byKey = (a: readonly [string, JsonValue], b: readonly [string, JsonValue]): number => (a[0] < b[0] ? -1 : 1);
const sorted = (o: JsonObject): [string, JsonValue][] => sortInPlace(Object.entries(o), byKey);

const OWNER_FIELDS = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];

/** An owner reference with its fields in the order of their type, as errors show it. */
const ordered = (ref: JsonObject): JsonObject =>
  Object.fromEntries(OWNER_FIELDS.flatMap((field) => (ref[field] === undefined ? [] : [[field, ref[field]]])));

function validateOwners(owners: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!Array.isArray(owners)) return;
  let controller = '';
  errors.each(owners, (ref, i) => {
    if (!isObject(ref)) return;
    const here = path.index(i);
    const apiVersion = text(ref, 'apiVersion');
    const gv = parseApiVersion(apiVersion);
    const kind = text(ref, 'kind');
    if (apiVersion === '') errors.required(here.child('apiVersion'), 'must not be empty');
    else if (gv === undefined || gv.version === '')
      errors.invalid(here.child('apiVersion'), apiVersion, 'must be <group>/<version> or <version>');
    for (const field of ['kind', 'name', 'uid'])
      if (text(ref, field) === '') errors.required(here.child(field), 'must not be empty');
    const disallowed = gv === undefined ? undefined : disallowedOwner(gv, kind);
    if (disallowed !== undefined) errors.invalid(here, ordered(ref), disallowed);
    if (ref['controller'] !== true) return;
    const name = `${kind}/${text(ref, 'name')}`;
    if (controller === '') controller = name;
    else
      errors.invalid(
        path,
        owners.map((o) => (isObject(o) ? ordered(o) : o)),
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
      );
  });
}

function validateFinalizers(finalizers: readonly string[], path: FieldPath, errors: FieldErrors): void {
  errors.each(finalizers, (f) => {
    for (const s of isQualifiedName(f)) errors.invalid(path, f, s);
  });
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer))
    errors.invalid(path, [...finalizers], `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`);
}

const OPERATIONS = ['Apply', 'Update'];
const MANAGER_BYTES_MAX = 128;
const SUBRESOURCE_BYTES_MAX = 256;

function validateManagedFields(entries: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!Array.isArray(entries)) return;
  errors.each(entries, (entry, i) => {
    if (!isObject(entry)) return;
    const at = path.index(i);
    const operation = text(entry, 'operation');
    if (operation === '') errors.required(at.child('operation'), 'must not be empty');
    else if (!OPERATIONS.includes(operation)) errors.notSupported(at.child('operation'), operation, OPERATIONS);
    const type = text(entry, 'fieldsType');
    if (type !== '' && type !== 'FieldsV1') errors.invalid(at.child('fieldsType'), type, 'must be `FieldsV1`');
    validateManager(text(entry, 'manager'), at.child('manager'), errors);
    if (Buffer.byteLength(text(entry, 'subresource')) > SUBRESOURCE_BYTES_MAX)
      errors.tooLong(at.child('subresource'), SUBRESOURCE_BYTES_MAX);
  });
}

/** Letters, marks, numbers, punctuation, symbols and the plain space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

function validateManager(name: string, path: FieldPath, errors: FieldErrors): void {
  if (Buffer.byteLength(name) > MANAGER_BYTES_MAX) errors.tooLong(path, MANAGER_BYTES_MAX);
  if (PRINTABLE.test(name)) return;
  let position = 0;
  for (const c of name) {
    if (!PRINTABLE.test(c)) {
      const code = c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      errors.invalid(path, name, `invalid character U+${code} (at position ${position})`);
      return;
    }
    position += Buffer.byteLength(c);
  }
}
