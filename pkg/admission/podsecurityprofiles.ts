import { at, goQuote, isObject, type JsonObject, objectAt, textAt } from '../api/index.js';
import {
  badContainers,
  type Check,
  containersOf,
  contextOf,
  named,
  nameOf,
  plural,
  quoted,
  setters,
  sorted,
} from './podsecuritycheck.js';

/** The checks of security profiles: AppArmor, SELinux and seccomp. */

const ALLOWED_APPARMOR = new Set(['RuntimeDefault', 'Localhost']);
const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export const appArmor: Check = (pod) => {
  const values = new Set<string>();
  const bad = (context: JsonObject): boolean => {
    if (!isObject(at(context, 'appArmorProfile'))) return false;
    const type = textAt(context, 'appArmorProfile', 'type');
    if (ALLOWED_APPARMOR.has(type)) return false;
    values.add(type);
    return true;
  };
  const podBad = bad(contextOf(pod.spec));
  const containers = badContainers(pod, bad);
  const annotations = Object.entries(objectAt(pod.metadata, 'annotations'))
    .filter(([key, value]) => key.startsWith(APPARMOR_ANNOTATION) && !allowedAppArmorAnnotation(String(value)))
    .map(([key, value]) => `${key}=${goQuote(String(value))}`)
    .sort();
  const shown = [...sorted(values), ...annotations];
  if (shown.length === 0) return undefined;
  const more = annotations.length > 0 ? [plural('annotation', annotations.length)] : [];
  return {
    reason: plural('forbidden AppArmor profile', shown.length),
    detail: `${setters(podBad, containers, more)} must not set AppArmor profile type to ${quoted(shown)}`,
  };
};

const allowedAppArmorAnnotation = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

export const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

export const seLinux =
  (allowed: readonly string[]): Check =>
  (pod) => {
    const types = new Set<string>();
    let user = false;
    let role = false;
    const bad = (context: JsonObject): boolean => {
      const options = at(context, 'seLinuxOptions');
      if (!isObject(options)) return false;
      const type = textAt(options, 'type');
      const badType = !allowed.includes(type);
      const [setsUser, setsRole] = [textAt(options, 'user') !== '', textAt(options, 'role') !== ''];
      if (badType) types.add(type);
      user ||= setsUser;
      role ||= setsRole;
      return badType || setsUser || setsRole;
    };
    const ofPod = bad(contextOf(pod.spec));
    const containers = badContainers(pod, bad);
    if (!ofPod && containers.length === 0) return undefined;
    const data = [
      ...(types.size > 0 ? [`${plural('type', types.size)} ${quoted(sorted(types))}`] : []),
      ...(user ? ['user may not be set'] : []),
      ...(role ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters(ofPod, containers)} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
    };
  };

const SECCOMP_POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';

/** Before 1.19 profiles were annotations. */
export const seccompAnnotations: Check = (pod) => {
  const annotations = objectAt(pod.metadata, 'annotations');
  const keys = [SECCOMP_POD_ANNOTATION];
  for (const c of containersOf(pod)) keys.push(SECCOMP_CONTAINER_ANNOTATION + nameOf(c));
  const bad = new Set<string>();
  for (const key of keys) {
    const value = at(annotations, key);
    if (value === undefined || allowedSeccompAnnotation(String(value))) continue;
    bad.add(`${key}=${goQuote(String(value))}`);
  }
  if (bad.size === 0) return undefined;
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', bad.size)} ${sorted(bad).join(', ')}` };
};

const allowedSeccompAnnotation = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

export const seccomp =
  (required: boolean): Check =>
  (pod) => {
    const values = new Set<string>();
    const typeOf = (context: JsonObject): string | undefined =>
      isObject(at(context, 'seccompProfile')) ? textAt(context, 'seccompProfile', 'type') : undefined;
    const bad = (context: JsonObject): boolean => {
      const type = typeOf(context);
      if (type === undefined || type === 'Localhost' || type === 'RuntimeDefault') return false;
      values.add(type);
      return true;
    };
    const ofPod = bad(contextOf(pod.spec));
    const explicit = badContainers(pod, bad);
    const reason = 'seccompProfile';
    if (ofPod || explicit.length > 0)
      return {
        reason,
        detail: `${setters(ofPod, explicit)} must not set securityContext.seccompProfile.type to ${quoted(sorted(values))}`,
      };
    if (!required || typeOf(contextOf(pod.spec)) !== undefined) return undefined;
    const implicit = badContainers(pod, (context) => typeOf(context) === undefined);
    if (implicit.length === 0) return undefined;
    return {
      reason,
      detail: `pod or ${named(implicit)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    };
  };
