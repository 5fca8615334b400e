import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../api/index.js';
import { Bench, causesOf } from '../../../../testing.js';

/** Errors of pods in the order of kube-apiserver 1.37.2. Templates show them all: admission refuses some pods before their validation. */

const WRONG = '-';

async function wrongFields(spec: JsonObject): Promise<readonly string[]> {
  const b = await Bench.open();
  const template = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'a' }, template: { spec } };
  const found = await causesOf(b.create('podtemplates', 'default', template));
  return found.map((cause) => cause.split(': ', 1)[0]!.replace('template.spec.', ''));
}

it('fields of a pod', async () => {
  const spec = {
    volumes: [{ name: 'v', hostPath: {} }],
    containers: [
      {
        name: 'c',
        image: 'i',
        ports: [{ containerPort: 1, hostPort: 2 }],
        env: [{ name: 'e', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }],
      },
    ],
    initContainers: [
      {
        name: WRONG,
        image: 'i',
        env: [{ name: 'e', valueFrom: { fileKeyRef: { volumeName: 'w', path: 'p', key: 'k' } } }],
      },
    ],
    resources: { limits: { x: '1' } },
    restartPolicy: 'x',
    dnsPolicy: 'x',
    dnsConfig: { nameservers: ['x'] },
    nodeSelector: { [WRONG]: 'a' },
    securityContext: {
      fsGroupChangePolicy: 'x',
      supplementalGroupsPolicy: 'x',
      seLinuxChangePolicy: 'x',
      seccompProfile: { type: 'x' },
      appArmorProfile: { type: 'x', localhostProfile: 'p' },
      windowsOptions: { runAsUserName: '' },
    },
    shareProcessNamespace: true,
    hostPID: true,
    hostNetwork: true,
    hostUsers: false,
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    readinessGates: [{ conditionType: WRONG }],
    schedulingGates: [{ name: WRONG }],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'x' }],
    serviceAccountName: WRONG,
    nodeName: WRONG,
    activeDeadlineSeconds: -1,
    hostname: WRONG,
    subdomain: WRONG,
    hostnameOverride: WRONG,
    hostAliases: [{ ip: 'x' }],
    tolerations: [{ key: WRONG, operator: 'Exists' }],
    priorityClassName: WRONG,
    overhead: { x: '1' },
    os: { name: 'x' },
  };
  expect(await wrongFields(spec)).toEqual([
    'volumes[0].hostPath.path',
    'initContainers[0].name',
    'resources.limits[x]',
    'containers[0].ports[0].hostPort',
    'restartPolicy',
    'dnsPolicy',
    'nodeSelector',
    'securityContext.fsGroupChangePolicy',
    'securityContext.seccompProfile.type',
    'securityContext.windowsOptions.runAsUserName',
    'securityContext.appArmorProfile.type',
    'securityContext.supplementalGroupsPolicy',
    'securityContext.seLinuxChangePolicy',
    'shareProcessNamespace',
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
    'dnsConfig.nameservers[0]',
    'readinessGates[0].conditionType',
    'schedulingGates[0]',
    'topologySpreadConstraints[0].whenUnsatisfiable',
    'hostNetwork',
    'HostPID',
    'hostnameOverride',
    'hostnameOverride',
    'serviceAccountName',
    'nodeName',
    'activeDeadlineSeconds',
    'hostname',
    'subdomain',
    'tolerations[0].key',
    'hostAliases[0].ip',
    'priorityClassName',
    'overhead.limits[x]',
    'overhead.limits[x]',
    'os',
    'initContainers[0].env[0].valueFrom.fileKeyRef.volumeName',
    'containers[0].env[0].valueFrom.fileKeyRef.volumeName',
  ]);
});

it('the security context of a container', async () => {
  const securityContext = {
    procMount: 'x',
    seccompProfile: { type: 'x' },
    appArmorProfile: { type: 'x', localhostProfile: 'p' },
    allowPrivilegeEscalation: false,
    privileged: true,
    windowsOptions: { runAsUserName: '' },
  };
  expect(await wrongFields({ containers: [{ name: 'c', image: 'i', securityContext }] })).toEqual([
    'containers[0].securityContext.procMount',
    'containers[0].securityContext.seccompProfile.type',
    'containers[0].securityContext',
    'containers[0].securityContext.windowsOptions.runAsUserName',
    'containers[0].securityContext.appArmorProfile.type',
  ]);
});

it('fields that an ephemeral container does not have', async () => {
  const debug = {
    name: 'd',
    image: 'i',
    lifecycle: {},
    livenessProbe: {},
    ports: [{ containerPort: 1 }],
    readinessProbe: {},
    resizePolicy: [],
    resources: { limits: { cpu: '1' } },
    restartPolicy: 'Always',
    startupProbe: {},
    volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 's' }],
  };
  const volumes = [{ name: 'v', emptyDir: {} }];
  const containers = [{ name: 'c', image: 'i' }];
  expect(await wrongFields({ volumes, containers, ephemeralContainers: [debug] })).toEqual([
    'ephemeralContainers[0].ports',
    'ephemeralContainers[0].resources',
    'ephemeralContainers[0].resizePolicy',
    'ephemeralContainers[0].restartPolicy',
    'ephemeralContainers[0].livenessProbe',
    'ephemeralContainers[0].readinessProbe',
    'ephemeralContainers[0].startupProbe',
    'ephemeralContainers[0].lifecycle',
    'ephemeralContainers[0].volumeMounts[0].subPath',
    'ephemeralContainers',
  ]);
});

it('fields that a pod of Windows does not have', async () => {
  const spec = {
    os: { name: 'windows' },
    containers: [{ name: 'c', image: 'i' }],
    resources: {},
    hostPID: true,
    hostIPC: true,
    hostUsers: true,
    shareProcessNamespace: false,
    securityContext: { runAsUser: 1 },
  };
  expect(await wrongFields(spec)).toEqual([
    'resources',
    'securityContext.runAsUser',
    'hostUsers',
    'hostPID',
    'hostIPC',
    'shareProcessNamespace',
  ]);
});

it('the name of the claim of an ephemeral volume, if that is the source', async () => {
  const b = await Bench.open();
  const ephemeral = {
    volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } },
  };
  const volumes = [
    { name: 'first', hostPath: { path: '/p' }, ephemeral },
    { name: 'other', ephemeral, image: { reference: 'i' } },
  ];
  const metadata = { name: 'a'.repeat(250) };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c', image: 'i' }], volumes } };
  const found = await causesOf(b.create('pods', 'default', pod));
  expect(found.map((cause) => cause.split(': ', 1)[0])).toEqual([
    'spec.volumes[0].ephemeral',
    'spec.volumes[1].name',
    'spec.volumes[1].image',
  ]);
});

it.each([
  ['appArmorProfile', 'x', 'p', ['securityContext.appArmorProfile.type']],
  ['appArmorProfile', 'RuntimeDefault', 'p', ['securityContext.appArmorProfile.localhostProfile']],
  ['seccompProfile', 'Localhost', '', []],
  [
    'seccompProfile',
    'x',
    'p',
    ['securityContext.seccompProfile.type', 'securityContext.seccompProfile.localhostProfile'],
  ],
])('the %s of type %j with the file %j', async (profile, type, localhostProfile, wrong) => {
  const securityContext = { [profile]: { type, localhostProfile } };
  expect(await wrongFields({ containers: [{ name: 'c', image: 'i' }], securityContext })).toEqual(wrong);
});

it('rules that templates do not have come last', async () => {
  const b = await Bench.open();
  const sources = [{ serviceAccountToken: { path: 'p' } }];
  const pod = (image: string, nodeName: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { nodeName, containers: [{ name: 'c', image }], volumes: [{ name: 'v', projected: { sources } }] },
  });
  const found = await causesOf(b.create('pods', 'default', pod(' i', WRONG)));
  expect(found.map((cause) => cause.split(': ', 1)[0])).toEqual([
    'spec.nodeName',
    'spec.volumes[0].projected.sources[0].serviceAccountToken',
    'spec.containers[0].image',
  ]);
});
