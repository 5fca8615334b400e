import { describe, expect, it } from 'vitest';
import { type Entry, initialConfiguration, toLogIndex, toPeerId, toTerm } from '../../../raft/index.js';
import { revision } from '../../base/index.js';
import { type AppliedEvent, decodeEntry, type RangeRequest, type StateMachine } from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import { PEER_RULES } from '../common/index.js';
import { Members, type MembersPorts } from './members.js';
import { MEMBERS, type MemberInfo, memberKey, REMOVED } from './records.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const founder = (id: number) => ({ id, name: `f${id}`, peerUrls: [`https://127.0.0.1:${id}`] });

/** The members as a leader sees them. Its proposals can be held until `letGo` applies them. */
function leader(over: Partial<MembersPorts> = {}) {
  const config = { ...initialConfiguration([1, 2, 3].map(toPeerId)) };
  const written: string[] = [];
  const terms: (number | undefined)[] = [];
  const malformed: string[] = [];
  const failed: string[] = [];
  let gates: (() => void)[] | undefined;
  const ports: Partial<MembersPorts> = {
    world: testWorld(0),
    self: 1,
    clusterId: 'c',
    founders: [founder(1), founder(2), founder(3)],
    entryForms: { reads: 1, writes: 1 },
    rules: PEER_RULES,
    isLeader: () => true,
    term: () => 1,
    configurationIsCommitted: () => true,
    configuration: () => config,
    caughtUp: () => false,
    change: (change) => {
      config.learners = [...config.learners, change.id];
      queueMicrotask(() => members.committed({ index: toLogIndex(9), term: toTerm(1) } as Entry));
      return { kind: 'appended', index: toLogIndex(9), term: toTerm(1) };
    },
    propose: async (command, { onlyTerm }) => {
      terms.push(onlyTerm);
      await new Promise<void>((resolve) => (gates === undefined ? resolve() : gates.push(resolve)));
      const entry = decodeEntry(Buffer.from(command));
      if (entry.kind !== 'txn') throw new Error(entry.kind);
      const changes = entry.txn.ops.map((op) => {
        written.push(`${op.kind} ${op.key}`);
        return op.kind === 'put'
          ? { kind: 'put', current: { key: op.key, value: op.value, modRevision: revision(1) } }
          : op;
      });
      members.applied([{ revision: revision(1), changes } as unknown as AppliedEvent]);
      return { kind: 'committed', revision: revision(1) };
    },
    changed: () => {},
    promoted: () => {},
    malformed: (why) => malformed.push(why),
    fail: (error) => failed.push(error.message),
    note: () => {},
    ...over,
  };
  const members: Members = new Members(ports as MembersPorts);
  return {
    members,
    written,
    terms,
    malformed,
    failed,
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

describe('the periodic work of a leader on its members', () => {
  it('records no removal of a member that was added while it recorded the founders', async () => {
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

  it('records the removal of one that the committed configuration does not have', async () => {
    const { members, written } = leader({ configuration: () => initialConfiguration([1, 2].map(toPeerId)) });
    members.applied([{ revision: revision(1), changes: [1, 2, 3].map(noted) as unknown as AppliedEvent['changes'] }]);
    await members.tend();
    expect(written).toContain(`put ${REMOVED}3`);
  });

  it('records no removal that is appended but not committed', async () => {
    let committed = false;
    const { members, written, terms } = leader({
      configuration: () => initialConfiguration([1, 2].map(toPeerId)),
      configurationIsCommitted: () => committed,
      term: () => 7,
    });
    members.applied([{ revision: revision(1), changes: [1, 2, 3].map(noted) as unknown as AppliedEvent['changes'] }]);
    await members.tend();
    expect(written.filter((line) => line.includes(REMOVED))).toEqual([]);
    committed = true;
    await members.tend();
    expect(written).toContain(`put ${REMOVED}3`);
    // The records are written in the term in which they were decided.
    expect(new Set(terms.filter((term) => term !== undefined))).toEqual(new Set([7]));
  });
});

describe('adding a member with an unknown outcome', () => {
  it('reports the unknown outcome, and keeps the record of the member', async () => {
    const { members, written } = leader({
      change: () => ({ kind: 'appended', index: toLogIndex(9), term: toTerm(1) }),
    });
    const adding = members.add({ peerUrls: ['https://127.0.0.1:9'] });
    await turn();
    members.lostLeadership(0);
    expect(await adding).toMatchObject({ kind: 'unknown' });
    expect(written.filter((line) => line.startsWith('delete'))).toEqual([]);
  });

  it('removes the record if the change was certainly replaced', async () => {
    const { members, written } = leader({
      change: () => ({ kind: 'appended', index: toLogIndex(9), term: toTerm(1) }),
    });
    const adding = members.add({ peerUrls: ['https://127.0.0.1:9'] });
    await turn();
    members.committed({ index: toLogIndex(9), term: toTerm(2) } as Entry);
    expect(await adding).toMatchObject({ kind: 'refused' });
    expect(written.filter((line) => line.startsWith('delete')).length).toBe(1);
  });

  it('is not reported as a failure when the record itself may have been written', async () => {
    const { members } = leader({ propose: async () => ({ kind: 'unknown', message: 'no answer in time' }) });
    expect(await members.add({ peerUrls: ['https://127.0.0.1:9'] })).toEqual({
      kind: 'unknown',
      message: 'no answer in time',
    });
  });
});

describe('a malformed record of a member', () => {
  it('changes nothing and is counted', () => {
    const { members, malformed } = leader();
    const change = (key: string, value: string) => ({ kind: 'put', current: { key, value: Buffer.from(value) } });
    const bad = [
      change(memberKey(2), '{'),
      change(memberKey(2), 'null'),
      change(memberKey(2), '{"id":2}'),
      change(memberKey(2), '{"id":3,"name":"f3","peerUrls":[]}'),
      change(`${MEMBERS}zz`, '{}'),
      change('!cluster', '{"entryForm":"2"}'),
      change('!other', '{}'),
    ];
    members.applied([{ revision: revision(1), changes: bad as unknown as AppliedEvent['changes'] }]);
    expect(malformed.length).toBe(bad.length);
    expect(members.info(2)).toEqual(founder(2));
    expect(members.entryForm).toBe(1);
  });
});

describe('the form of log entries', () => {
  const member = (id: number, over: Partial<MemberInfo>) => ({
    kind: 'put',
    current: { key: memberKey(id), value: Buffer.from(JSON.stringify({ ...founder(id), started: true, ...over })) },
  });
  const forms = (reads: number, writes: number): Partial<MembersPorts> => ({ entryForms: { reads, writes } });
  const apply = (members: Members, changes: readonly object[]): void =>
    members.applied([{ revision: revision(1), changes: changes as unknown as AppliedEvent['changes'] }]);

  it('is raised only when every member reads the newer one', async () => {
    const { members } = leader(forms(2, 2));
    apply(members, [member(1, { entryForm: 2 }), member(2, { entryForm: 2 }), member(3, {})]);
    await members.tend();
    expect(members.entryForm).toBe(1);
    apply(members, [member(3, { entryForm: 2 })]);
    await members.tend();
    expect(members.entryForm).toBe(2);
  });

  it('is written by a release that was rolled back as that release writes it', async () => {
    const { members, failed } = leader(forms(2, 1));
    apply(
      members,
      [1, 2, 3].map((id) => member(id, { entryForm: 2 })),
    );
    await members.tend();
    expect(members.entryForm).toBe(1);
    apply(members, [{ kind: 'put', current: { key: '!cluster', value: Buffer.from('{"entryForm":2}') } }]);
    expect([members.entryForm, failed]).toEqual([1, []]);
  });

  it('stops a release that does not read it', () => {
    const { members, failed } = leader(forms(1, 1));
    apply(members, [{ kind: 'put', current: { key: '!cluster', value: Buffer.from('{"entryForm":2}') } }]);
    expect(failed).toEqual([expect.stringContaining('upgrade this peer')]);
  });
});

const noted = (id: number) => ({
  kind: 'put',
  current: { key: memberKey(id), value: Buffer.from(JSON.stringify({ ...founder(id), started: true })) },
});

describe('a member change that a leader has started', () => {
  it('completes when a snapshot replaces its entry, so that the next one can run', async () => {
    const indexes = [9, 10];
    const { members } = leader({
      change: () => ({ kind: 'appended', index: toLogIndex(indexes.shift()!), term: toTerm(1) }),
    });
    const first = members.remove(2);
    const second = members.remove(3);
    await turn();
    // The change is committed and would complete when applied, but a snapshot replaces its entry.
    members.lostLeadership(9);
    members.giveUp();
    expect(await first).toEqual({ kind: 'unknown', message: expect.stringContaining('leadership was lost meanwhile') });
    await turn();
    members.committed({ index: toLogIndex(10), term: toTerm(1) } as Entry);
    expect(await second).toEqual({ kind: 'ok', value: null });
  });
});

describe('members read from a new state', () => {
  it('replace the old ones only when they are complete', async () => {
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
    for (let asked = 0; asked < 3; asked++) {
      expect(members.hasStarted(2)).toBe(true);
      answer();
      await turn();
    }
    await loading;
    expect(members.hasStarted(2)).toBe(true);
  });
});
