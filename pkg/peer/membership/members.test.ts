import { describe, expect, it } from 'vitest';
import { type Entry, initialConfiguration, toLogIndex, toPeerId, toTerm } from '../../../raft/index.js';
import { revision } from '../../base/index.js';
import { type AppliedEvent, decodeEntry, type RangeRequest, type StateMachine } from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import { MEMBERS, Members, type MembersPorts, memberKey, REMOVED } from './members.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const founder = (id: number) => ({ id, name: `f${id}`, peerUrls: [`https://127.0.0.1:${id}`] });

/** The members as a leader sees them; what it proposes is applied when `gate` lets it. */
function leader(over: Partial<MembersPorts> = {}) {
  const config = { ...initialConfiguration([1, 2, 3].map(toPeerId)) };
  const written: string[] = [];
  let gates: (() => void)[] | undefined;
  const ports: Partial<MembersPorts> = {
    world: testWorld(0),
    self: 1,
    clusterId: 'c',
    founders: [founder(1), founder(2), founder(3)],
    isLeader: () => true,
    configuration: () => config,
    caughtUp: () => false,
    change: (change) => {
      config.learners = [...config.learners, change.id];
      queueMicrotask(() => members.committed({ index: toLogIndex(9), term: toTerm(1) } as Entry));
      return { kind: 'appended', index: toLogIndex(9), term: toTerm(1) };
    },
    propose: async (command) => {
      await new Promise<void>((resolve) => (gates === undefined ? resolve() : gates.push(resolve)));
      const entry = decodeEntry(Buffer.from(command));
      if (entry.kind !== 'txn') throw new Error(entry.kind);
      const changes = entry.txn.ops.map((op) => {
        written.push(`${op.kind} ${op.key}`);
        return op.kind === 'put' ? { kind: 'put', current: { key: op.key, value: op.value } } : op;
      });
      members.applied([{ revision: revision(1), changes } as unknown as AppliedEvent]);
      return { kind: 'committed', revision: revision(1) };
    },
    changed: () => {},
    promoted: () => {},
    note: () => {},
    ...over,
  };
  const members: Members = new Members(ports as MembersPorts);
  return {
    members,
    written,
    hold: () => {
      gates = [];
    },
    letGo: () => {
      const waiting = gates ?? [];
      gates = undefined;
      for (const go of waiting) go();
    },
  };
}

describe('what a leader does about members of its own accord', () => {
  it('does not bury a member that was added while it noted the founders', async () => {
    const { members, written, hold, letGo } = leader();
    hold();
    const tending = members.tend();
    await turn();
    const added = members.add({ peerUrls: ['https://127.0.0.1:9'] });
    letGo();
    const result = await added;
    await tending;
    expect(result.kind).toBe('ok');
    expect(written.filter((line) => line.includes(REMOVED))).toEqual([]);
    expect(members.list().map(({ peerUrls }) => peerUrls[0])).toContain('https://127.0.0.1:9');
  });

  it('buries one that is no member any more', async () => {
    const { members, written } = leader({ configuration: () => initialConfiguration([1, 2].map(toPeerId)) });
    members.applied([{ revision: revision(1), changes: [1, 2, 3].map(noted) as unknown as AppliedEvent['changes'] }]);
    await members.tend();
    expect(written).toContain(`put ${REMOVED}3`);
  });
});

const noted = (id: number) => ({
  kind: 'put',
  current: { key: memberKey(id), value: Buffer.from(JSON.stringify({ ...founder(id), started: true })) },
});

describe('a change of members that a leader has begun', () => {
  it('is answered when a snapshot takes its place in the log, so that others have their turn', async () => {
    const indexes = [9, 10];
    const { members } = leader({
      change: () => ({ kind: 'appended', index: toLogIndex(indexes.shift()!), term: toTerm(1) }),
    });
    const first = members.remove(2);
    const second = members.remove(3);
    await turn();
    // Committed, so it would be settled by being applied; but the state of somebody else overtakes that.
    members.lostLeadership(9);
    members.giveUp();
    expect(await first).toEqual({ kind: 'refused', message: expect.stringContaining('leadership was lost meanwhile') });
    await turn();
    members.committed({ index: toLogIndex(10), term: toTerm(1) } as Entry);
    expect(await second).toEqual({ kind: 'ok', value: null });
  });
});

describe('members read from another state', () => {
  it('stay known until the new ones are', async () => {
    const { members } = leader();
    members.applied([{ revision: revision(1), changes: [noted(2)] as unknown as AppliedEvent['changes'] }]);
    let answer = (): void => {};
    const machine = {
      range: async ({ start }: RangeRequest) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        const items = start === MEMBERS ? [noted(2).current] : [];
        return { kind: 'ok', revision: revision(1), items, more: false };
      },
    } as unknown as StateMachine;
    const loading = members.load(machine);
    for (let asked = 0; asked < 2; asked++) {
      expect(members.hasStarted(2)).toBe(true);
      answer();
      await turn();
    }
    await loading;
    expect(members.hasStarted(2)).toBe(true);
  });
});
