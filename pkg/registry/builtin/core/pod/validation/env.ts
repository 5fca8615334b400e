import {
  type FieldErrors,
  type FieldPath,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelKey,
  isRelaxedEnvVarName,
  type JsonObject,
  type JsonValue,
  type Shaped,
  type Value,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, objectsAt, textAt } from '../../../access.js';
import { noBacksteps, sentences } from '../../../rules.js';
import { READABLE_RESOURCES, resourceFieldSelector } from './resources.js';
import { eachContainer } from './security.js';

/** Validation of container environments, and of field references, which downward API volumes share. */

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

export function environment(
  container: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  errors: FieldErrors,
): void {
  errors.each(objectsAt(container, 'env'), (env, i) => {
    const here = path.child('env').index(i);
    const name = textAt(env, 'name');
    if (name === '') errors.required(here.child('name'));
    else sentences(name, isRelaxedEnvVarName, here.child('name'), errors);
    const from = at(env, 'valueFrom');
    if (from !== undefined) valueFrom(env, from, here.child('valueFrom'), errors);
  });
  errors.each(objectsAt(container, 'envFrom'), (from, i) => envFrom(from, path.child('envFrom'), i, errors));
}

function valueFrom(
  env: Shaped<shapes.CoreV1EnvVar>,
  from: Value<shapes.CoreV1EnvVarSource>,
  path: FieldPath<shapes.CoreV1EnvVarSource>,
  errors: FieldErrors,
): void {
  let count = 0;
  for (const source of SOURCES) {
    const ref = at(from, source);
    if (ref === undefined) continue;
    count++;
    const here = path.child(source);
    if (source === 'fieldRef') fieldSelector(at(from, source)!, ENV_FIELDS, here, errors);
    else if (source === 'resourceFieldRef')
      resourceFieldSelector(at(from, source)!, READABLE_RESOURCES, false, here, errors);
    else if (source === 'fileKeyRef') fileKey(ref, here, errors);
    else keySelector(ref, here, errors);
  }
  if (count === 0)
    errors.invalid(
      path,
      '',
      `must specify one of: ${SOURCES.slice(0, -1)
        .map((s) => `\`${s}\``)
        .join(', ')} or \`fileKeyRef\``,
    );
  if (textAt(env, 'value') !== '') {
    if (count > 0) errors.invalid(path, '', 'may not be specified when `value` is not empty');
  } else if (count > 1) errors.invalid(path, '', 'may not have more than one field specified at a time');
}

function keySelector(ref: JsonValue, path: FieldPath, errors: FieldErrors): void {
  sentences(textAt(ref, 'name'), isDns1123Subdomain, path.child('name'), errors);
  const key = textAt(ref, 'key');
  if (key === '') errors.required(path.child('key'));
  else sentences(key, isConfigMapKey, path.child('key'), errors);
}

function fileKey(ref: JsonValue, path: FieldPath, errors: FieldErrors): void {
  const key = textAt(ref, 'key');
  if (key === '') errors.required(path.child('key'));
  else sentences(key, isRelaxedEnvVarName, path.child('key'), errors);
  const volume = textAt(ref, 'volumeName');
  if (volume === '') errors.required(path.child('volumeName'));
  else sentences(volume, isDns1123Label, path.child('volumeName'), errors);
  const file = textAt(ref, 'path');
  if (file === '') errors.required(path.child('path'));
  else noBacksteps(file, path.child('path'), errors);
}

/** Volumes with the files of variables are of type emptyDir. `volumes` are all of the pod, also those that are invalid. */
export function fileVolumes(
  spec: Shaped<shapes.CoreV1PodSpec>,
  volumes: ReadonlyMap<string, JsonObject>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  eachContainer(spec, path, (c, container) => {
    errors.each(objectsAt(c, 'env'), (env, i) => {
      const ref = at(env, 'valueFrom', 'fileKeyRef');
      if (ref === undefined) return;
      const here = container.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = textAt(ref, 'volumeName');
      const source = volumes.get(volume);
      if (source === undefined) errors.notFound(here, volume);
      else if (at(source, 'emptyDir') === undefined)
        errors.invalid(here, volume, 'referenced volume must be of type emptyDir');
    });
  });
}

function envFrom(
  from: Shaped<shapes.CoreV1EnvFromSource>,
  path: FieldPath<readonly shapes.CoreV1EnvFromSource[]>,
  i: number,
  errors: FieldErrors,
): void {
  const here = path.index(i);
  const prefix = textAt(from, 'prefix');
  if (prefix !== '') sentences(prefix, isRelaxedEnvVarName, here.child('prefix'), errors);
  let count = 0;
  for (const source of ['configMapRef', 'secretRef'] as const) {
    const ref = at(from, source);
    if (ref === undefined) continue;
    count++;
    const name = textAt(ref, 'name');
    if (name === '') errors.required(here.child(source, 'name'));
    else sentences(name, isDns1123Subdomain, here.child(source, 'name'), errors);
  }
  if (count === 0) errors.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`');
  else if (count > 1) errors.invalid(path, '', 'may not have more than one field specified at a time');
}

const ENV_FIELDS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

export const VOLUME_FIELDS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.labels',
  'metadata.annotations',
  'metadata.uid',
]);

/** Every field path that the downward API knows. Each use allows a subset. */
const CONVERTIBLE: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** Validates a field path, with or without a key: `metadata.labels['app']`. */
export function fieldSelector(
  ref: Value<shapes.CoreV1ObjectFieldSelector>,
  readable: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const version = textAt(ref, 'apiVersion');
  const field = textAt(ref, 'fieldPath');
  if (version === '') {
    errors.required(path.child('apiVersion'));
    return;
  }
  if (field === '') {
    errors.required(path.child('fieldPath'));
    return;
  }
  const here = path.child('fieldPath');
  const subscript = subscripted(field);
  const keyed = subscript !== undefined && KEYED.has(subscript.of) ? subscript : undefined;
  if (version !== 'v1') {
    errors.invalid(here, field, `error converting fieldPath: unsupported pod version: ${version}`);
  } else if (keyed !== undefined) {
    const { key } = keyed;
    sentences(keyed.of === 'metadata.annotations' ? key.toLowerCase() : key, isLabelKey, path, errors);
  } else {
    if (subscript !== undefined) {
      errors.invalid(here, field, `error converting fieldPath: field label does not support subscript: ${field}`);
    } else if (field === 'spec.host') {
      return;
    } else if (!CONVERTIBLE.has(field)) {
      errors.invalid(here, field, `error converting fieldPath: field label not supported: ${field}`);
    } else if (!readable.has(field)) errors.notSupported(here, field, [...readable].sort());
  }
}

const KEYED: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels']);

/** Splits `of['key']`, without line breaks. The first `['` ends the map name, because no map name contains it. */
function subscripted(field: string): { readonly of: string; readonly key: string } | undefined {
  if (field.includes('\n') || !field.endsWith("']")) return undefined;
  const open = field.indexOf("['");
  if (open < 0 || open + 2 > field.length - 2) return undefined;
  return { of: field.slice(0, open), key: field.slice(open + 2, -2) };
}
