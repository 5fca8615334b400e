import { type FieldErrors, type FieldPath, isUserId, type JsonValue, type Value } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, objectAt, objectsAt, textAt } from '../../../access.js';
import {
  POD_CERTIFICATE_SECONDS_MIN,
  podCertificateSecondsMax,
  signerName,
  signerOfBundle,
  trustBundleName,
  userAnnotations,
} from '../../../certificates/names.js';
import { fileMode, labelSelector, nonReservedPath, oneOf, shown } from '../../../rules.js';
import { fieldSelector, VOLUME_FIELDS } from './env.js';
import { READABLE_RESOURCES, resourceFieldSelector } from './resources.js';

/** Validation of volumes whose files come from the API: secrets, config maps, pod fields, tokens and certificates. */

const TOKEN_SECONDS_MIN = 600;

export function items(
  s: Value<shapes.CoreV1ConfigMapVolumeSource | shapes.CoreV1SecretVolumeSource>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  errors.each(objectsAt(s, 'items'), (item, i) => {
    const here = path.child('items').index(i);
    if (textAt(item, 'key') === '') errors.required(here.child('key'));
    const file = textAt(item, 'path');
    if (file === '') errors.required(here.child('path'));
    else nonReservedPath(file, here.child('path'), errors);
    fileMode(at(item, 'mode'), here.child('mode'), errors);
  });
}

export function downwardItems(
  s: Value<shapes.CoreV1DownwardAPIVolumeSource>,
  path: FieldPath<shapes.CoreV1DownwardAPIProjection | shapes.CoreV1DownwardAPIVolumeSource>,
  errors: FieldErrors,
): void {
  for (const item of objectsAt(s, 'items')) {
    const file = textAt(item, 'path');
    if (file === '') errors.required(path.childShownAs('path'));
    else nonReservedPath(file, path.childShownAs('path'), errors);
    const field = at(item, 'fieldRef');
    const resource = at(item, 'resourceFieldRef');
    if (field !== undefined) {
      fieldSelector(field, VOLUME_FIELDS, path.childShownAs('fieldRef'), errors);
      if (resource !== undefined)
        errors.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    } else if (resource !== undefined)
      resourceFieldSelector(resource, READABLE_RESOURCES, true, path.childShownAs('resourceFieldRef'), errors);
    else errors.required(path, 'one of fieldRef and resourceFieldRef is required');
    fileMode(at(item, 'mode'), path.childShownAs('mode'), errors);
  }
}

/** Validates the sources of a projected volume: each has exactly one type, and the paths of their files are unique. */
export function projected(
  s: Value<shapes.CoreV1ProjectedVolumeSource>,
  path: FieldPath<shapes.CoreV1ProjectedVolumeSource>,
  errors: FieldErrors,
  anyTokenPaths: boolean,
): void {
  const paths = new Set<string>();
  const claim = (file: string, shownAs = file): void => {
    if (file === '') return;
    if (paths.has(file)) errors.invalid(path, shownAs, 'conflicting duplicate paths');
    paths.add(file);
  };
  for (const [i, source] of objectsAt(s, 'sources').entries()) {
    const here = path.child('sources').index(i);
    let given = 0;
    for (const name of Object.keys(PROJECTIONS) as (keyof Sources)[]) {
      const rule: ProjectionRule['check'] = PROJECTIONS[name];
      const v = at(source, name);
      if (v === undefined) continue;
      given++;
      rule(v, { path: here.child(name), volume: path, claim, anyTokenPaths }, errors);
    }
    if (given > 1) errors.forbidden(here, 'may not specify more than 1 volume type per source');
  }
}

interface ProjectionRule<T = unknown> {
  check(v: Value<T>, at: Projection<T>, errors: FieldErrors): void;
}

interface Projection<T = unknown> {
  readonly path: FieldPath<T>;
  /** The path of the whole volume. */
  readonly volume: FieldPath<shapes.CoreV1ProjectedVolumeSource>;
  /** Reports a path that another source already uses. `shownAs` is the value in the error. */
  readonly claim: (file: string, shownAs?: string) => void;
  /** The paths of tokens are not validated. */
  readonly anyTokenPaths: boolean;
}

type Sources = shapes.CoreV1VolumeProjection;
type ProjectionRules = {
  readonly [K in keyof Sources]-?: ProjectionRule<NonNullable<Sources[K]>>['check'];
};

const PROJECTIONS: ProjectionRules = {
  secret: keysAsFiles,
  configMap: keysAsFiles,
  downwardAPI: (v, { path, claim }, errors) => {
    downwardItems(v, path, errors);
    for (const item of objectsAt(v, 'items')) claim(textAt(item, 'path'));
  },
  // kube-apiserver does not compare the path of a token with the others.
  serviceAccountToken: (v, { path, volume, anyTokenPaths }, errors) => {
    const seconds = at(v, 'expirationSeconds');
    const here = path.child('expirationSeconds');
    if (typeof seconds === 'number' && seconds < TOKEN_SECONDS_MIN)
      errors.invalid(here, seconds, 'may not specify a duration less than 10 minutes');
    if (typeof seconds === 'number' && seconds > 2 ** 32)
      errors.invalid(here, seconds, 'may not specify a duration larger than 2^32 seconds');
    const file = textAt(v, 'path');
    if (file === '') errors.required(volume.childShownAs('path'));
    else if (!anyTokenPaths) nonReservedPath(file, volume.childShownAs('path'), errors);
    fileOwner(at(v, 'user'), path.child('user'), errors);
  },
  clusterTrustBundle: (v, { path, claim }, errors) => {
    trustBundle(v, path, errors);
    claim(textAt(v, 'path'));
  },
  podCertificate: podCertificate,
};

function keysAsFiles(
  v: Value<shapes.CoreV1ConfigMapProjection | shapes.CoreV1SecretProjection>,
  { path, claim }: Projection,
  errors: FieldErrors,
): void {
  const name = textAt(v, 'name');
  if (name === '') errors.required(path.child('name'));
  items(v, path, errors);
  for (const item of objectsAt(v, 'items')) claim(textAt(item, 'path'), name);
}

/** Validates the user ID that owns a file. */
function fileOwner(user: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof user === 'number') for (const s of isUserId(user)) errors.invalid(path, user, s);
}

function trustBundle(
  v: Value<shapes.CoreV1ClusterTrustBundleProjection>,
  path: FieldPath<shapes.CoreV1ClusterTrustBundleProjection>,
  errors: FieldErrors,
): void {
  const name = at(v, 'name');
  const signer = at(v, 'signerName');
  const selector = at(v, 'labelSelector');
  if (name !== undefined && signer !== undefined)
    errors.invalid(
      path,
      shown('core/v1.ClusterTrustBundleProjection', v),
      'only one of name and signerName may be used',
    );
  else if (typeof name === 'string') {
    if (name === '') errors.required(path.child('name'), 'must be a valid object name');
    for (const s of trustBundleName(signerOfBundle(name), name, false))
      errors.invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${s}`);
    if (selector !== undefined)
      errors.invalid(path.child('labelSelector'), selector, 'labelSelector must be unset if name is specified');
  } else if (typeof signer === 'string') {
    if (signer === '') errors.required(path.child('signerName'), 'must be a valid signer name');
    signerName(signer, path.child('signerName'), errors);
    labelSelector(selector, path.child('labelSelector'), errors);
  } else errors.required(path, 'either name or signerName must be specified');
  const file = textAt(v, 'path');
  if (file === '') errors.required(path.child('path'));
  else nonReservedPath(file, path.child('path'), errors);
  fileOwner(at(v, 'user'), path.child('user'), errors);
}

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

function podCertificate(
  v: Value<shapes.CoreV1PodCertificateProjection>,
  { path, claim }: Projection,
  errors: FieldErrors,
): void {
  const signer = textAt(v, 'signerName');
  signerName(signer, path.child('signerName'), errors);
  userAnnotations(objectAt(v, 'userAnnotations'), path.child('userAnnotations'), errors);
  fileOwner(at(v, 'user'), path.child('user'), errors);
  oneOf(textAt(v, 'keyType'), path.child('keyType'), KEY_TYPES, errors, false);
  const seconds = at(v, 'maxExpirationSeconds');
  if (typeof seconds === 'number') {
    const max = podCertificateSecondsMax(signer);
    const here = path.child('maxExpirationSeconds');
    if (seconds < POD_CERTIFICATE_SECONDS_MIN)
      errors.invalid(here, seconds, `if provided, maxExpirationSeconds must be >= ${POD_CERTIFICATE_SECONDS_MIN}`);
    if (seconds > max) errors.invalid(here, seconds, `if provided, maxExpirationSeconds must be <= ${max}`);
  }
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;
  for (const field of files) {
    const file = textAt(v, field);
    if (file !== '') nonReservedPath(file, path.child(field), errors);
    claim(file);
  }
  if (files.every((field) => textAt(v, field) === ''))
    errors.required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath');
}
