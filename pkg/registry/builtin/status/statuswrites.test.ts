import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

/** What a write of a status changes and which values it refuses, as the sweep of all single changes asked kube-apiserver 1.37.2. */

const TIME = '2026-01-02T03:04:05Z';
const named = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', annotations: { kept: 'yes' } },
  spec,
});
const condition = (type: string): JsonObject => ({
  type,
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: TIME,
});
const workload = (kind: string, more: JsonObject = {}): JsonObject =>
  named('apps/v1', kind, {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...more,
  });
const POD = named('v1', 'Pod', { containers: [{ name: 'c', image: 'i' }] });

/** The object after a write of `status`, and of `metadata` beside it. */
async function written(b: Bench, what: string, object: JsonObject, patch: JsonObject, namespace = 'default') {
  await b.create(what, namespace, object);
  return b.patch(`${what}/status`, [namespace, 'a'], patch);
}

describe('the metadata in a write of the status', () => {
  const metadata = { labels: { added: 'a' }, annotations: { added: 'a' }, finalizers: ['x.example/f'] };

  it.each([
    [
      'flowschemas.flowcontrol.apiserver.k8s.io/v1',
      named('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', { priorityLevelConfiguration: { name: 'exempt' } }),
    ],
    [
      'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/v1',
      named('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', {
        type: 'Limited',
        limited: { limitResponse: { type: 'Reject' } },
      }),
    ],
  ])('of %s is ignored', async (what, object) => {
    const b = await Bench.open();
    const sent = { ...metadata, generateName: 'made-', deletionGracePeriodSeconds: 5 };
    const after = objectAt(await written(b, what, object, { metadata: sent }, ''), 'metadata');
    const ignored = Object.keys(sent).map((field) => [field, after[field]]);
    expect(Object.fromEntries(ignored)).toEqual({ annotations: { kept: 'yes' } });
  });

  it.each([
    ['replicasets.apps/v1', workload('ReplicaSet')],
    ['statefulsets.apps/v1', workload('StatefulSet', { serviceName: 's' })],
    ['daemonsets.apps/v1', workload('DaemonSet')],
  ])('of %s has labels and annotations', async (what, object) => {
    const b = await Bench.open();
    expect(await written(b, what, object, { metadata })).toMatchObject({ metadata });
    const wrong = { metadata: { labels: { added: 'Not Valid!' } } };
    expect(await causesOf(b.patch(`${what}/status`, ['default', 'a'], wrong))).toHaveLength(1);
  });

  it('of a daemon set does not change the count of its templates', async () => {
    const b = await Bench.open();
    const annotations = { 'deprecated.daemonset.template.generation': '7' };
    const after = await written(b, 'daemonsets.apps/v1', workload('DaemonSet'), { metadata: { annotations } });
    expect(after).toMatchObject({ metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } } });
  });
});

describe('the status of a pod', () => {
  it('has amounts in thousandths', async () => {
    const b = await Bench.open();
    const amounts = (value: string) => ({
      allocatedResources: { cpu: value },
      containerStatuses: [
        { name: 'c', ready: false, restartCount: 0, image: '', imageID: '', allocatedResources: { cpu: value } },
      ],
    });
    const after = await written(b, 'pods', POD, { status: amounts('0.0001') });
    expect(after).toMatchObject({ status: amounts('1m') });
  });

  it('keeps the generation that a condition was observed at, in the first of its type', async () => {
    const b = await Bench.open();
    await written(b, 'pods', POD, { status: { conditions: [{ ...condition('x/A'), observedGeneration: 1 }] } });
    const conditions = [condition('x/A'), condition('x/A')];
    const after = await b.patch('pods/status', ['default', 'a'], { status: { conditions } }, 'merge');
    expect(objectAt(after, 'status')['conditions']).toEqual([
      expect.objectContaining({ observedGeneration: 1 }),
      expect.not.objectContaining({ observedGeneration: 1 }),
    ]);
  });

  it('has addresses that are judged by family whatever zeros they have, and warns of their form', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', POD);
    const write = (...ips: string[]) =>
      b.patch('pods/status', ['default', 'a'], { status: { podIP: ips[0]!, podIPs: ips.map((ip) => ({ ip })) } });
    expect(await causesOf(write('10.0.0.1', '010.0.0.2'))).toEqual([
      'status.podIPs[1]: Invalid value: "010.0.0.2": must not have leading 0s',
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"010.0.0.2"}]: may specify no more than one IP for each IP family',
    ]);
    await write('10.0.0.1', 'FD00::1');
    expect(b.warnings).toContain(
      'status.podIPs[1].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
    );
  });
});

describe('the status of', () => {
  it('a claim has amounts of 64 bits', async () => {
    const b = await Bench.open();
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const what = 'persistentvolumeclaims';
    await b.create(what, 'default', named('v1', 'PersistentVolumeClaim', spec));
    const status = { capacity: { storage: '9223372036854775808' } };
    expect(await causesOf(b.patch(`${what}/status`, ['default', 'a'], { status }))).toEqual([
      'status.capacity[storage]: Invalid value: -9223372036854775808: must be a valid resource quantity',
    ]);
  });

  it('a running job keeps its start time', async () => {
    const b = await Bench.open();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await written(b, 'jobs.batch/v1', named('batch/v1', 'Job', { template }), { status: { startTime: TIME } });
    expect(await causesOf(b.patch('jobs.batch/v1/status', ['default', 'a'], { status: { startTime: null } }))).toEqual([
      'status.startTime: Invalid value: null: field is immutable for unsuspended job once set',
    ]);
  });

  it('a node has features with names of at most 253 characters', async () => {
    const b = await Bench.open();
    await b.create('nodes', '', named('v1', 'Node', {}));
    const name = 'X'.repeat(254);
    expect(await causesOf(b.patch('nodes/status', ['', 'a'], { status: { declaredFeatures: [name] } }))).toEqual([
      `status.declaredFeatures[0]: Invalid value: "${name}": invalid feature name "${name}": must be no more than 253 characters`,
    ]);
  });

  it('a taint rule has at most 8 conditions', async () => {
    const b = await Bench.open();
    const what = 'devicetaintrules.resource.k8s.io/v1';
    const spec = { taint: { key: 'k', effect: 'NoSchedule' } };
    await b.create(what, '', named('resource.k8s.io/v1', 'DeviceTaintRule', spec));
    const conditions = Array.from({ length: 9 }, (_, i) => condition(`T${i}`));
    expect(await causesOf(b.patch(`${what}/status`, ['', 'a'], { status: { conditions } }))).toEqual([
      'status.conditions: Too many: 9: must have at most 8 items',
    ]);
  });

  it('a storage version names the last condition of the same type, and tells absent lists from empty ones', async () => {
    const b = await Bench.open([['api/all', true]]);
    const what = 'storageversions.internal.apiserver.k8s.io/v1alpha1';
    const object = named('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', {});
    await b.create(what, '', { ...object, metadata: { name: 'x.a' } });
    const status = {
      conditions: [condition('A'), condition('A'), condition('A')],
      storageVersions: [
        { apiServerID: 'a', encodingVersion: 'v1' },
        { apiServerID: 'b', encodingVersion: 'v1', decodableVersions: [] },
      ],
    };
    const causes = await causesOf(b.patch(`${what}/status`, ['', 'x.a'], { status }));
    expect(causes.filter((c) => c.includes('unique')).map((c) => c.slice(-13))).toEqual([
      'conditions[0]',
      'conditions[1]',
    ]);
    expect(causes.filter((c) => c.includes('decodableVersions')).map((c) => c.split(': ')[2])).toEqual(['null', '[]']);
  });
});

describe('the status of a resource claim', () => {
  const what = 'resourceclaims.resource.k8s.io/v1';
  const result = (device: string, more: JsonObject = {}): JsonObject => ({
    request: 'r',
    driver: 'd.example',
    pool: 'p',
    device,
    ...more,
  });
  const devices = (...names: string[]) => names.map((device) => ({ driver: 'd.example', pool: 'p', device }));
  const allocation = (...results: JsonObject[]) => ({ devices: { results } });

  async function allocated(): Promise<Bench> {
    const b = await Bench.open();
    const requests = [{ name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 2 } }];
    await b.create(what, 'default', named('resource.k8s.io/v1', 'ResourceClaim', { devices: { requests } }));
    const status = { allocation: allocation(result('one'), result('two')), devices: devices('one', 'two') };
    await b.patch(`${what}/status`, ['default', 'a'], { status });
    return b;
  }

  it('keeps its allocation, with one error, and drops the state of devices that it loses', async () => {
    const b = await allocated();
    const changed = b.patch(`${what}/status`, ['default', 'a'], { status: { allocation: allocation(result('one')) } });
    expect(await causesOf(changed)).toEqual([
      'status.allocation: Invalid value: null: field cannot be modified once set',
    ]);
  });

  it('has new admin access only in a namespace with the label', async () => {
    const b = await allocated();
    const status = { allocation: allocation(result('one', { adminAccess: true }), result('two')) };
    expect(await causesOf(b.patch(`${what}/status`, ['default', 'a'], { status }))).toEqual([
      'status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
      'status.allocation: Invalid value: null: field cannot be modified once set',
    ]);
  });
});
