import { describe, expect, it } from 'vitest';
import { type JsonObject, objectsAt } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Errors of invalid objects, each reported once and in the order of kube-apiserver 1.37.2. */

const object = (apiVersion: string, kind: string, spec: JsonObject, labels: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', labels },
  spec,
});

async function causes(plural: string, o: JsonObject, namespace = 'default'): Promise<readonly string[]> {
  const b = await Bench.open();
  return causesOf(b.create(plural, namespace, o));
}

/** `field: message` up to the explanation of a format. */
const short = (all: readonly string[]): readonly string[] =>
  all.map((cause) => cause.replace(/: (a lowercase|name part|a valid) .*/s, ''));

it('a service reports addresses and the external name before its ports', async () => {
  const spec = {
    type: 'ExternalName',
    externalName: '-x',
    clusterIP: '10.0.0.9',
    ipFamilies: ['IPv4'],
    selector: { 'a b': 'c' },
    sessionAffinity: 'x',
    ports: [{ port: 0 }],
  };
  expect(short(await causes('services', object('v1', 'Service', spec)))).toEqual([
    'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
    'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
    'spec.externalName: Invalid value: "-x"',
    'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.selector: Invalid value: "a b"',
    'spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"',
  ]);
});

it.each(['LoadBalancer', 'NodePort'])('a headless service of type %s reports its other errors, too', async (type) => {
  const spec = { type, clusterIP: 'None', sessionAffinity: 'x', ports: [{ port: 0 }] };
  expect(await causes('services', object('v1', 'Service', spec))).toEqual([
    `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for ${type} services`,
    'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"',
  ]);
});

it('a certificate signing request reports unknown usages before repeated ones', async () => {
  const usages = ['client auth', 'client auth', 'x', 'x'];
  const request = Buffer.from('none').toString('base64');
  const told = await causes(
    'certificatesigningrequests.certificates.k8s.io',
    object('certificates.k8s.io/v1', 'CertificateSigningRequest', { request, signerName: 'example.com/a', usages }),
    '',
  );
  expect(told.filter((t) => t.startsWith('spec.usages')).map((t) => t.split(':', 2).join(':'))).toEqual([
    'spec.usages[2]: Unsupported value',
    'spec.usages[3]: Unsupported value',
    'spec.usages[1]: Duplicate value',
    'spec.usages[3]: Duplicate value',
  ]);
});

describe('label keys of a pod affinity term', () => {
  const LABELS = { c: '1', d: '2', e: '3' };
  const PATH = 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';
  const term = async (fields: JsonObject, labels: JsonObject = LABELS): Promise<readonly string[]> => {
    const affinity = {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', ...fields }] },
    };
    const spec = { containers: [{ name: 'a', image: 'i' }], affinity };
    return short(await causes('pods', object('v1', 'Pod', spec, labels)));
  };
  const exists = (key: string): JsonObject => ({ matchExpressions: [{ key, operator: 'Exists' }] });

  it('that must not match may be in the selector', async () => {
    expect(await term({ labelSelector: exists('e'), mismatchLabelKeys: ['e'] })).toEqual([]);
  });

  it('are compared after the syntax of both lists', async () => {
    const fields = {
      labelSelector: exists('q'),
      matchLabelKeys: ['x y', 'b'],
      mismatchLabelKeys: ['b', 'c d'],
    };
    expect(await term(fields, {})).toEqual([
      `${PATH}.matchLabelKeys[0]: Invalid value: "x y"`,
      `${PATH}.mismatchLabelKeys[1]: Invalid value: "c d"`,
      `${PATH}.matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and mismatchLabelKeys`,
    ]);
  });

  it('that are repeated are reported once each, at their last place, in the order of the selector', async () => {
    const both = 'exists in both matchLabelKeys and labelSelector';
    expect(await term({ labelSelector: exists('q'), matchLabelKeys: ['c', 'd', 'c', 'c'] })).toEqual([
      `${PATH}[3]: Invalid value: "c": ${both}`,
    ]);
    const expressions = ['y', 'z', 'y', 'z'].map((key) => ({ key, operator: 'Exists' }));
    const fields = { labelSelector: { matchExpressions: expressions }, matchLabelKeys: ['z', 'y', 'b c'] };
    expect(await term(fields)).toEqual([
      `${PATH}.matchLabelKeys[2]: Invalid value: "b c"`,
      `${PATH}[1]: Invalid value: "y": ${both}`,
      `${PATH}[0]: Invalid value: "z": ${both}`,
    ]);
  });
});

it('repeated label keys of a topology spread constraint are reported once, at their last place', async () => {
  const constraint = {
    maxSkew: 1,
    topologyKey: 'z',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { q: '1' } },
    matchLabelKeys: ['a', 'b', 'a'],
  };
  const spec = { containers: [{ name: 'a', image: 'i' }], topologySpreadConstraints: [constraint] };
  expect(await causes('pods', object('v1', 'Pod', spec, { a: '1', b: '2' }))).toEqual([
    'spec.topologySpreadConstraints[0][2]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
  ]);
});

it.each([
  ['a.io/b.', 'Invalid value: "b.": validating label ""'],
  ['a.io/a.b.C', 'Invalid value: "a.b.C": validating label "C"'],
  ['A.io/b', 'Invalid value: "A.io": validating label "A"'],
])('the signer name %s names its first wrong label', async (signerName, message) => {
  const spec = { request: 'eA==', signerName, usages: ['client auth'] };
  const found = await causes(
    'certificatesigningrequests.certificates.k8s.io',
    object('certificates.k8s.io/v1', 'CertificateSigningRequest', spec),
    '',
  );
  expect(short(found)).toContain(`spec.signerName: ${message}`);
});

describe('names of device attributes', () => {
  it.each([
    ['/x', ['prefix']],
    ['x/', ['name']],
    ['/', ['prefix', 'name']],
  ])('a constraint on %s reports each empty part once', async (matchAttribute, parts) => {
    const spec = {
      devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }], constraints: [{ matchAttribute }] },
    };
    const found = await causes('resourceclaims.resource.k8s.io', object('resource.k8s.io/v1', 'ResourceClaim', spec));
    expect(found).toEqual(
      parts.map((part) => `spec.devices.constraints[0].matchAttribute: Invalid value: "": ${part} must not be empty`),
    );
  });

  const slice = (device: JsonObject): Promise<readonly string[]> =>
    causes(
      'resourceslices.resource.k8s.io',
      object('resource.k8s.io/v1', 'ResourceSlice', {
        driver: 'a.b',
        nodeName: 'n',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'd', ...device }],
      }),
      '',
    );

  it('a slice refuses an empty domain as an invalid value', async () => {
    expect(await slice({ attributes: { '/x': { string: 'v' } } })).toEqual([
      'spec.devices[0].attributes: Invalid value: "": the domain must not be empty',
    ]);
  });

  it('a slice reports repeated amounts that are not neighbours', async () => {
    const requestPolicy = { default: '1', validValues: ['1', '2', '1'] };
    const place = 'spec.devices[0].capacity[c].requestPolicy.validValues[2]';
    expect(await slice({ allowMultipleAllocations: true, capacity: { c: { value: '8', requestPolicy } } })).toEqual([
      `${place}: Invalid value: "1": values must be sorted in ascending order`,
      `${place}: Duplicate value: "1"`,
    ]);
  });
});

it('the time of a device taint belongs to the manager whose write set it', async () => {
  const b = await Bench.open();
  const rule = object('resource.k8s.io/v1', 'DeviceTaintRule', {
    deviceSelector: { driver: 'd.io' },
    taint: { key: 'a.io/k', effect: 'NoExecute' },
  });
  const kind = 'devicetaintrules.resource.k8s.io/v1';
  const owners = (o: JsonObject): readonly string[] =>
    objectsAt(o, 'metadata', 'managedFields')
      .filter((entry) => JSON.stringify(entry['fieldsV1']).includes('f:timeAdded'))
      .map((entry) => String(entry['manager']));
  expect(owners(await b.create(kind, '', rule))).toEqual(['test']);
  b.world.advance(60_000);
  const patched = await b.patch(kind, ['', 'a'], { spec: { taint: { timeAdded: null } } }, 'merge', {
    fieldManager: 'other',
  });
  expect(owners(patched)).toEqual(['other']);
});

it('a priority level without type reports the parts that no type has before the type', async () => {
  const spec = { exempt: {}, limited: { limitResponse: { queuing: {} } } };
  const what = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/v1';
  const found = await causes(what, object('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', spec), '');
  expect(found.map((f) => f.split(':')[0])).toEqual([
    'spec.exempt',
    'spec.limited',
    'spec.type',
    'spec.limited.limitResponse.queuing',
    'spec.limited.limitResponse.type',
  ]);
});

it('a mutating policy reports its mutations before the reinvocation policy', async () => {
  const what = 'mutatingadmissionpolicies.admissionregistration.k8s.io/v1';
  const found = await causes(what, object('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicy', {}), '');
  expect(found.slice(-2)).toEqual([
    'spec.mutations: Required value: mutations must contain at least one item',
    'spec.reinvocationPolicy: Required value',
  ]);
});

describe('a resource slice', () => {
  const what = 'resourceslices.resource.k8s.io/v1';
  const slice = (spec: JsonObject): JsonObject =>
    object('resource.k8s.io/v1', 'ResourceSlice', {
      driver: 'a.b',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: [],
      ...spec,
    });

  it('reports repeated devices after their other errors', async () => {
    const devices = [{ name: 'a' }, { name: 'a' }, { name: 'a b' }];
    expect(short(await causes(what, slice({ devices }), ''))).toEqual([
      'spec.devices[2].name: Invalid value: "a b"',
      'spec.devices[1]: Duplicate value: "a"',
    ]);
  });

  it('does not look into too many uses of counters', async () => {
    const devices = [{ name: 'a', consumesCounters: Array.from({ length: 3 }, () => ({ counterSet: 'a b' })) }];
    expect(await causes(what, slice({ devices }), '')).toEqual([
      'spec.devices[0].consumesCounters: Too many: 3: must have at most 2 items',
    ]);
  });

  it('reports fields that do not change before its nodes and devices', async () => {
    const b = await Bench.open();
    await b.create(what, '', slice({}));
    const pool = { name: 'q', generation: 1, resourceSliceCount: 0 };
    const changed = slice({ driver: 'c.d', pool, nodeName: 'm', allNodes: false, devices: [{ name: 'a b' }] });
    expect(short(await causesOf(b.update(what, '', changed)))).toEqual([
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.name: Invalid value: "q": field is immutable',
      'spec.driver: Invalid value: "c.d": field is immutable',
      'spec.nodeName: Invalid value: "m": field is immutable',
      'spec.allNodes: Invalid value: false: must be either unset or set to true',
      'spec.devices[0].name: Invalid value: "a b"',
    ]);
  });
});

it('a pod on the host network reports ports that differ after all containers, and the AppArmor profile after Windows', async () => {
  const spec = {
    hostNetwork: true,
    restartPolicy: 'odd',
    securityContext: { appArmorProfile: { type: 'Localhost' }, windowsOptions: { gmsaCredentialSpecName: '' } },
    initContainers: [{ name: 'i', image: '' }],
    containers: [
      {
        name: 'c',
        image: 'i',
        ports: [
          { containerPort: 81, hostPort: 81 },
          { containerPort: 90, hostPort: 81 },
        ],
      },
    ],
  };
  expect((await causes('pods', object('v1', 'Pod', spec))).map((c) => c.split(': ', 2).join(': '))).toEqual([
    'spec.containers[0].ports[1].hostPort: Duplicate value',
    'spec.initContainers[0].image: Required value',
    'spec.containers[0].ports[1].hostPort: Invalid value',
    'spec.restartPolicy: Unsupported value',
    'spec.securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value',
    'spec.securityContext.appArmorProfile.localhostProfile: Required value',
  ]);
});

it.each([
  ['::ffff:127.0.0.1', 'an IPv4-mapped IPv6 address', 'in the loopback range (127.0.0.0/8, ::1/128)'],
  ['::ffff:0.0.0.0', 'an IPv4-mapped IPv6 address', 'unspecified (::ffff:0.0.0.0)'],
  ['::ffff:169.254.0.1', 'an IPv4-mapped IPv6 address', 'in the link-local range (169.254.0.0/16, fe80::/10)'],
])('an endpoint at %s is judged by its form and by the IPv4 address in it', async (ip, form, range) => {
  const subsets = [{ addresses: [{ ip }], ports: [{ port: 80 }] }];
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'a' }, subsets };
  const wrong = `subsets[0].addresses[0].ip: Invalid value: "${ip}":`;
  expect(await causes('endpoints', endpoints)).toEqual([
    `${wrong} must not be ${form}`,
    `${wrong} may not be ${range}`,
  ]);
});

it.each([
  [16, 15, []],
  [16, 16, ['required entropy bits of deckSize 16 and handSize 16 should not be greater than 60']],
])('a priority level with %i queues and hands of %i', async (queues, handSize, wrong) => {
  const limitResponse = { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 1 } };
  const what = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/v1';
  const spec = { type: 'Limited', limited: { limitResponse } };
  const level = object('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', spec);
  const b = await Bench.open();
  const found = await b.create(what, '', level).then(
    () => [],
    () => causesOf(b.create(what, '', level)),
  );
  expect(found.map((f) => f.split(': ').at(-1))).toEqual(wrong);
});

const job = (spec: JsonObject): JsonObject =>
  object('batch/v1', 'Job', {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  });

it('a job reports what its completion mode forbids after its other numbers and its manager', async () => {
  const told = await causes('jobs.batch', job({ backoffLimitPerIndex: -1, maxFailedIndexes: -1, managedBy: 'x' }));
  expect(short(told)).toEqual([
    'spec.backoffLimitPerIndex: Invalid value: -1: must be greater than or equal to 0',
    'spec.maxFailedIndexes: Invalid value: -1: must be greater than or equal to 0',
    'spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
    'spec.backoffLimitPerIndex: Invalid value: -1: requires indexed completion mode',
    'spec.maxFailedIndexes: Invalid value: -1: requires indexed completion mode',
  ]);
});

it('a limit range has one default for limits and requests of a resource that cannot be overcommitted', async () => {
  const limits = (name: string) => [
    { type: 'Container', default: { [name]: '1' }, defaultRequest: { [name]: '500m' } },
  ];
  const told = (name: string) => causes('limitranges', object('v1', 'LimitRange', { limits: limits(name) }));
  for (const name of ['example.com/x', 'hugepages-2Mi'])
    expect(await told(name)).toEqual([
      `spec.limits[0].defaultRequest[${name}]: Invalid value: "500m": default value 1 must equal to defaultRequest value 500m in ${name}`,
    ]);
  const b = await Bench.open();
  await b.create('limitranges', 'default', object('v1', 'LimitRange', { limits: limits('cpu') }));
});

const LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

it('a pod reports the secret of a driver, the initiator and the portal of its volumes', async () => {
  const iscsi = { targetPortal: 'x'.repeat(64), iqn: 'iqn.2001-04.com.a:b', lun: 1, initiatorName: '-a' };
  const volumes = [
    { name: 'v', iscsi },
    { name: 'w', csi: { driver: 'a', nodePublishSecretRef: { name: ' x' } } },
  ];
  const told = await causes('pods', object('v1', 'Pod', { volumes, containers: [{ name: 'c', image: 'i' }] }));
  expect(short(told)).toEqual([
    'spec.volumes[0].iscsi.initiatorname: Invalid value: "-a": must be valid format starting with iqn, eui, or naa',
    `spec.volumes[0].name: Invalid value: "v": ${LONG}`,
    'spec.volumes[1].csi.name: Invalid value: " x"',
  ]);
});

it('a persistent volume reports its portal, its target, its secret and its initiator', async () => {
  const iscsi = { targetPortal: 'x'.repeat(64), iqn: '/x', lun: -1, initiatorName: '-a', secretRef: {} };
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], iscsi };
  expect(await causes('persistentvolumes', object('v1', 'PersistentVolume', spec), '')).toEqual([
    `spec.iscsi.targetportal: Invalid value: "${'x'.repeat(64)}": ${LONG}`,
    'spec.iscsi.iqn: Invalid value: "/x": must be valid format',
    'spec.iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive',
    'spec.iscsi.secretRef.name: Required value',
    'spec.iscsi.initiatorname: Invalid value: "-a": must be valid format',
  ]);
});

it('keys of labels that a term matches are checked only beside a selector', async () => {
  const term = (selector: JsonObject) => ({ topologyKey: 'a', matchLabelKeys: ['a b'], ...selector });
  const told = (selector: JsonObject) =>
    causes(
      'pods',
      object('v1', 'Pod', {
        containers: [{ name: 'c', image: 'i' }],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(selector)] } },
      }),
    );
  const path = 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys';
  expect(await told({})).toEqual([`${path}: Forbidden: must not be specified when labelSelector is not set`]);
  expect(short(await told({ labelSelector: {} }))).toEqual([`${path}[0]: Invalid value: "a b"`]);
});

it('a flow schema reports its generateName on update, too', async () => {
  const b = await Bench.open();
  const schema = object('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', {
    priorityLevelConfiguration: { name: 'x' },
  });
  const made = await b.create('flowschemas.flowcontrol.apiserver.k8s.io', '', schema);
  const changed = { ...made, metadata: { ...(made['metadata'] as JsonObject), generateName: 'Not Valid' } };
  const told = await causesOf(b.update('flowschemas.flowcontrol.apiserver.k8s.io', '', changed));
  expect(short(told)).toEqual(['metadata.generateName: Invalid value: "Not Valid"']);
});

it('a lease candidate reports its emulated version before its own', async () => {
  const b = await Bench.open([['coordination.k8s.io/v1beta1', true]]);
  const spec = { leaseName: 'l', binaryVersion: 'a', emulationVersion: 'b', strategy: 'example.com/s' };
  const candidate = object('coordination.k8s.io/v1beta1', 'LeaseCandidate', spec);
  expect(await causesOf(b.create('leasecandidates.coordination.k8s.io/v1beta1', 'default', candidate))).toEqual([
    'spec.emulationVersion: Invalid value: "b": must be a valid semantic version',
    'spec.binaryVersion: Invalid value: "a": must be a valid semantic version',
  ]);
});

it('an attribute of a device reports a version that is none before its length', async () => {
  const version = 'x'.repeat(65);
  const slice = object('resource.k8s.io/v1', 'ResourceSlice', {
    driver: 'a.b',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    allNodes: true,
    devices: [{ name: 'd', attributes: { a: { version } } }],
  });
  const field = 'spec.devices[0].attributes[a].version';
  expect(await causes('resourceslices.resource.k8s.io/v1', slice, '')).toEqual([
    `${field}: Invalid value: "${version}": must be a string compatible with semver.org spec 2.0.0`,
    `${field}: Too long: may not be more than 64 bytes`,
  ]);
});

it('a changed type and changed data are reported before a generateName', async () => {
  const b = await Bench.open();
  const named = (kind: string, rest: JsonObject, more: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'a', ...more },
    ...rest,
  });
  await b.create('secrets', 'default', named('Secret', { type: 'x' }));
  await b.create('configmaps', 'default', named('ConfigMap', { immutable: true }));
  const paths = async (what: string, o: JsonObject): Promise<readonly string[]> =>
    (await causesOf(b.update(what, 'default', o))).map((cause) => cause.split(': ', 1)[0]!);
  const bad = { generateName: 'A_' };
  expect(await paths('secrets', named('Secret', { type: 'y' }, bad))).toEqual(['type', 'metadata.generateName']);
  const changed = named('ConfigMap', { immutable: true, data: { a: 'b' } }, bad);
  expect(await paths('configmaps', changed)).toEqual(['data', 'metadata.generateName']);
});

it('a server that a storage version names twice is a duplicate before its name is invalid', async () => {
  const b = await Bench.open([['api/all', true]]);
  const what = 'storageversions.internal.apiserver.k8s.io/v1alpha1';
  const version = object('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', {});
  const name = 'g.resources';
  await b.create(what, '', { ...version, metadata: { name } });
  const server = { apiServerID: '/x', encodingVersion: 'v1', decodableVersions: ['v1'] };
  const patch = { status: { storageVersions: [server, server] } };
  const found = await causesOf(b.patch(`${what}/status`, ['', name], patch, 'merge'));
  const place = 'status.storageVersions[1].apiServerID';
  expect(found.filter((f) => f.startsWith(place)).map((f) => f.slice(place.length, place.length + 15))).toEqual([
    ': Duplicate val',
    ': Invalid value',
  ]);
});
