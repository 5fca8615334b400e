import {
  type FieldErrors,
  type FieldName,
  type FieldPath,
  isDns1123Subdomain,
  isGroupId,
  isUserId,
  type JsonValue,
  type Shaped,
  type Value,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, boolAt, givenAt, listAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { noBacksteps, oneOf, sentences, shown } from '../../../rules.js';

/** Validation of security contexts of pods and containers, and of fields that depend on the operating system. */

function id(
  value: JsonValue | undefined,
  rule: (n: number) => readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (typeof value === 'number') for (const s of rule(value)) errors.invalid(path, value, s);
}

const SYSCTL = /^[a-z0-9]+(?:[-_]+[a-z0-9]+)*(?:[./][a-z0-9]+(?:[-_]+[a-z0-9]+)*)*$/;
const SYSCTL_MAX = 253;

export function podSecurity(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  anySysctls: boolean,
): void {
  const context = objectAt(spec, 'securityContext');
  const here = path.child('securityContext');
  id(at(context, 'fsGroup'), isGroupId, here.child('fsGroup'), errors);
  id(at(context, 'runAsUser'), isUserId, here.child('runAsUser'), errors);
  id(at(context, 'runAsGroup'), isGroupId, here.child('runAsGroup'), errors);
  errors.each(listAt(context, 'supplementalGroups'), (g, i) =>
    id(g, isGroupId, here.child('supplementalGroups').index(i), errors),
  );
  sysctls(context, spec, here.child('sysctls'), errors, anySysctls);
  choice(context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch'], here, errors);
  seccomp(at(context, 'seccompProfile'), here.child('seccompProfile'), errors);
  windows(at(context, 'windowsOptions'), here.child('windowsOptions'), errors);
  appArmor(at(context, 'appArmorProfile'), here.child('appArmorProfile'), errors);
  choice(context, 'supplementalGroupsPolicy', ['Merge', 'Strict'], here, errors);
  choice(context, 'seLinuxChangePolicy', ['MountOption', 'Recursive'], here, errors);
  if (boolAt(spec, 'shareProcessNamespace') && boolAt(spec, 'hostPID')) {
    errors.invalid(
      path.child('shareProcessNamespace'),
      true,
      'ShareProcessNamespace and HostPID cannot both be enabled',
    );
  }
}

function choice(
  context: Shaped<shapes.CoreV1PodSecurityContext>,
  field: FieldName<shapes.CoreV1PodSecurityContext>,
  supported: readonly string[],
  path: FieldPath<shapes.CoreV1PodSecurityContext>,
  errors: FieldErrors,
): void {
  const v = at(context, field);
  if (typeof v === 'string') oneOf(v, path.child(field), supported, errors, false);
}

function sysctls(
  context: Shaped<shapes.CoreV1PodSecurityContext>,
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<readonly shapes.CoreV1Sysctl[]>,
  errors: FieldErrors,
  any: boolean,
): void {
  const seen = new Set<string>();
  errors.each(objectsAt(context, 'sysctls'), (s, i) => {
    const name = textAt(s, 'name');
    const here = path.index(i).child('name');
    if (name === '') errors.required(here);
    else if (name.length > SYSCTL_MAX || !SYSCTL.test(name)) {
      errors.invalid(
        here,
        name,
        `must have at most ${SYSCTL_MAX} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
      );
    } else if (seen.has(name)) errors.duplicate(here, name);
    seen.add(name);
    const problem = any ? undefined : hostSysctlProblem(name, spec);
    if (problem !== undefined) errors.invalid(here, name, problem);
  });
}

/** Returns what is wrong with a kernel parameter that belongs to a namespace which the pod shares with its host. */
export function hostSysctlProblem(name: string, spec: Shaped<shapes.CoreV1PodSpec>): string | undefined {
  const plain = name.replaceAll('/', '.');
  if (boolAt(spec, 'hostNetwork') && plain.startsWith('net.')) return "may not be specified when 'hostNetwork' is true";
  if (boolAt(spec, 'hostIPC') && (IPC_SYSCTLS.has(plain) || plain.startsWith('fs.mqueue.')))
    return "may not be specified when 'hostIPC' is true";
  return undefined;
}

/** The kernel parameters that belong to an IPC namespace, beside all of `fs.mqueue`. */
const IPC_SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.msg',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shm',
  'kernel.shm_rmid_forced',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
]);

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function seccomp(
  profile: Value<shapes.CoreV1SeccompProfile> | undefined,
  path: FieldPath<shapes.CoreV1SeccompProfile>,
  errors: FieldErrors,
): void {
  if (profile === undefined) return;
  const type = textAt(profile, 'type');
  const file = at(profile, 'localhostProfile');
  if (type === 'Localhost') {
    if (typeof file !== 'string')
      errors.required(path.child('localhostProfile'), 'must be set when seccomp type is Localhost');
    else {
      if (file.startsWith('/')) errors.invalid(path.child('localhostProfile'), file, 'must be a relative path');
      noBacksteps(file, path.child('localhostProfile'), errors);
    }
    return;
  }
  if (type === '') errors.required(path.child('type'), 'type is required when seccompProfile is set');
  else if (!PROFILES.includes(type)) errors.notSupported(path.child('type'), type, PROFILES);
  if (file !== undefined)
    errors.invalid(
      path.child('localhostProfile'),
      shown('core/v1.SeccompProfile', profile),
      'can only be set when seccomp type is Localhost',
    );
}

export const APP_ARMOR_PROFILE_MAX = 4095;

function appArmor(
  profile: Value<shapes.CoreV1AppArmorProfile> | undefined,
  path: FieldPath<shapes.CoreV1AppArmorProfile>,
  errors: FieldErrors,
): void {
  if (profile === undefined) return;
  const type = textAt(profile, 'type');
  const file = at(profile, 'localhostProfile');
  const here = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (typeof file !== 'string') errors.required(here, 'must be set when AppArmor type is Localhost');
    else {
      const trimmed = file.trim();
      if (file !== trimmed) errors.invalid(here, file, 'must not be padded with whitespace');
      else if (trimmed === '') errors.required(here, 'must be set when AppArmor type is Localhost');
      if (file.length > APP_ARMOR_PROFILE_MAX) errors.tooLong(here, APP_ARMOR_PROFILE_MAX);
    }
    return;
  }
  if (type === '') {
    errors.required(path.child('type'), 'type is required when appArmorProfile is set');
    return;
  }
  if (!PROFILES.includes(type)) errors.notSupported(path.child('type'), type, PROFILES);
  else if (typeof file === 'string') errors.invalid(here, file, 'can only be set when AppArmor type is Localhost');
}

const GMSA_SPEC_BYTES_MAX = 64 * 1024;
const USER_DOMAIN_MAX = 256;
const USER_NAME_MAX = 104;

function windows(
  options: Value<shapes.CoreV1WindowsSecurityContextOptions> | undefined,
  path: FieldPath<shapes.CoreV1WindowsSecurityContextOptions>,
  errors: FieldErrors,
): void {
  if (options === undefined) return;
  const specName = at(options, 'gmsaCredentialSpecName');
  if (typeof specName === 'string')
    sentences(specName, isDns1123Subdomain, path.child('gmsaCredentialSpecName'), errors);
  const spec = at(options, 'gmsaCredentialSpec');
  if (typeof spec === 'string') {
    if (spec.length === 0)
      errors.invalid(path.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec cannot be an empty string');
    else if (spec.length > GMSA_SPEC_BYTES_MAX)
      errors.invalid(
        path.child('gmsaCredentialSpec'),
        spec,
        `gmsaCredentialSpec size must be under ${GMSA_SPEC_BYTES_MAX / 1024} KiB`,
      );
  }
  const user = at(options, 'runAsUserName');
  if (typeof user === 'string') userName(user, path.child('runAsUserName'), errors);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are invalid in a user name
const CONTROL = /[\u0000-\u001f\u007f]/;
const DOMAIN_NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN_DNS = /^[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*$/;
const USER = /^[^"/\\[\]:;|=,+*?<>]{1,104}$/;

function userName(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') {
    errors.invalid(path, value, 'runAsUserName cannot be an empty string');
    return;
  }
  if (CONTROL.test(value)) {
    errors.invalid(path, value, 'runAsUserName cannot contain control characters');
    return;
  }
  const parts = value.split('\\');
  if (parts.length > 2) {
    errors.invalid(path, value, 'runAsUserName cannot contain more than one backslash');
    return;
  }
  const [domain, user] = parts.length === 2 ? [parts[0]!, parts[1]!] : ['', parts[0]!];
  if (parts.length === 2) {
    if (domain.length >= USER_DOMAIN_MAX)
      errors.invalid(path, value, `runAsUserName's Domain length must be under ${USER_DOMAIN_MAX} characters`);
    if (!DOMAIN_NETBIOS.test(domain) && !DOMAIN_DNS.test(domain))
      errors.invalid(path, value, `runAsUserName's Domain doesn't match the NetBios nor the DNS format`);
  }
  if (user === '') errors.invalid(path, value, "runAsUserName's User cannot be empty");
  else if (user.length > USER_NAME_MAX)
    errors.invalid(path, value, `runAsUserName's User length must not be longer than ${USER_NAME_MAX} characters`);
  else if (!USER.test(user))
    errors.invalid(path, value, 'runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  else if (/^[. ]+$/.test(user))
    errors.invalid(path, value, "runAsUserName's User cannot contain only periods or spaces");
}

export function containerSecurity(
  container: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  errors: FieldErrors,
  maySysAdmin: boolean,
): void {
  const context = at(container, 'securityContext');
  if (context === undefined) return;
  const here = path.child('securityContext');
  id(at(context, 'runAsUser'), isUserId, here.child('runAsUser'), errors);
  id(at(context, 'runAsGroup'), isGroupId, here.child('runAsGroup'), errors);
  const mount = at(context, 'procMount');
  if (typeof mount === 'string') {
    oneOf(mount, here.child('procMount'), ['Default', 'Unmasked'], errors, false);
    if (mount === 'Unmasked' && at(spec, 'hostUsers') !== false)
      errors.invalid(here.child('procMount'), mount, '`hostUsers` must be false to use `Unmasked`');
  }
  seccomp(at(context, 'seccompProfile'), here.child('seccompProfile'), errors);
  if (at(context, 'allowPrivilegeEscalation') === false) {
    if (boolAt(context, 'privileged'))
      errors.invalid(
        here,
        shown('core/v1.SecurityContext', context),
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      );
    if (!maySysAdmin && listAt(context, 'capabilities', 'add').includes('CAP_SYS_ADMIN')) {
      errors.invalid(
        here,
        shown('core/v1.SecurityContext', context),
        'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      );
    }
  }
  windows(at(context, 'windowsOptions'), here.child('windowsOptions'), errors);
  appArmor(at(context, 'appArmorProfile'), here.child('appArmorProfile'), errors);
}

const POD_LINUX_ONLY = ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'] as const;
const POD_CONTEXT_LINUX_ONLY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;
const CONTAINER_CONTEXT_LINUX_ONLY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** Rejects fields that `spec.os` does not support. */
export function operatingSystem(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const os = at(spec, 'os');
  if (os === undefined) return;
  const name = textAt(os, 'name');
  if (name === '') errors.required(path.child('os', 'name'));
  else if (name !== 'linux' && name !== 'windows') errors.notSupported(path.child('os'), name, ['linux', 'windows']);
  const context = at(spec, 'securityContext');
  const contextPath = path.child('securityContext');
  if (name === 'windows') {
    const forbid = (here: FieldPath) => errors.forbidden(here, 'cannot be set for a windows pod');
    for (const f of POD_CONTEXT_LINUX_ONLY)
      if (f === 'sysctls' ? listAt(context, f).length > 0 : isSet(givenAt(context, f))) forbid(contextPath.child(f));
    for (const f of POD_LINUX_ONLY)
      if (f === 'hostUsers' || f === 'shareProcessNamespace' ? at(spec, f) !== undefined : boolAt(spec, f))
        forbid(path.child(f));
    eachContainer(spec, path, (c, here) => {
      for (const f of CONTAINER_CONTEXT_LINUX_ONLY)
        if (isSet(at(c, 'securityContext', f))) forbid(here.child('securityContext', f));
    });
  } else if (name === 'linux') {
    const forbid = (here: FieldPath<shapes.CoreV1WindowsSecurityContextOptions>) =>
      errors.forbidden(here, 'windows options cannot be set for a linux pod');
    if (at(context, 'windowsOptions') !== undefined) forbid(contextPath.child('windowsOptions'));
    eachContainer(spec, path, (c, here) => {
      if (at(c, 'securityContext', 'windowsOptions') !== undefined)
        forbid(here.child('securityContext', 'windowsOptions'));
    });
  }
}

const isSet = (v: JsonValue | undefined): boolean => v !== undefined;

/** Visits the containers in the order in which kube-apiserver does where the type of a container does not matter. */
export function eachContainer(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  f: (
    c: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
    path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  ) => void,
): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [i, c] of objectsAt(spec, list).entries()) f(c, path.child(list).index(i));
  }
}

/** Windows host processes: all containers or none, and only on the host network. */
export function hostProcess(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const podWide = at(spec, 'securityContext', 'windowsOptions', 'hostProcess');
  let having = 0;
  let lacking = 0;
  eachContainer(spec, path, (c, here) => {
    const own = at(c, 'securityContext', 'windowsOptions', 'hostProcess');
    if (typeof podWide === 'boolean' && typeof own === 'boolean' && podWide !== own) {
      errors.invalid(
        here.child('securityContext', 'windowsOptions', 'hostProcess'),
        own,
        `pod hostProcess value must be identical if both are specified, was ${podWide}`,
      );
    }
    if (own === true || (podWide === true && own !== false)) having++;
    else lacking++;
  });
  if (having === 0) return;
  if (lacking > 0)
    errors.invalid(
      path,
      '',
      'If pod contains any hostProcess containers then all containers must be HostProcess containers',
    );
  if (!boolAt(spec, 'hostNetwork'))
    errors.invalid(
      path.child('hostNetwork'),
      false,
      'hostNetwork must be true if pod contains any hostProcess containers',
    );
}
