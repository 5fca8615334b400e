import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** The fields of the errors of invalid objects, in the order of kube-apiserver 1.37.2. */

async function wrongFields(what: string, o: JsonObject, namespace = ''): Promise<readonly string[]> {
  const b = await Bench.open();
  const found = await causesOf(b.create(what, namespace, { metadata: { name: 'a' }, ...o }));
  return found.map((cause) => cause.split(': ', 1)[0]!);
}

const WRONG = '-';
/** The certificate of an authority. */
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIUX+D/Ibe4MkvMv0JIKoZfdogTnX8wCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBbjAgFw0yNjExMjIyMzIwMTBaGA8yMTI2MTAyOTIzMjAxMFow
DDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKMVDI9ugAu2
4nFB5g/RH8lN31Cpvn1HJhnwfy+PZINp+1BZi+vXhrslwrUPMC0bQ7UdWsvEE8x8
UTjKAC7TG/yjUzBRMB0GA1UdDgQWBBT1Lon+BA1bwGb/BlUFLy5yrft/VjAfBgNV
HSMEGDAWgBT1Lon+BA1bwGb/BlUFLy5yrft/VjAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQDNPF+G2o2Mgg782J3+ehhSxS/3yEYEuHh0Xeyt1384
9QIhAP4Ov7wtYIcq+4Bkw4CB9DZR+MskGr0IzJksjqpi0HpO
-----END CERTIFICATE-----`;

describe('a claim', () => {
  const claim = (spec: JsonObject): Promise<readonly string[]> =>
    wrongFields('persistentvolumeclaims', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec }, 'default');

  it('reports its class of attributes after its data sources', async () => {
    const spec = {
      accessModes: ['x'],
      selector: { matchLabels: { [WRONG]: 'a' } },
      resources: { requests: { storage: '1' } },
      storageClassName: WRONG,
      volumeMode: 'x',
      dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
      dataSourceRef: { apiGroup: 'a.b', kind: 'x', name: 'y' },
      volumeAttributesClassName: WRONG,
    };
    expect(await claim(spec)).toEqual([
      'spec.selector.matchLabels',
      'spec.accessModes',
      'spec.storageClassName',
      'spec.volumeMode',
      'spec',
      'spec.volumeAttributesClassName',
    ]);
  });

  it('reports missing access modes before its selector', async () => {
    const selector = { matchLabels: { [WRONG]: 'a' } };
    expect(await claim({ selector, resources: { requests: { storage: '1' } } })).toEqual([
      'spec.accessModes',
      'spec.selector.matchLabels',
    ]);
  });

  it('compares the access modes that are known', async () => {
    const resources = { requests: { storage: '1' } };
    expect(await claim({ accessModes: ['x', 'ReadWriteOncePod'], resources })).toEqual(['spec.accessModes']);
    expect(await claim({ accessModes: ['x', 'ReadWriteOncePod', 'ReadWriteOnce'], resources })).toEqual([
      'spec.accessModes',
      'spec.accessModes',
    ]);
  });
});

it('an attachment reports the access modes of its volume before what only other volumes have', async () => {
  const inlineVolumeSpec = {
    claimRef: { name: 'c' },
    capacity: { storage: '1' },
    accessModes: ['x'],
    persistentVolumeReclaimPolicy: 'Recycle',
    nodeAffinity: {},
    hostPath: { path: '/' },
    storageClassName: 'c',
    volumeMode: 'Block',
  };
  const spec = { attacher: 'a.b', nodeName: 'n', source: { inlineVolumeSpec } };
  const attachment = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', spec };
  expect(await wrongFields('volumeattachments.storage.k8s.io', attachment)).toEqual([
    'spec.source.inlineVolumeSpec.claimRef',
    'spec.source.inlineVolumeSpec.capacity',
    'spec.source.inlineVolumeSpec.csi',
    'spec.source.inlineVolumeSpec.accessModes',
    'spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy',
    'spec.source.inlineVolumeSpec.nodeAffinity',
    'spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy',
    'spec.source.inlineVolumeSpec.storageClassName',
    'spec.source.inlineVolumeSpec.volumeMode',
  ]);
});

it('a capacity reports its topology first', async () => {
  const nodeTopology = { matchExpressions: [{ key: 'a', operator: 'x' }] };
  const capacity = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    storageClassName: WRONG,
    capacity: '-1',
    nodeTopology,
  };
  expect(await wrongFields('csistoragecapacities.storage.k8s.io', capacity, 'default')).toEqual([
    'nodeTopology.matchExpressions[0].operator',
    'storageClassName',
    'capacity',
  ]);
});

it('a runtime class reports repeated tolerations after the errors of all of them', async () => {
  const tolerations = [
    { key: 'a', operator: 'Exists' },
    { key: 'a', operator: 'Exists' },
    { key: WRONG, operator: 'Exists' },
  ];
  const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', handler: 'h', scheduling: { tolerations } };
  expect(await wrongFields('runtimeclasses.node.k8s.io', runtime)).toEqual([
    'scheduling.tolerations[2].key',
    'scheduling.tolerations[1]',
  ]);
});

it('a bundle reports its name before its labels', async () => {
  const metadata = { name: 'a', labels: { [WRONG]: 'a' } };
  const spec = { signerName: 'a.b/c', trustBundle: '' };
  const bundle = { apiVersion: 'certificates.k8s.io/v1', kind: 'ClusterTrustBundle', metadata, spec };
  expect(await wrongFields('clustertrustbundles.certificates.k8s.io/v1', bundle)).toEqual([
    'metadata.name',
    'metadata.labels',
    'spec.trustBundle',
  ]);
});

it('a template of claims reports the metadata that it may not have in the order of the type', async () => {
  const metadata = {
    managedFields: [],
    ownerReferences: [],
    finalizers: [],
    generation: 1,
    uid: 'u',
    selfLink: 's',
    namespace: 'n',
    generateName: 'g',
    name: 'a',
  };
  const spec = { metadata, spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } };
  const template = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaimTemplate', spec };
  expect(await wrongFields('resourceclaimtemplates.resource.k8s.io', template, 'default')).toEqual([
    'spec.metadata.name',
    'spec.metadata.generateName',
    'spec.metadata.namespace',
    'spec.metadata.selfLink',
    'spec.metadata.uID',
    'spec.metadata.generation',
    'spec.metadata.ownerReferences',
    'spec.metadata.finalizers',
    'spec.metadata.managedFields',
  ]);
});

describe('a flow schema', () => {
  it.each([
    ['User', 'user.name', 'serviceAccount', 'group'],
    ['Group', 'group.name', 'serviceAccount', 'user'],
    ['ServiceAccount', 'serviceAccount.name', 'serviceAccount.namespace', 'user', 'group'],
  ])('reports the field of a subject of the kind %s first', async (kind, ...fields) => {
    const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }];
    const subjects = [{ kind, user: {}, group: {}, serviceAccount: {} }];
    const spec = {
      matchingPrecedence: 5,
      priorityLevelConfiguration: { name: 'x' },
      rules: [{ subjects, resourceRules }],
    };
    const schema = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', spec };
    const found = await wrongFields('flowschemas.flowcontrol.apiserver.k8s.io', schema);
    expect(found.map((field) => field.replace('spec.rules[0].subjects[0].', ''))).toEqual(fields);
  });
});

describe('the addresses of a service', () => {
  const service = (spec: JsonObject): Promise<readonly string[]> =>
    wrongFields('services', { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 1 }], ...spec } }, 'default');

  it('are reported after the families and their policy', async () => {
    const spec = {
      ipFamilies: ['x'],
      ipFamilyPolicy: 'x',
      clusterIP: '10.0.0.3',
      clusterIPs: ['10.0.0.3', '10.0.0.4'],
    };
    expect(await service(spec)).toEqual(['spec.ipFamilies[0]', 'spec.ipFamilyPolicy', 'spec.clusterIPs']);
  });

  it('are compared with the families of the service last', async () => {
    expect(
      await service({ ipFamilies: ['IPv6'], clusterIP: '10.0.0.3', clusterIPs: ['10.0.0.3', '10.0.0.4'] }),
    ).toEqual(['spec.clusterIPs', 'spec.clusterIPs[0]']);
  });

  it('are not compared with families if one is invalid', async () => {
    expect(await service({ ipFamilies: ['IPv6'], clusterIP: '10.0.0.3', clusterIPs: ['10.0.0.3', 'x'] })).toEqual([
      'spec.clusterIPs[1]',
    ]);
  });
});

it('an update of a service CIDR reports changed ranges before invalid ones', async () => {
  const what = 'servicecidrs.networking.k8s.io';
  const b = await Bench.open();
  const cidr = (...cidrs: readonly string[]): JsonObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'a' },
    spec: { cidrs: [...cidrs] },
  });
  await b.create(what, '', cidr('192.0.2.0/24'));
  const found = await causesOf(b.update(what, '', cidr('192.0.3.0/24', 'x')));
  expect(found.map((cause) => cause.replace(/.*: /, ''))).toEqual([
    'field is immutable',
    'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]);
});

it('the status of a claim reports that it may not be reserved after its devices', async () => {
  const b = await Bench.open();
  const what = 'resourceclaims.resource.k8s.io/v1';
  const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };
  const claim = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'a' }, spec };
  await b.create(what, 'default', claim);
  const status = {
    reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }],
    devices: [{ driver: 'a.b', pool: 'p', device: 'd' }],
  };
  const found = await causesOf(b.update(`${what}/status`, 'default', { ...claim, status }));
  expect(found.map((cause) => cause.split(': ', 1)[0])).toEqual(['status.devices[0]', 'status.reservedFor']);
});

it('an update of the signer of a bundle reports the name, too', async () => {
  const b = await Bench.open();
  const what = 'clustertrustbundles.certificates.k8s.io/v1';
  const bundle = { apiVersion: 'certificates.k8s.io/v1', kind: 'ClusterTrustBundle', metadata: { name: 'a' } };
  const made = await b.create(what, '', { ...bundle, spec: { trustBundle: AUTHORITY } });
  const changed = { ...made, spec: { trustBundle: AUTHORITY, signerName: 'a.b/c' } };
  const found = await causesOf(b.update(what, '', changed));
  expect(found.map((cause) => cause.split(': ', 1)[0])).toEqual(['metadata.name', 'spec.signerName']);
});
