import type { FieldErrors, FieldPath, JsonObject, Shaped } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, boolAt, objectsAt, textAt } from '../../../access.js';
import { descendingPath, oneOf } from '../../../rules.js';

/** Validation of volume mounts and volume devices. */

export function volumeMounts(
  container: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  volumes: ReadonlyMap<string, JsonObject>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  errors: FieldErrors,
): void {
  const all = path.child('volumeMounts');
  const devices = new Map(
    objectsAt(container, 'volumeDevices').map((d) => [textAt(d, 'name'), textAt(d, 'devicePath')]),
  );
  const devicePaths = new Set(devices.values());
  const mountPaths = new Set<string>();
  errors.each(objectsAt(container, 'volumeMounts'), (mount, i) => {
    const here = all.index(i);
    const name = textAt(mount, 'name');
    if (name === '') errors.required(here.child('name'));
    if (!volumes.has(name)) errors.notFound(here.child('name'), name);
    const where = textAt(mount, 'mountPath');
    if (where === '') errors.required(here.child('mountPath'));
    if (mountPaths.has(where)) errors.invalid(here.child('mountPath'), where, 'must be unique');
    mountPaths.add(where);
    if (devices.has(name)) errors.invalid(here.child('name'), name, 'must not already exist in volumeDevices');
    if (devicePaths.has(where))
      errors.invalid(here.child('mountPath'), where, 'must not already exist as a path in volumeDevices');
    const sub = textAt(mount, 'subPath');
    const expression = textAt(mount, 'subPathExpr');
    if (sub !== '') descendingPath(sub, all.childShownAs('subPath'), errors);
    if (expression !== '') {
      if (sub !== '')
        errors.invalid(here.child('subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive');
      descendingPath(expression, all.childShownAs('subPathExpr'), errors);
    }
    propagation(container, mount, all, errors);
  });
}

const PROPAGATION = ['Bidirectional', 'HostToContainer', 'None'];

function propagation(
  container: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  mount: Shaped<shapes.CoreV1VolumeMount>,
  path: FieldPath<readonly shapes.CoreV1VolumeMount[]>,
  errors: FieldErrors,
): void {
  const value = at(mount, 'mountPropagation');
  if (typeof value === 'string') {
    oneOf(value, path.childShownAs('mountPropagation'), PROPAGATION, errors, false);
    if (value === 'Bidirectional' && !boolAt(container, 'securityContext', 'privileged')) {
      errors.forbidden(
        path.childShownAs('mountPropagation'),
        'Bidirectional mount propagation is available only to privileged containers',
      );
    }
  }
  const recursive = at(mount, 'recursiveReadOnly');
  if (typeof recursive !== 'string') return;
  const here = path.childShownAs('recursiveReadOnly');
  if (recursive === 'Disabled') return;
  if (recursive === 'Enabled' || recursive === 'IfPossible') {
    if (!boolAt(mount, 'readOnly')) errors.forbidden(here, 'may only be specified when readOnly is true');
    if (typeof value === 'string' && value !== 'None')
      errors.forbidden(here, 'may only be specified when mountPropagation is None or not specified');
  } else errors.notSupported(here, recursive, ['Disabled', 'Enabled', 'IfPossible']);
}

export function volumeDevices(
  container: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  volumes: ReadonlyMap<string, JsonObject>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  errors: FieldErrors,
): void {
  const mountPaths = new Set(objectsAt(container, 'volumeMounts').map((m) => textAt(m, 'mountPath')));
  const mounted = new Set(objectsAt(container, 'volumeMounts').map((m) => textAt(m, 'name')));
  const names = new Set<string>();
  const paths = new Set<string>();
  errors.each(objectsAt(container, 'volumeDevices'), (device, i) => {
    const here = path.child('volumeDevices').index(i);
    const name = textAt(device, 'name');
    const where = textAt(device, 'devicePath');
    if (name === '') errors.required(here.child('name'));
    else if (names.has(name)) errors.invalid(here.child('name'), name, 'must be unique');
    names.add(name);
    const source = volumes.get(name);
    if (source === undefined) errors.notFound(here.child('name'), name);
    else if (at(source, 'persistentVolumeClaim') === undefined && at(source, 'ephemeral') === undefined) {
      errors.invalid(
        here.child('name'),
        name,
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      );
    }
    if (where === '') errors.required(here.child('devicePath'));
    if (paths.has(where)) errors.invalid(here.child('devicePath'), where, 'must be unique');
    if (mounted.has(name)) errors.invalid(here.child('name'), name, 'must not already exist in volumeMounts');
    if (mountPaths.has(where))
      errors.invalid(here.child('devicePath'), where, 'must not already exist as a path in volumeMounts');
    if (where.split('/').includes('..'))
      errors.invalid(here.child('devicePath'), where, "can not contain backsteps ('..')");
    else paths.add(where);
  });
}
