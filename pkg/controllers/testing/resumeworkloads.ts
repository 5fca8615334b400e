import type { JsonObject } from '../../api/index.js';
import type { Bench } from '../../registry/testing.js';
import { signingController } from '../certificates/signing.js';
import { deviceTaintEviction } from '../devicetaints/eviction.js';
import { endpointsController } from '../endpoints/endpoints.js';
import { endpointSliceController } from '../endpoints/endpointslice.js';
import { mirroringController } from '../endpoints/mirroring.js';
import { storageVersionMigrator } from '../migration/storageversionmigration.js';
import { addressRepair } from '../network/addressrepair.js';
import { serviceCidrController } from '../network/servicecidr.js';
import { attributesClassProtection, claimProtection, volumeProtection } from '../protection/volumes.js';
import { replicationController } from '../replication/replicationcontroller.js';
import type { ResumeCase } from './resume.js';
import { EMPTY_REQUEST, metaIn } from './scene.js';

const POD_SPEC: JsonObject = { containers: [{ name: 'c', image: 'i' }] };

const pod = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'a' } },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], ...more },
});

const service = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { ports: [{ port: 80 }], ...spec },
});

async function servedPods(bench: Bench): Promise<void> {
  await bench.create('nodes', '', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  await bench.create('services', 'default', service({ selector: { app: 'a' } }));
  for (const n of [1, 2, 3]) {
    await bench.create('pods', 'default', pod(`p${n}`));
    const status = { phase: 'Running', podIP: `10.0.0.${n}`, podIPs: [{ ip: `10.0.0.${n}` }] };
    await bench.patch('pods/status', ['default', `p${n}`], { status });
  }
}

const SLICES = 'endpointslices.discovery.k8s.io/v1';

/** Controllers of workloads, services, volumes and certificates. */
export const WORKLOADS: readonly ResumeCase[] = [
  {
    name: 'ReplicationController: creation',
    make: replicationController,
    act: async (bench) => {
      await bench.create('pods', 'default', pod('orphan'));
      await bench.create('replicationcontrollers', 'default', {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: { name: 'rc' },
        spec: { replicas: 5, selector: { app: 'a' }, template: { metadata: { labels: { app: 'a' } }, spec: POD_SPEC } },
      });
    },
    resources: ['pods', 'replicationcontrollers'],
  },
  {
    name: 'ReplicationController: surplus',
    make: replicationController,
    act: async (bench) => {
      for (const n of [1, 2, 3, 4]) await bench.create('pods', 'default', { ...pod(`p${n}`), spec: POD_SPEC });
      await bench.create('replicationcontrollers', 'default', {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: { name: 'rc' },
        spec: { replicas: 2, selector: { app: 'a' }, template: { metadata: { labels: { app: 'a' } }, spec: POD_SPEC } },
      });
    },
    resources: ['pods', 'replicationcontrollers'],
  },
  {
    name: 'EndpointSlices',
    make: (context) => endpointSliceController(context, { endpointsMax: 1 }),
    act: servedPods,
    resources: [SLICES],
  },
  { name: 'Endpoints', make: endpointsController, act: servedPods, resources: ['endpoints'] },
  {
    name: 'mirrored Endpoints',
    make: (context) => mirroringController(context, { addressesMax: 1000 }),
    act: async (bench) => {
      await bench.create('services', 'default', service({}));
      const subset = (ip: string, port: number): JsonObject => ({ addresses: [{ ip }], ports: [{ port }] });
      await bench.create('endpoints', 'default', {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 's' },
        subsets: [subset('192.0.2.1', 80), subset('192.0.2.1', 81), subset('2001:db8::1', 82)],
      });
    },
    resources: [SLICES],
  },
  {
    name: 'claims',
    make: (context) => claimProtection(context, { unusedSince: true }),
    act: async (bench) => {
      for (const name of ['kept', 'gone']) {
        await bench.create('persistentvolumeclaims', 'default', {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name, finalizers: name === 'gone' ? ['kubernetes.io/pvc-protection'] : [] },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        });
        await bench.patch('persistentvolumeclaims/status', ['default', name], { status: { phase: 'Bound' } });
      }
      await bench.delete('persistentvolumeclaims', 'default', 'gone');
    },
    resources: ['persistentvolumeclaims'],
  },
  {
    name: 'volumes',
    make: volumeProtection,
    act: async (bench) => {
      for (const name of ['a', 'b'])
        await bench.create('persistentvolumes', '', {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name },
          spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
        });
    },
    resources: ['persistentvolumes'],
  },
  {
    name: 'classes of volume attributes',
    make: attributesClassProtection,
    act: async (bench) => {
      await bench.create('volumeattributesclasses.storage.k8s.io/v1', '', {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttributesClass',
        metadata: { name: 'fast' },
        driverName: 'd.example',
        parameters: { a: 'b' },
      });
    },
    resources: ['volumeattributesclasses.storage.k8s.io/v1'],
  },
  {
    name: 'ServiceCIDRs',
    make: serviceCidrController,
    act: async (bench) => {
      await bench.create('servicecidrs.networking.k8s.io/v1', '', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: 'x' },
        spec: { cidrs: ['192.0.2.0/28'] },
      });
    },
    resources: ['servicecidrs.networking.k8s.io/v1'],
  },
  {
    name: 'repair of addresses',
    make: addressRepair,
    act: async (bench) => {
      const made = await bench.create('services', 'default', service({ clusterIP: '10.96.0.9' }));
      await bench.delete('ipaddresses.networking.k8s.io/v1', '', String((made['spec'] as JsonObject)['clusterIP']));
    },
    resources: ['ipaddresses.networking.k8s.io/v1'],
  },
  {
    name: 'StorageVersionMigration',
    make: storageVersionMigrator,
    act: async (bench) => {
      for (const name of ['a', 'b', 'c'])
        await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      await bench.create('storageversionmigrations.storagemigration.k8s.io/v1', '', {
        apiVersion: 'storagemigration.k8s.io/v1',
        kind: 'StorageVersionMigration',
        metadata: { name: 'm' },
        spec: { resource: { group: '', resource: 'configmaps' } },
      });
    },
    resources: ['storageversionmigrations.storagemigration.k8s.io/v1', 'configmaps'],
  },
  {
    name: 'signed certificates',
    make: (context) =>
      signingController(context, {
        authority: {
          read: () =>
            Promise.resolve({ commonName: 'a', organizations: [], dnsNames: 0, addresses: 0, emails: 0, uris: 0 }),
          sign: () => Promise.resolve('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
        },
        duration: 1,
      }),
    act: async (bench) => {
      const requests = 'certificatesigningrequests.certificates.k8s.io/v1';
      const made = await bench.create(requests, '', {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'r' },
        spec: {
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['client auth'],
          request: EMPTY_REQUEST,
        },
      });
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
      await bench.update(`${requests}/approval`, '', { ...made, status: { conditions } });
    },
    resources: ['certificatesigningrequests.certificates.k8s.io/v1'],
  },
  {
    name: 'device taints',
    make: deviceTaintEviction,
    act: async (bench) => {
      const claims = 'resourceclaims.resource.k8s.io/v1';
      const users = [];
      for (const name of ['p1', 'p2']) {
        const made = await bench.create('pods', 'default', {
          ...pod(name, { resourceClaims: [{ name: 'd', resourceClaimName: 'c' }] }),
        });
        users.push({ resource: 'pods', name, uid: metaIn(made)['uid']! });
      }
      const claim = await bench.create(claims, 'default', {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { name: 'c' },
        spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'class' } }] } },
      });
      const results = [{ request: 'r', driver: 'd.example', pool: 'pool', device: 'dev' }];
      const status = { allocation: { devices: { results } }, reservedFor: users };
      await bench.update(`${claims}/status`, 'default', { ...claim, status });
      await bench.create('devicetaintrules.resource.k8s.io/v1', '', {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceTaintRule',
        metadata: { name: 'bad' },
        spec: { deviceSelector: {}, taint: { key: 'k', effect: 'NoExecute' } },
      });
    },
    resources: ['pods', 'resourceclaims.resource.k8s.io/v1'],
  },
];
