import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_PEER, type SoftState, toPeerId } from '../../../raft/index.js';
import { encodeEntry, memoryHome, openStateMachine } from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import { PEER_DEFAULTS } from '../common/config.js';
import { memberIdText } from '../common/index.js';
import { HAS_STARTED_CONFIRMED } from '../membership/index.js';
import { snapshotStatus } from '../snapshot/restore.js';
import { type ControlParts, type PeerControls, peerControls } from './service.js';

/** A follower with the given connection to the leader; time advances only while it waits. */
function follower(
  askLeader: ControlParts['askLeader'],
  knownAt = 0,
): {
  readonly controls: PeerControls;
  readonly waited: () => number;
} {
  let now = 0;
  const parts: Partial<ControlParts> = {
    config: { ...PEER_DEFAULTS, name: 'a' } as ControlParts['config'],
    world: {
      clock: { now: () => now, monotonic: () => now },
      timers: {
        after: (milliseconds: number, f: () => void) => {
          now += milliseconds;
          queueMicrotask(f);
          return () => {};
        },
      },
    } as unknown as ControlParts['world'],
    members: {} as ControlParts['members'],
    raft: {
      get soft() {
        return { role: 'follower', leader: now < knownAt ? NO_PEER : toPeerId(2) } as SoftState;
      },
    } as ControlParts['raft'],
    askLeader,
  };
  return { controls: peerControls(parts as ControlParts), waited: () => now };
}

// The records in memory are updated with a delay after a snapshot replaces the state. A peer that answered from them
// let a member with an emptied disk rejoin under its old id (simulation, seed 5071).
it('reports from the applied state and from the leader whether a member has taken part', async () => {
  const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'memory' });
  const record = { id: 7, name: 'g', peerUrls: [], started: true };
  const put = { kind: 'put', key: `!members/${memberIdText(7)}`, value: Buffer.from(JSON.stringify(record)) } as const;
  await machine.apply([{ index: 1, data: encodeEntry({ kind: 'txn', txn: { compares: [], ops: [put] } }) }]);
  const parts = {
    identity: { clusterId: 'c' },
    confirmsJoins: true,
    reads: { submit: async () => ({ kind: 'ok' }) },
    state: { machine },
    raft: { soft: { role: 'leader' } },
    // The leader itself has counted on an acknowledgement.
    members: { mayHavePromised: (id: number) => id === 9 },
  } as unknown as ControlParts;
  const ask = (id: number) => peerControls(parts).forwarded(HAS_STARTED_CONFIRMED, id);
  expect(await ask(7)).toEqual({ clusterId: 'c', started: true, removed: false });
  expect(await ask(8)).toEqual({ clusterId: 'c', started: false, removed: false });
  expect(await ask(9)).toEqual({ clusterId: 'c', started: true, removed: false });

  const follower = { ...parts, raft: { soft: { role: 'follower' } }, askLeader: async () => ({ started: true }) };
  const answer = await peerControls(follower as unknown as ControlParts).forwarded(HAS_STARTED_CONFIRMED, 8);
  expect(answer).toEqual({ clusterId: 'c', started: true, removed: false });
});

describe('a list of members', () => {
  it('is read after a linearizable read, from the configuration as of the applied state', async () => {
    let applied = 4;
    const parts = {
      reads: {
        submit: async () => {
          applied = 9;
          return { kind: 'ok' };
        },
      },
      state: {
        get machine() {
          return { applied };
        },
      },
      raft: { configAt: (index: number) => ({ voters: [index] }) },
      members: { list: (config: unknown) => [config] },
    } as unknown as ControlParts;
    const { control } = peerControls(parts);
    expect(await control.members({ linearizable: false })).toEqual({ kind: 'ok', value: [{ voters: [4] }] });
    expect(await control.members()).toEqual({ kind: 'ok', value: [{ voters: [9] }] });
  });

  it('is refused without a leader', async () => {
    const reads = { submit: async () => ({ kind: 'refused', reason: 'noLeader', message: 'no leader' }) };
    const { control } = peerControls({ reads, members: {} } as unknown as ControlParts);
    expect(await control.members()).toEqual({ kind: 'refused', message: 'no leader' });
  });
});

// A founder that joins again as `existing` reads the log from its first entry, and no entry says who founded the cluster (simulation).
it('refuses to list members that it does not know yet', async () => {
  const reads = { submit: async () => ({ kind: 'ok' }) };
  const raft = { configAt: () => ({ voters: [] }) };
  const parts = { reads, raft, state: { machine: { applied: 3 } }, members: {} } as unknown as ControlParts;
  expect(await peerControls(parts).control.members()).toMatchObject({ kind: 'refused' });
});

describe('a call that only a leader runs', () => {
  it('is repeated on the new leader when the old one has refused it', async () => {
    // This is the real answer of a deposed peer.
    const deposed = follower(() => Promise.reject(new Error('not asked')));
    let asked = 0;
    const { controls } = follower((name, argument) =>
      ++asked < 3 ? deposed.controls.forwarded(name, argument) : Promise.resolve({ kind: 'ok', value: null }),
    );
    expect(await controls.control.promoteMember(7)).toEqual({ kind: 'ok', value: null });
    expect(asked).toBe(3);
  });

  it('waits for a leader while an election is under way', async () => {
    const { controls, waited } = follower(() => Promise.resolve({ kind: 'ok', value: null }), 500);
    expect(await controls.control.promoteMember(7)).toEqual({ kind: 'ok', value: null });
    expect(waited()).toBeGreaterThanOrEqual(500);
  });

  it('is given up after two election timeouts without a leader', async () => {
    const deposed = follower(() => Promise.reject(new Error('not asked')));
    const { controls, waited } = follower((name, argument) => deposed.controls.forwarded(name, argument));
    expect(await controls.control.removeMember(7)).toMatchObject({ kind: 'refused', message: /try again/ });
    expect(waited()).toBeLessThanOrEqual(2 * PEER_DEFAULTS.electionMs + 2 * PEER_DEFAULTS.heartbeatMs);
  });

  it('is not repeated when it may have been carried out', async () => {
    let asked = 0;
    const { controls } = follower(() => {
      asked++;
      return Promise.reject(new Error('the connection ended'));
    });
    expect(await controls.control.removeMember(7)).toMatchObject({ kind: 'unknown', message: /the connection ended/ });
    expect(asked).toBe(1);
  });
});

describe('a snapshot saved to a file', () => {
  it('is refused where it cannot be written, without harm to the peer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trireme-save-'));
    const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'memory' });
    const op = { kind: 'put', key: '/a', value: Buffer.alloc(400_000, 7) } as const;
    await machine.apply([{ index: 1, data: encodeEntry({ kind: 'txn', txn: { compares: [], ops: [op] } }) }]);
    const { control } = peerControls({ state: { machine }, world: testWorld(0) } as unknown as ControlParts);
    const strays: unknown[] = [];
    const stray = (error: unknown): number => strays.push(error);
    process.on('uncaughtException', stray);
    try {
      const nowhere = await control.saveSnapshot(join(folder, 'nowhere', 'a'));
      expect(nowhere).toMatchObject({ kind: 'refused', message: expect.stringContaining('ENOENT') });
      const both = await Promise.all([
        control.saveSnapshot(join(folder, 'b')),
        control.saveSnapshot(join(folder, 'b')),
      ]);
      for (const saved of both) expect(saved).toMatchObject({ kind: 'ok', value: { revision: 1 } });
      expect(await snapshotStatus(join(folder, 'b'))).toMatchObject({ revision: 1, rows: 1 });
      expect(await readdir(folder)).toEqual(['b']);
      await new Promise((resolve) => setImmediate(resolve));
      expect(strays).toEqual([]);
    } finally {
      process.off('uncaughtException', stray);
      await machine.close();
      await rm(folder, { recursive: true });
    }
  });
});
