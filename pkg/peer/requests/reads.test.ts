import { describe, expect, it } from 'vitest';
import { toLogIndex } from '../../../raft/index.js';
import { READ_LIMITS } from '../common/limits.js';
import { type PeerReadResult, Reads } from './reads.js';

function surroundings() {
  const world = { now: 0, applied: 0, asked: [] as number[], standstill: undefined as string | undefined, sole: 0 };
  const opening: (() => number)[] = [];
  const reads = new Reads({
    electionTimeoutMs: 1000,
    now: () => world.now,
    applied: () => world.applied,
    standstill: () => world.standstill,
    readIndex: (open) => opening.push(open),
    sole: () => world.sole,
  });
  /** Runs the consensus core, which opens the requested round. */
  const run = (): void => {
    for (const open of opening.splice(0)) world.asked.push(open());
  };
  const submit = (): { readonly settled: () => PeerReadResult | undefined } => {
    let result: PeerReadResult | undefined;
    void reads.submit().then((r) => {
      result = r;
    });
    return { settled: () => result };
  };
  return { world, reads, run, submit };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('reads', () => {
  it('share one round, but never one that began before them', async () => {
    const { world, reads, run, submit } = surroundings();
    const early = [submit(), submit(), submit()];
    run();
    expect(world.asked).toEqual([1]);
    const late = submit();
    reads.settled({ kind: 'ready', context: 1, index: toLogIndex(0) });
    await turn();
    for (const read of early) expect(read.settled()).toEqual({ kind: 'ok', revision: 0 });
    expect(late.settled()).toBeUndefined();
    run();
    expect(world.asked).toEqual([1, 2]);
  });

  it('have the period as the only member in which their round began, not the one in which it ended', async () => {
    const { world, reads, run, submit } = surroundings();
    const before = submit();
    run();
    world.sole = 3;
    const during = submit();
    run();
    world.sole = 0;
    reads.settled({ kind: 'ready', context: 1, index: toLogIndex(0) });
    reads.settled({ kind: 'ready', context: 2, index: toLogIndex(0) });
    await turn();
    expect(before.settled()).toEqual({ kind: 'ok', revision: 0 });
    expect(during.settled()).toEqual({ kind: 'ok', revision: 0, sole: 3 });
  });

  it('wait until this peer has applied the index', async () => {
    const { world, reads, run, submit } = surroundings();
    const read = submit();
    run();
    reads.settled({ kind: 'ready', context: 1, index: toLogIndex(7) });
    await turn();
    expect(read.settled()).toBeUndefined();
    world.applied = 7;
    reads.applied();
    await turn();
    expect(read.settled()).toEqual({ kind: 'ok', revision: 7 });
  });

  it('are retried at the next tick after a change of leader, up to a limit', async () => {
    const { world, reads, run, submit } = surroundings();
    const read = submit();
    run();
    reads.settled({ kind: 'refused', context: 1, reason: 'leaderChanged' });
    run();
    expect(world.asked).toEqual([1]);
    reads.expire();
    run();
    expect(world.asked).toEqual([1, 2]);
    world.now = READ_LIMITS.retryElectionTimeouts * 1000 + 1;
    reads.settled({ kind: 'refused', context: 2, reason: 'noLeader' });
    reads.expire();
    await turn();
    expect(read.settled()).toMatchObject({ kind: 'refused', reason: 'noLeader' });
    expect(reads.pending).toBe(0);
  });

  it('are refused in time by a peer that does not apply', async () => {
    const { world, reads, run, submit } = surroundings();
    const deadline = READ_LIMITS.answerMs + 2 * 1000;
    const early = submit();
    world.now = 10;
    const late = submit();
    run();
    reads.settled({ kind: 'ready', context: 1, index: toLogIndex(7) });
    world.now = deadline - 1;
    reads.expire();
    await turn();
    expect([early.settled(), late.settled()]).toEqual([undefined, undefined]);
    world.now = deadline;
    reads.expire();
    await turn();
    expect(early.settled()).toMatchObject({
      kind: 'refused',
      reason: 'overloaded',
      message: expect.stringContaining('entry 7 in time'),
    });
    expect([late.settled(), reads.pending]).toEqual([undefined, 1]);
    world.applied = 7;
    reads.applied();
    await turn();
    expect(late.settled()).toEqual({ kind: 'ok', revision: 7 });
    expect(reads.pending).toBe(0);
  });

  it('are refused at once while nothing can be applied', async () => {
    const { world, reads, run, submit } = surroundings();
    const read = submit();
    run();
    reads.settled({ kind: 'ready', context: 1, index: toLogIndex(7) });
    world.standstill = 'the disk is full';
    reads.expire();
    await turn();
    expect(read.settled()).toEqual({ kind: 'refused', reason: 'noSpace', message: 'the disk is full' });
    expect(reads.pending).toBe(0);
  });

  it('are all refused when the peer stops', async () => {
    const { reads, run, submit } = surroundings();
    const asked = submit();
    run();
    const fresh = submit();
    reads.stop('the end');
    await turn();
    for (const read of [asked, fresh]) expect(read.settled()).toMatchObject({ kind: 'refused', reason: 'stopping' });
  });
});
