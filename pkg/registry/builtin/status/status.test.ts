import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../../../api/index.js';
import { Bench } from '../../testing.js';

/** Validation of status subresources, which controllers and nodes write. */

const template = (restartPolicy: string): JsonObject => ({
  metadata: { labels: { a: 'b' } },
  spec: { restartPolicy, containers: [{ name: 'c', image: 'i' }] },
});
const workload = (kind: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'x' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: template('Always'), ...more },
});

/** The field errors of a status write; empty when it is accepted. */
async function wrong(b: Bench, what: string, status: JsonObject, namespace = 'default'): Promise<readonly string[]> {
  try {
    await b.patch(`${what}/status`, [namespace, 'x'], { status });
    return [];
  } catch (e) {
    if (!(e instanceof ApiError)) throw e;
    return (e.status.details?.causes ?? []).map((c) => `${c.field}: ${c.message}`);
  }
}

describe('counters in a status', () => {
  const below = (field: string, n = -1) => `status.${field}: Invalid value: ${n}: must be greater than or equal to 0`;
  const above = (field: string, n: number) =>
    `status.${field}: Invalid value: ${n}: cannot be greater than status.replicas`;

  it.each([
    ['deployments.apps/v1', 'Deployment', 'unavailableReplicas', 'updatedReplicas'],
    ['replicasets.apps/v1', 'ReplicaSet', 'observedGeneration', 'fullyLabeledReplicas'],
    ['statefulsets.apps/v1', 'StatefulSet', 'currentReplicas', 'updatedReplicas'],
  ])('of %s are not negative, and parts are not greater than the whole', async (what, kind, count, part) => {
    const b = await Bench.open();
    await b.create(what, 'default', workload(kind, kind === 'StatefulSet' ? { serviceName: 's' } : {}));
    expect(await wrong(b, what, { [count]: -1 })).toEqual([below(count)]);
    expect(await wrong(b, what, { replicas: 1, [part]: 2 })).toEqual([above(part, 2)]);
    expect((await wrong(b, what, { replicas: 2, readyReplicas: 1, availableReplicas: 2 }))[0]).toMatch(
      /^status.availableReplicas: .*readyReplicas$/,
    );
    expect(await wrong(b, what, { replicas: 2, readyReplicas: 2, availableReplicas: 2 })).toEqual([]);
  });

  it('of collisions never decrease', async () => {
    const b = await Bench.open();
    await b.create('daemonsets.apps/v1', 'default', workload('DaemonSet'));
    expect(await wrong(b, 'daemonsets.apps/v1', { collisionCount: 2 })).toEqual([]);
    const sentence = 'status.collisionCount: Invalid value: 1: cannot be decremented';
    expect(await wrong(b, 'daemonsets.apps/v1', { collisionCount: 1 })).toEqual([sentence]);
    expect(await wrong(b, 'daemonsets.apps/v1', { collisionCount: null })).toEqual([sentence.replace(': 1:', ': 0:')]);
  });

  it('of a disruption budget are checked together with its conditions', async () => {
    const b = await Bench.open();
    const what = 'poddisruptionbudgets.policy/v1';
    await b.create(what, 'default', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'x' },
      spec: { minAvailable: 1 },
    });
    expect(await wrong(b, what, { disruptionsAllowed: -1 })).toEqual([below('disruptionsAllowed')]);
    const good = { type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' };
    expect(await wrong(b, what, { conditions: [good] })).toEqual([]);
    const found = await wrong(b, what, { conditions: [good, { ...good, type: 'B', status: 'yes', reason: '1' }] });
    expect(found.map((f) => f.split(': ').slice(0, 2).join(' '))).toEqual([
      'status.conditions[1].status Unsupported value',
      'status.conditions[1].reason Invalid value',
    ]);
  });
});

describe('the status of a job', () => {
  const what = 'jobs.batch/v1';
  const open = async (spec: JsonObject = {}): Promise<Bench> => {
    const b = await Bench.open();
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' } };
    await b.create(what, 'default', { ...job, spec: { template: template('Never'), ...spec } });
    return b;
  };
  const is = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' }));
  const start = '2020-01-01T00:00:00Z';
  const end = '2020-01-01T00:01:00Z';

  it('finishes once, in one way, with no active pods', async () => {
    const b = await open();
    expect(await wrong(b, what, { active: 1, startTime: start })).toEqual([]);
    expect(await wrong(b, what, { conditions: is('Complete') })).toEqual([
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
    ]);
    const done = { active: null, succeeded: 1, completionTime: end, conditions: is('SuccessCriteriaMet', 'Complete') };
    expect(await wrong(b, what, { ...done, completionTime: '2019-12-31T00:00:00Z' })).toEqual([
      'status.completionTime: Invalid value: "2019-12-31T00:00:00Z": must be equal to or after `startTime`',
    ]);
    expect(await wrong(b, what, done)).toEqual([]);
    expect(await wrong(b, what, { conditions: is('SuccessCriteriaMet') })).toEqual([
      'status.completionTime: Invalid value: "2020-01-01T00:01:00Z": cannot set completionTime when there is no Complete=True condition',
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
    ]);
    expect(await wrong(b, what, { succeeded: 0 })).toEqual([
      'status.succeeded: Invalid value: 0: cannot decrease the succeeded counter',
    ]);
  });

  it('is checked only for what a write changes', async () => {
    const b = await open({ completions: 4, completionMode: 'Indexed' });
    expect(await wrong(b, what, { completedIndexes: '9' })).toEqual([
      'status.completedIndexes: Invalid value: "9": error parsing completedIndexes: too large index: "9"',
    ]);
    expect(await wrong(b, what, { failedIndexes: '1' })).toEqual([
      'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ]);
    expect(await wrong(b, what, { completedIndexes: '0,2-3' })).toEqual([]);
    expect(await wrong(b, what, { active: 1 })).toEqual([]);
  });

  it('does not count an index as both failed and completed', async () => {
    const b = await open({ completions: 9, completionMode: 'Indexed', backoffLimitPerIndex: 1 });
    expect(await wrong(b, what, { completedIndexes: '0,3-5', failedIndexes: '1,5-7' })).toEqual([
      'status.failedIndexes: Invalid value: "1,5-7": failedIndexes and completedIndexes overlap at index: 5',
    ]);
    expect(await wrong(b, what, { completedIndexes: '0,3-5', failedIndexes: '1,6-7' })).toEqual([]);
  });
});

describe('the status of a pod', () => {
  it('keeps its QoS class, and does not restart terminated containers', async () => {
    const b = await Bench.open();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: template('Never')['spec']! };
    await b.create('pods', 'default', pod);
    const ended = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0 };
    const terminated = { exitCode: 0 };
    expect(await wrong(b, 'pods', { containerStatuses: [{ ...ended, state: { terminated } }] })).toEqual([]);
    expect(await wrong(b, 'pods', { containerStatuses: [{ ...ended, state: { running: {} } }] })).toEqual([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
    expect(await wrong(b, 'pods', { qosClass: 'Guaranteed' })).toEqual([
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
    ]);
    expect(await wrong(b, 'pods', { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] })).toEqual([
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ]);
    const addressed = await b.patch('pods/status', ['default', 'x'], { status: { podIP: '10.0.0.1' } });
    expect(addressed['status']).toMatchObject({ podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] });
    const whole = await b.get('pods', 'default', 'x');
    const replaced = await b.update('pods/status', 'default', { ...whole, status: { phase: 'Running' } });
    expect(replaced['status']).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
  });
});

describe('the status of other kinds', () => {
  it('of a namespace depends on whether it is being deleted', async () => {
    const b = await Bench.open();
    await b.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } });
    expect(await wrong(b, 'namespaces', { phase: 'Terminating' }, '')).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });

  it('of a node has unique addresses, and allocatable defaults to capacity', async () => {
    const b = await Bench.open();
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' } };
    const made = await b.create('nodes', '', { ...node, status: { capacity: { cpu: '4' } } });
    expect(made['status']).toMatchObject({ allocatable: { cpu: '4' } });
    expect(made['metadata']).not.toHaveProperty('generation');
    const address = { type: 'InternalIP', address: '192.0.2.1' };
    expect(await wrong(b, 'nodes', { addresses: [address, { ...address, type: 'ExternalIP' }] }, '')).toEqual([]);
    expect(await wrong(b, 'nodes', { addresses: [address, address] }, '')).toEqual([
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"192.0.2.1"}',
    ]);
  });

  it('of a volume records when its phase changed', async () => {
    const b = await Bench.open();
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
    await b.create('persistentvolumes', '', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'x' },
      spec,
    });
    b.world.advance(60_000);
    const bound = await b.patch('persistentvolumes/status', ['', 'x'], { status: { phase: 'Available' } });
    expect(bound['status']).toEqual({ phase: 'Available', lastPhaseTransitionTime: '2030-01-01T00:01:00Z' });
  });

  it('of a quota uses the resource names and quantities of its spec', async () => {
    const b = await Bench.open();
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'x' }, spec: { hard: { pods: '1' } } };
    await b.create('resourcequotas', 'default', quota);
    expect(await wrong(b, 'resourcequotas', { hard: { pods: '1' }, used: { pods: '-1' } })).toEqual([
      'status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });
});
