import { at, type JsonObject, listAt, numberAt, objectsAt, textAt } from '../api/index.js';
import {
  badContainers,
  type Check,
  type CheckedPod,
  type CheckVersion,
  containersOf,
  contextOf,
  named,
  nameOf,
  plural,
  quoted,
  setters,
  sorted,
} from './podsecuritycheck.js';
import { appArmor, SELINUX_TYPES, seccomp, seccompAnnotations, seLinux } from './podsecurityprofiles.js';

/** The checks of the Pod Security Standards, with the texts of kube-apiserver. */

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** The containers that add capabilities which are not allowed, and those capabilities. */
function addedCapabilities(
  pod: CheckedPod,
  allowed: (capability: string) => boolean,
): [readonly string[], Set<string>] {
  const found = new Set<string>();
  const containers = badContainers(pod, (context) => {
    const bad = listAt(context, 'capabilities', 'add')
      .map(String)
      .filter((c) => !allowed(c));
    for (const c of bad) found.add(c);
    return bad.length > 0;
  });
  return [containers, found];
}

const capabilitiesBaseline: Check = (pod) => {
  const [containers, found] = addedCapabilities(pod, (c) => DEFAULT_CAPABILITIES.has(c));
  if (containers.length === 0) return undefined;
  return {
    reason: 'non-default capabilities',
    detail: `${named(containers)} must not include ${quoted(sorted(found))} in securityContext.capabilities.add`,
  };
};

const capabilitiesRestricted: Check = (pod) => {
  const keeping = badContainers(pod, (context) => !listAt(context, 'capabilities', 'drop').includes('ALL'));
  const [adding, found] = addedCapabilities(pod, (c) => c === 'NET_BIND_SERVICE');
  const details: string[] = [];
  if (keeping.length > 0) details.push(`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  if (adding.length > 0)
    details.push(`${named(adding)} must not include ${quoted(sorted(found))} in securityContext.capabilities.add`);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const hostNamespaces: Check = ({ spec }) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((f) => at(spec, f) === true);
  return used.length === 0 ? undefined : { reason: 'host namespaces', detail: used.map((f) => `${f}=true`).join(', ') };
};

const hostPathVolumes: Check = ({ spec }) => {
  const names = objectsAt(spec, 'volumes')
    .filter((v) => at(v, 'hostPath') !== undefined)
    .map(nameOf);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` };
};

const hostPorts: Check = (pod) => {
  const ports = new Set<string>();
  const containers = badContainers(pod, (_context, c) => {
    const used = objectsAt(c, 'ports')
      .map((p) => numberAt(p, 'hostPort'))
      .filter((p) => p !== 0);
    for (const p of used) ports.add(String(p));
    return used.length > 0;
  });
  if (containers.length === 0) return undefined;
  const uses = containers.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${named(containers)} ${uses} ${plural('hostPort', ports.size)} ${sorted(ports).join(', ')}`,
  };
};

const HANDLERS = [
  ['livenessProbe'],
  ['readinessProbe'],
  ['startupProbe'],
  ['lifecycle', 'postStart'],
  ['lifecycle', 'preStop'],
] as const;

const hostProbes: Check = (pod) => {
  const hosts = new Set<string>();
  const containers = new Set<string>();
  for (const c of containersOf(pod))
    for (const path of HANDLERS)
      for (const action of ['httpGet', 'tcpSocket']) {
        const host = textAt(c, ...path, action, 'host');
        if (host === '') continue;
        hosts.add(host);
        containers.add(nameOf(c));
      }
  if (containers.size === 0) return undefined;
  const uses = containers.size === 1 ? 'uses' : 'use';
  const what = plural('probe or lifecycle host', hosts.size);
  return {
    reason: 'probe or lifecycle host',
    detail: `${named(sorted(containers))} ${uses} ${what} ${quoted(sorted(hosts))}`,
  };
};

const privileged: Check = (pod) => {
  const containers = badContainers(pod, (context) => at(context, 'privileged') === true);
  if (containers.length === 0) return undefined;
  return { reason: 'privileged', detail: `${named(containers)} must not set securityContext.privileged=true` };
};

const procMount: Check = (pod) => {
  const types = new Set<string>();
  const containers = badContainers(pod, (context) => {
    const type = at(context, 'procMount');
    if (type === undefined || type === 'Default') return false;
    types.add(String(type));
    return true;
  });
  if (containers.length === 0) return undefined;
  return {
    reason: 'procMount',
    detail: `${named(containers)} must not set securityContext.procMount to ${quoted(sorted(types))}`,
  };
};

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const RESTRICTED_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const restrictedVolumes: Check = ({ spec }) => {
  const bad = objectsAt(spec, 'volumes').filter((v) => !ALLOWED_VOLUMES.some((type) => at(v, type) !== undefined));
  if (bad.length === 0) return undefined;
  const types = new Set(bad.map((v) => RESTRICTED_VOLUMES.find((type) => at(v, type) !== undefined) ?? 'unknown'));
  const uses = bad.length === 1 ? 'uses' : 'use';
  const what = plural('restricted volume type', types.size);
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', bad.length)} ${quoted(bad.map(nameOf))} ${uses} ${what} ${quoted(sorted(types))}`,
  };
};

const runAsNonRoot: Check = (pod) => {
  const ofPod = at(contextOf(pod.spec), 'runAsNonRoot');
  const reason = 'runAsNonRoot != true';
  const explicit = badContainers(pod, (context) => at(context, 'runAsNonRoot') === false);
  if (ofPod === false || explicit.length > 0)
    return { reason, detail: `${setters(ofPod === false, explicit)} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const implicit = badContainers(pod, (context) => at(context, 'runAsNonRoot') === undefined);
  if (implicit.length === 0) return undefined;
  return { reason, detail: `pod or ${named(implicit)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: Check = (pod) => {
  const isRoot = (context: JsonObject): boolean => {
    const user = at(context, 'runAsUser');
    return user !== undefined && Number(user) === 0;
  };
  const ofPod = isRoot(contextOf(pod.spec));
  const containers = badContainers(pod, isRoot);
  if (!ofPod && containers.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters(ofPod, containers)} must not set runAsUser=0` };
};

const SYSCTLS: Readonly<Record<number, readonly string[]>> = {
  0: [
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net.ipv4.tcp_syncookies',
    'net.ipv4.ping_group_range',
    'net.ipv4.ip_unprivileged_port_start',
  ],
  27: ['net.ipv4.ip_local_reserved_ports'],
  29: [
    'net.ipv4.tcp_keepalive_time',
    'net.ipv4.tcp_fin_timeout',
    'net.ipv4.tcp_keepalive_intvl',
    'net.ipv4.tcp_keepalive_probes',
  ],
  32: ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
  37: ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat'],
};

function sysctls(since: number): CheckVersion {
  const allowed = new Set(Object.entries(SYSCTLS).flatMap(([minor, names]) => (Number(minor) <= since ? names : [])));
  return {
    since,
    check: ({ spec }) => {
      const bad = objectsAt(spec, 'securityContext', 'sysctls')
        .map(nameOf)
        .filter((name) => !allowed.has(name));
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
    },
  };
}

const windowsHostProcess: Check = (pod) => {
  const bad = (context: JsonObject): boolean => at(context, 'windowsOptions', 'hostProcess') === true;
  const ofPod = bad(contextOf(pod.spec));
  const containers = badContainers(pod, bad);
  if (!ofPod && containers.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters(ofPod, containers)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const privilegeEscalation: Check = (pod) => {
  const containers = badContainers(pod, (context) => at(context, 'allowPrivilegeEscalation') !== false);
  if (containers.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${named(containers)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

/** Skips pods with `spec.os.name: windows`. */
const notOnWindows =
  (check: Check): Check =>
  (pod) =>
    textAt(pod.spec, 'os', 'name') === 'windows' ? undefined : check(pod);

/** Skips pods in a user namespace. */
const notInUserNamespace =
  (check: Check): Check =>
  (pod) =>
    at(pod.spec, 'hostUsers') === false ? undefined : check(pod);

/** By id. The ids order the violations in a message, baseline first. */
const BASELINE: Readonly<Record<string, readonly CheckVersion[]>> = {
  appArmorProfile: [{ since: 0, check: appArmor }],
  capabilities_baseline: [{ since: 0, check: capabilitiesBaseline }],
  hostNamespaces: [{ since: 0, check: hostNamespaces }],
  hostPathVolumes: [{ since: 0, check: hostPathVolumes }],
  hostPorts: [{ since: 0, check: hostPorts }],
  hostProbesAndHostLifecycle: [{ since: 34, check: hostProbes }],
  privileged: [{ since: 0, check: privileged }],
  procMount: [
    { since: 0, check: procMount },
    { since: 35, check: notInUserNamespace(procMount) },
  ],
  seLinuxOptions: [
    { since: 0, check: seLinux(SELINUX_TYPES) },
    { since: 31, check: seLinux([...SELINUX_TYPES, 'container_engine_t']) },
  ],
  seccompProfile_baseline: [
    { since: 0, check: seccompAnnotations },
    { since: 19, check: seccomp(false) },
  ],
  sysctls: [0, 27, 29, 32, 37].map(sysctls),
  windowsHostProcess: [{ since: 0, check: windowsHostProcess }],
};

const RESTRICTED: Readonly<Record<string, readonly CheckVersion[]>> = {
  allowPrivilegeEscalation: [
    { since: 8, check: privilegeEscalation },
    { since: 25, check: notOnWindows(privilegeEscalation) },
  ],
  capabilities_restricted: [
    { since: 22, check: capabilitiesRestricted, overrides: ['capabilities_baseline'] },
    { since: 25, check: notOnWindows(capabilitiesRestricted), overrides: ['capabilities_baseline'] },
  ],
  procMount_restricted: [{ since: 35, check: procMount, overrides: ['procMount'] }],
  restrictedVolumes: [{ since: 0, check: restrictedVolumes, overrides: ['hostPathVolumes'] }],
  runAsNonRoot: [
    { since: 0, check: runAsNonRoot },
    { since: 35, check: notInUserNamespace(runAsNonRoot) },
  ],
  runAsUser: [
    { since: 23, check: runAsUser },
    { since: 35, check: notInUserNamespace(runAsUser) },
  ],
  seccompProfile_restricted: [
    { since: 19, check: seccomp(true), overrides: ['seccompProfile_baseline'] },
    { since: 25, check: notOnWindows(seccomp(true)), overrides: ['seccompProfile_baseline'] },
  ],
};

/** The last version that changed a check. Later versions have the same checks. */
const LATEST_MINOR = 37;

const known = new Map<string, readonly Check[]>();

/** The checks of a level at a minor version, in the order of their violations. */
export function checksOf(level: 'baseline' | 'restricted', minor: number): readonly Check[] {
  const version = Math.min(minor, LATEST_MINOR);
  const key = `${level} ${version}`;
  let checks = known.get(key);
  if (checks === undefined) {
    checks = select(level, version);
    known.set(key, checks);
  }
  return checks;
}

function select(level: 'baseline' | 'restricted', minor: number): readonly Check[] {
  const current = (versions: readonly CheckVersion[]): CheckVersion | undefined =>
    versions.findLast((v) => v.since <= minor);
  const restricted = level === 'restricted' ? Object.values(RESTRICTED).flatMap((v) => current(v) ?? []) : [];
  const overridden = new Set(restricted.flatMap((v) => v.overrides ?? []));
  const baseline = Object.entries(BASELINE).flatMap(([id, v]) => (overridden.has(id) ? [] : (current(v) ?? [])));
  return [...baseline, ...restricted].map((v) => v.check);
}
