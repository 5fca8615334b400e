import {
  type FieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  type Shaped,
} from '../../../../../api/index.js';
import { readJson } from '../../../../../codec/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, objectAt, objectsAt, textAt } from '../../../access.js';
import { descendingPath } from '../../../rules.js';
import { CONTAINER_LISTS } from '../defaults.js';
import { toleration } from './scheduling.js';
import { APP_ARMOR_PROFILE_MAX } from './security.js';

/**
 * Annotations of pods and templates that have rules of their own: those of mirror pods, of the order in which replicas are deleted, and the
 * predecessors of fields (tolerations, seccomp and AppArmor profiles).
 */

const MIRROR = 'kubernetes.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

type Spec = Shaped<shapes.CoreV1PodSpec>;

/** All containers of a pod with their paths below `path`. */
function* containersOf(spec: Spec, path: FieldPath): Iterable<readonly [container: JsonObject, path: FieldPath]> {
  for (const list of CONTAINER_LISTS)
    for (const [i, c] of objectsAt(spec, list).entries()) yield [c, path.child(list).index(i)];
}

/** Reports whether a pod is the image of one that a kubelet runs from a file. */
export const isMirror = (annotations: JsonObject): boolean => Object.hasOwn(annotations, MIRROR);

/** Validates the annotations of a pod or template at `path`. `stored` are those that an update replaces. */
export function podAnnotations(
  annotations: JsonObject,
  spec: Spec,
  path: FieldPath,
  errors: FieldErrors,
  stored: JsonObject = {},
): void {
  if (isEmpty(annotations)) return;
  if (isMirror(annotations) && textAt(spec, 'nodeName') === '')
    errors.invalid(path.key(MIRROR), annotations[MIRROR], 'must set spec.nodeName if mirror pod annotation is set');
  tolerations(annotations, path, errors);
  if (!isCost(annotations[DELETION_COST]) && isCost(stored[DELETION_COST]))
    errors.invalid(path.key(DELETION_COST), annotations[DELETION_COST], 'must be a 32bit integer');
  for (const [key, value] of entriesFrom(annotations, SECCOMP_POD))
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) seccomp(String(value), path.child(key), errors);
  const appArmor = Object.entries(annotations).filter(([key]) => key.startsWith(APP_ARMOR));
  if (appArmor.length === 0) return;
  const names = new Set([...containersOf(spec, path)].map(([c]) => textAt(c, 'name')));
  for (const [key, value] of appArmor) {
    const name = key.slice(APP_ARMOR.length);
    if (!names.has(name)) errors.invalid(path.key(key), name, 'container not found');
    if (!isAppArmor(String(value))) errors.invalid(path.key(key), value, `invalid AppArmor profile name: "${value}"`);
  }
}

function isEmpty(annotations: JsonObject): boolean {
  for (const _ in annotations) return false;
  return true;
}

/** The entries, that of `first` before the others. */
function entriesFrom(annotations: JsonObject, first: string): readonly (readonly [string, JsonValue])[] {
  const entries = Object.entries(annotations);
  return [...entries.filter(([key]) => key === first), ...entries.filter(([key]) => key !== first)];
}

function tolerations(annotations: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const text = textAt(annotations, TOLERATIONS);
  if (text === '') return;
  const read = readJson(Buffer.from(text));
  if (!read.ok) errors.invalid(path, TOLERATIONS, read.message);
  else if (Array.isArray(read.value))
    errors.each(read.value.filter(isObject), (t, i) =>
      toleration(t, path.child(TOLERATIONS).index(i) as FieldPath<shapes.CoreV1Toleration>, errors),
    );
}

const COST_MIN = -(2 ** 31);
const COST_MAX = 2 ** 31 - 1;

/** An absent cost counts as 0. A sign of plus and leading zeros are no part of one. */
function isCost(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  const text = String(value);
  return /^(0|-\d+|[1-9]\d*)$/.test(text) && Number(text) >= COST_MIN && Number(text) <= COST_MAX;
}

const DOCKER_DEFAULT = 'docker/default';

function seccomp(profile: string, path: FieldPath, errors: FieldErrors): void {
  if (profile === 'runtime/default' || profile === DOCKER_DEFAULT || profile === 'unconfined') return;
  if (profile.startsWith(LOCALHOST)) descendingPath(profile.slice(LOCALHOST.length), path, errors);
  else errors.invalid(path, profile, 'must be a valid seccomp profile');
}

const isAppArmor = (profile: string): boolean =>
  ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCALHOST);

/** Compares profiles that are stated both as annotation and as field. `path`: that of the spec. */
export function matchingProfiles(annotations: JsonObject, spec: Spec, path: FieldPath, errors: FieldErrors): void {
  if (isEmpty(annotations)) return;
  const compare = (
    key: string,
    profile: JsonValue | undefined,
    field: FieldPath,
    kind: 'seccomp' | 'apparmor',
  ): void => {
    if (profile === undefined || !Object.hasOwn(annotations, key)) return;
    const wrong = mismatch(textAt(annotations, key), profile, kind);
    if (wrong === 'type') errors.forbidden(field.child('type'), `${kind} type in annotation and field must match`);
    if (wrong === 'profile')
      errors.forbidden(field.child('localhostProfile'), `${kind} profile in annotation and field must match`);
  };
  const field = path.child('securityContext', 'seccompProfile');
  compare(SECCOMP_POD, at(spec, 'securityContext', 'seccompProfile'), field, 'seccomp');
  for (const [c, here] of containersOf(spec, path)) {
    const own = here.child('securityContext', 'seccompProfile');
    compare(SECCOMP_CONTAINER + textAt(c, 'name'), at(c, 'securityContext', 'seccompProfile'), own, 'seccomp');
  }
  if (textAt(spec, 'os', 'name') === 'windows') return;
  for (const [c, here] of containersOf(spec, path)) {
    const profile = at(c, 'securityContext', 'appArmorProfile') ?? at(spec, 'securityContext', 'appArmorProfile');
    compare(APP_ARMOR + textAt(c, 'name'), profile, here.child('securityContext', 'appArmorProfile'), 'apparmor');
  }
}

function mismatch(text: string, profile: JsonValue, kind: 'seccomp' | 'apparmor'): 'type' | 'profile' | undefined {
  switch (textAt(profile, 'type')) {
    case 'Unconfined':
      return text === 'unconfined' ? undefined : 'type';
    case 'RuntimeDefault':
      return text === 'runtime/default' || (kind === 'seccomp' && text === DOCKER_DEFAULT) ? undefined : 'type';
    case 'Localhost':
      if (!text.startsWith(LOCALHOST)) return 'type';
      return text.slice(LOCALHOST.length) === at(profile, 'localhostProfile') ? undefined : 'profile';
    default:
      return undefined;
  }
}

const ANNOTATIONS = FieldPath.of('metadata', 'annotations');

/** Some annotations of a pod stay as they are. */
export function podAnnotationsUpdate(
  pod: Shaped<shapes.CoreV1Pod>,
  old: Shaped<shapes.CoreV1Pod>,
  errors: FieldErrors,
): void {
  const [now, before] = [objectAt(pod, 'metadata', 'annotations'), objectAt(old, 'metadata', 'annotations')];
  for (const [key, value] of Object.entries(before)) if (now[key] !== value) fixed(key, 'remove or update', errors);
  for (const key of Object.keys(now)) if (!Object.hasOwn(before, key)) fixed(key, 'add', errors);
  podAnnotations(now, objectAt(pod, 'spec'), ANNOTATIONS, errors, before);
}

function fixed(key: string, change: string, errors: FieldErrors): void {
  if (key.startsWith(APP_ARMOR)) errors.forbidden(ANNOTATIONS.key(key), `may not ${change} AppArmor annotations`);
  if (key === MIRROR) errors.forbidden(ANNOTATIONS.key(key), `may not ${change} mirror pod annotation`);
}

/** Returns the field for an AppArmor annotation; undefined if there is no valid one. */
export function appArmorProfile(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const file = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  const isValid = file !== '' && file === file.trim() && file.length <= APP_ARMOR_PROFILE_MAX;
  return isValid ? { type: 'Localhost', localhostProfile: file } : undefined;
}
