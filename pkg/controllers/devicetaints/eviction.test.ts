import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { refusal } from '../../registry/testing.js';
import { metaIn, openScene } from '../testing/scene.js';
import { deviceTaintEviction } from './eviction.js';
import { evictionOf } from './taints.js';

const CLAIMS = 'resourceclaims.resource.k8s.io/v1';
const RULES = 'devicetaintrules.resource.k8s.io/v1';
const START = Date.UTC(2030, 0, 1);

async function scene(tolerations: readonly JsonObject[] = []) {
  const opened = await openScene();
  const { bench, context, start } = opened;
  await start(deviceTaintEviction(context));
  const pod = await bench.create('pods', 'default', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      resourceClaims: [{ name: 'd', resourceClaimName: 'c' }],
    },
  });
  const request = { name: 'r', exactly: { deviceClassName: 'class', tolerations: [...tolerations] } };
  const claim = await bench.create(CLAIMS, 'default', {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c' },
    spec: { devices: { requests: [request] } },
  });
  const device = { request: 'r', driver: 'd.example', pool: 'pool', device: 'dev', tolerations: [...tolerations] };
  const status = {
    allocation: { devices: { results: [device] } },
    reservedFor: [{ resource: 'pods', name: 'p', uid: metaIn(pod)['uid']! }],
  };
  await bench.update(`${CLAIMS}/status`, 'default', { ...claim, status });
  const rule = (name: string, effect: string) =>
    bench.create(RULES, '', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceTaintRule',
      metadata: { name },
      spec: { deviceSelector: { driver: 'd.example' }, taint: { key: 'k', value: 'v', effect } },
    });
  const shown = async (name: string): Promise<JsonObject> =>
    ((await bench.get(RULES, '', name))['status'] as { conditions: JsonObject[] }).conditions[0]!;
  return { ...opened, rule, shown };
}

describe('a device taint', () => {
  it('evicts the pods of a claim, and then releases the device', async () => {
    const { bench, work, rule, shown } = await scene();
    await work();
    expect(metaIn(await bench.get('pods', 'default', 'p'))).not.toHaveProperty('deletionTimestamp');
    await rule('bad', 'NoExecute');
    await work(3);
    const pod = await bench.get('pods', 'default', 'p');
    expect(metaIn(pod)).toHaveProperty('deletionTimestamp');
    expect((pod['status'] as JsonObject)['conditions']).toMatchObject([
      { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByDeviceTaintManager' },
    ]);
    expect(await shown('bad')).toMatchObject({
      type: 'EvictionInProgress',
      status: 'False',
      reason: 'Completed',
      message: '1 pod evicted since starting the controller.',
    });
    expect((await bench.get(CLAIMS, 'default', 'c'))['status']).toHaveProperty('allocation');
    await bench.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 });
    await work();
    expect((await bench.get(CLAIMS, 'default', 'c'))['status']).not.toHaveProperty('allocation');
  });

  it('waits for the end of a toleration', async () => {
    const { bench, work, rule, shown } = await scene([
      { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 20 },
    ]);
    await rule('bad', 'NoExecute');
    await work(15);
    expect(metaIn(await bench.get('pods', 'default', 'p'))).not.toHaveProperty('deletionTimestamp');
    expect(await shown('bad')).toMatchObject({ status: 'True', message: '1 pod needs to be evicted in 1 namespace.' });
    await work(10);
    expect(metaIn(await bench.get('pods', 'default', 'p'))).toHaveProperty('deletionTimestamp');
  });

  it('without an effect reports what it would do', async () => {
    const { bench, work, rule, shown } = await scene();
    await rule('harmless', 'None');
    await work(3);
    expect(await shown('harmless')).toMatchObject({
      reason: 'NoEffect',
      message: expect.stringContaining(
        '0 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if',
      ),
    });
    expect(await refusal(bench.get('pods', 'default', 'p'))).toBe('taken');
  });
});

describe('the time of an eviction', () => {
  const claim = (tolerations: readonly JsonObject[]): JsonObject => ({
    status: {
      allocation: {
        devices: { results: [{ driver: 'd', pool: 'p', device: 'x', tolerations: [...tolerations] }] },
      },
    },
  });
  const slice = (generation: number, effect: string): JsonObject => ({
    spec: {
      driver: 'd',
      pool: { name: 'p', generation },
      devices: [{ name: 'x', taints: [{ key: 'k', value: 'v', effect, timeAdded: '2030-01-01T00:00:00Z' }] }],
    },
  });

  it.each<[string, readonly JsonObject[], number | undefined]>([
    ['at once without a toleration', [], START],
    ['at once with one of another key', [{ key: 'other', operator: 'Exists' }], START],
    ['at once with one of another value', [{ key: 'k', value: 'w' }], START],
    ['never with one without a time', [{ operator: 'Exists' }], undefined],
    [
      'after the shortest time',
      [
        { key: 'k', value: 'v', tolerationSeconds: 9 },
        { operator: 'Exists', tolerationSeconds: 5 },
      ],
      START + 5000,
    ],
    ['at once with a negative time', [{ operator: 'Exists', tolerationSeconds: -5 }], START],
  ])('is %s', (_, tolerations, expected) => {
    expect(evictionOf(claim(tolerations), { slices: [slice(1, 'NoExecute')], rules: [] })?.when).toBe(expected);
  });

  it('uses the newest generation of the pool', () => {
    const slices = [slice(1, 'NoExecute'), slice(2, 'NoSchedule')];
    expect(evictionOf(claim([]), { slices, rules: [] })).toBeUndefined();
  });
});
