import { describe, expect, it } from 'vitest';
import { formatMicroTime, isObject, type JsonObject } from '../../api/index.js';
import { refusal } from '../../registry/testing.js';
import { openScene, type Scene } from '../testing/scene.js';
import { candidateCollector, leaderElection } from './election.js';

const LEASES = 'leases.coordination.k8s.io';
const CANDIDATES = 'leasecandidates.coordination.k8s.io/v1beta1';

const openElections = () => openScene(undefined, [['coordination.k8s.io/v1beta1', true]]);

const timeNow = ({ bench }: Scene): string => formatMicroTime(bench.world.clock.now());

async function nominate(
  scene: Scene,
  name: string,
  version: string,
  strategy = 'OldestEmulationVersion',
): Promise<void> {
  await scene.bench.create(CANDIDATES, 'default', {
    apiVersion: 'coordination.k8s.io/v1beta1',
    kind: 'LeaseCandidate',
    metadata: { name },
    spec: { leaseName: 'l', binaryVersion: version, emulationVersion: version, strategy, renewTime: timeNow(scene) },
  });
}

async function specOf({ bench }: Scene, what: string, name: string): Promise<JsonObject> {
  const { spec } = await bench.get(what, 'default', name);
  if (!isObject(spec)) throw new Error(`${name} has no spec`);
  return spec;
}

const leaseOf = (scene: Scene): Promise<JsonObject> => specOf(scene, LEASES, 'l');

/** A candidate or holder says that it is alive. */
const renew = (scene: Scene, what: string, name: string): Promise<JsonObject> =>
  scene.bench.patch(what, ['default', name], { spec: { renewTime: timeNow(scene) } });

describe('an election', () => {
  it('gives a new lease to the oldest emulation version', async () => {
    const scene = await openElections();
    await nominate(scene, 'new', '1.37.0');
    await nominate(scene, 'old', '1.9.0');
    await scene.start(leaderElection(scene.context));
    await scene.work();
    expect(await leaseOf(scene)).toMatchObject({
      holderIdentity: 'old',
      strategy: 'OldestEmulationVersion',
      leaseDurationSeconds: 5,
    });
  });

  it('asks a living holder to yield to a better candidate', async () => {
    const scene = await openElections();
    await scene.start(leaderElection(scene.context));
    await nominate(scene, 'new', '1.37.0');
    await scene.work();
    await nominate(scene, 'old', '1.36.0');
    await scene.work();
    expect(await leaseOf(scene)).toMatchObject({ holderIdentity: 'new', preferredHolder: 'old' });
    // It yields.
    await scene.bench.patch(LEASES, ['default', 'l'], { spec: { holderIdentity: null } });
    await scene.work();
    const lease = await leaseOf(scene);
    expect(lease).toMatchObject({ holderIdentity: 'old' });
    expect(lease).not.toHaveProperty('preferredHolder');
  });

  it('elects another holder when the lease expires, after it has asked who is alive', async () => {
    const scene = await openElections();
    await scene.start(leaderElection(scene.context));
    await nominate(scene, 'a', '1.36.0');
    await nominate(scene, 'b', '1.37.0');
    await scene.work();
    expect(await leaseOf(scene)).toMatchObject({ holderIdentity: 'a' });
    for (let second = 0; second < 30 && (await specOf(scene, CANDIDATES, 'b'))['pingTime'] === undefined; second++)
      await scene.work();
    expect(await specOf(scene, CANDIDATES, 'a')).toHaveProperty('pingTime');
    await renew(scene, CANDIDATES, 'b');
    await scene.work(3);
    expect(await leaseOf(scene), 'the other may still answer').toMatchObject({ holderIdentity: 'a' });
    await renew(scene, CANDIDATES, 'b');
    await scene.work(4);
    expect(await leaseOf(scene)).toMatchObject({ holderIdentity: 'b' });
  });

  it('leaves the holder of another strategy to others', async () => {
    const scene = await openElections();
    await scene.start(leaderElection(scene.context));
    await nominate(scene, 'a', '1.37.0', 'example.com/mine');
    await scene.work();
    const lease = await leaseOf(scene);
    expect(lease).toMatchObject({ strategy: 'example.com/mine' });
    expect(lease).not.toHaveProperty('holderIdentity');
  });

  it('is not decided while candidates of the same version disagree on the strategy', async () => {
    const scene = await openElections();
    await nominate(scene, 'a', '1.37.0');
    await nominate(scene, 'b', '1.37.0', 'example.com/mine');
    await scene.start(leaderElection(scene.context));
    await scene.work();
    expect(await refusal(leaseOf(scene))).toMatch(/^404/);
    expect(scene.logged.join()).toContain('candidates a and b of the same binary version');
  });

  it('is not held for leases without candidates', async () => {
    const scene = await openElections();
    const spec = { holderIdentity: 'x', leaseDurationSeconds: 5, renewTime: timeNow(scene) };
    await scene.bench.create(LEASES, 'default', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec,
    });
    await scene.start(leaderElection(scene.context));
    await scene.work(20);
    expect(await leaseOf(scene)).toEqual(spec);
  });
});

it('deletes candidates half an hour after their last renewal', async () => {
  const scene = await openElections();
  await nominate(scene, 'gone', '1.37.0');
  await nominate(scene, 'alive', '1.37.0');
  await scene.start(candidateCollector(scene.context));
  scene.bench.world.advance(20 * 60_000);
  await renew(scene, CANDIDATES, 'alive');
  scene.bench.world.advance(10 * 60_000);
  await scene.work(2);
  expect(await refusal(scene.bench.get(CANDIDATES, 'default', 'gone'))).toMatch(/^404/);
  expect(await specOf(scene, CANDIDATES, 'alive')).toBeDefined();
});
