import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../../../../api/index.js';
import { Bench } from '../../../testing.js';

const LABELS = { a: 'b' };
const CONDITION = { type: 'DisruptionAllowed', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' };

const EVICTION: JsonObject = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };

/** Returns the refusal of an eviction under a budget with this status. */
async function refusal(status: JsonObject, given?: Bench): Promise<ApiError['status']> {
  const bench = given ?? (await Bench.open());
  const spec = { containers: [{ name: 'c', image: 'x' }] };
  await bench.create('pods', 'default', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels: LABELS },
    spec,
  });
  await bench.patch('pods/status', ['default', 'p'], {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  await bench.create('poddisruptionbudgets.policy/v1', 'default', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b' },
    spec: { selector: { matchLabels: LABELS }, minAvailable: 1 },
  });
  const counts = {
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
    disruptionsAllowed: 0,
    observedGeneration: 1,
  };
  await bench.patch('poddisruptionbudgets.policy/v1/status', ['default', 'b'], { status: { ...counts, ...status } });
  try {
    await bench.create('pods/eviction', 'default', EVICTION, { name: 'p' });
  } catch (e) {
    if (e instanceof ApiError) return e.status;
    throw e;
  }
  throw new Error('the pod was evicted');
}

it('the change of a budget by an eviction has the server as its field manager', async () => {
  const bench = await Bench.open();
  await expect(refusal({ disruptionsAllowed: 1 }, bench)).rejects.toThrow('the pod was evicted');
  const { metadata } = (await bench.get('poddisruptionbudgets.policy/v1', 'default', 'b')) as { metadata: JsonObject };
  expect(metadata['managedFields']).toContainEqual(
    expect.objectContaining({
      manager: 'kube-apiserver',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: {
        'f:status': expect.objectContaining({ 'f:disruptedPods': { '.': {}, 'f:p': {} }, 'f:disruptionsAllowed': {} }),
      },
    }),
  );
});

it.each<readonly [JsonObject, string]>([
  [{}, 'needs 1 healthy pods and has 1 currently'],
  [{ currentHealthy: 2 }, 'does not allow evicting pods currently'],
  [
    { currentHealthy: 2, conditions: [{ ...CONDITION, reason: 'Because', message: 'of it' }] },
    'does not allow evicting pods currently (Because): of it',
  ],
  [
    { conditions: [{ ...CONDITION, reason: 'SyncFailed', message: 'no controller' }] },
    'does not allow evicting pods currently because it failed sync: no controller',
  ],
  [{ disruptionsAllowed: 0, desiredHealthy: 2 }, 'needs 2 healthy pods and has 1 currently'],
])('a budget with the status %j says why it refuses an eviction', async (status, why) => {
  const { code, details } = await refusal(status);
  expect([code, details?.causes?.[0]?.message]).toEqual([429, `The disruption budget b ${why}`]);
});

it('a budget with too many disrupted pods forbids an eviction', async () => {
  const pods = Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2026-01-01T00:00:00Z']);
  const disruptedPods = Object.fromEntries(pods) as JsonObject;
  const { code, message, details } = await refusal({ disruptionsAllowed: 1, disruptedPods });
  expect([code, message]).toEqual([
    403,
    'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
  ]);
  expect(details?.causes?.[0]?.message).toBe(
    'The disruption budget b does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller',
  );
});

describe('an eviction', () => {
  const evict = async (deleteOptions: JsonObject): Promise<JsonObject> => {
    const bench = await Bench.open();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    await bench.create('pods', 'default', pod);
    await bench.create('pods/eviction', 'default', { ...EVICTION, deleteOptions }, { name: 'p' });
    return bench.get('pods', 'default', 'p');
  };

  it.each<readonly [JsonObject, string]>([
    [{ propagationPolicy: 'Foreground' }, 'foregroundDeletion'],
    [{ propagationPolicy: 'Orphan' }, 'orphan'],
    [{ orphanDependents: true }, 'orphan'],
  ])('with %j leaves the pod to the garbage collector', async (options, finalizer) => {
    expect(await evict(options)).toMatchObject({ metadata: { finalizers: [finalizer] } });
  });

  it('cannot ignore errors of the store', async () => {
    await expect(evict({ ignoreStoreReadErrorWithClusterBreakingPotential: true })).rejects.toThrow(
      'Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    );
  });
});
