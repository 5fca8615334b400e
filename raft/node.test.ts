import { describe, expect, it } from 'vitest';
import type { Message, RaftLimits } from './index.js';
import { DEFAULT_LIMITS, initialConfiguration, MemoryLog, RaftNode, toLogIndex, toPeerId, toTerm } from './index.js';

interface Host {
  readonly node: RaftNode;
  readonly log: MemoryLog;
  readonly applied: string[];
}

function host(id: number, voters: readonly number[], limits: Partial<RaftLimits> = {}): Host {
  const log = new MemoryLog({
    index: toLogIndex(0),
    term: toTerm(0),
    config: initialConfiguration(voters.map(toPeerId)),
  });
  let seed = id;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const node = new RaftNode({
    id: toPeerId(id),
    storage: log,
    hardState: undefined,
    applied: toLogIndex(0),
    limits: { ...DEFAULT_LIMITS, ...limits },
    random,
  });
  return { node, log, applied: [] };
}

/** Carries out all Readys of all hosts until none is left; messages arrive at once. */
function settle(hosts: readonly Host[], lost: (message: Message) => boolean = () => false): void {
  for (let busy = true; busy; ) {
    busy = false;
    for (const { node, log, applied } of hosts) {
      for (let ready = node.ready(); ready !== undefined; ready = node.ready()) {
        busy = true;
        for (const message of ready.messages) if (!lost(message)) deliver(hosts, message);
        if (ready.write !== undefined) {
          log.append(ready.write.entries);
          node.persisted(ready.write.number);
        }
        for (const entry of ready.committed) {
          if (entry.kind === 'normal') applied.push(new TextDecoder().decode(entry.data));
          node.applied(entry.index);
        }
      }
    }
  }
}

function deliver(hosts: readonly Host[], message: Message): void {
  hosts.find(({ node }) => node.status().id === message.to)?.node.step(message);
}

describe('RaftNode', () => {
  it('leads a cluster of one as soon as its own vote is durable', () => {
    const one = host(1, [1]);
    one.node.campaign();
    settle([one]);
    expect(one.node.status()).toMatchObject({ role: 'leader', term: 1, commit: 1, lastIndex: 1 });
    expect(one.node.propose(new TextEncoder().encode('a'))).toEqual({ kind: 'appended', index: 2, term: 1 });
    settle([one]);
    expect(one.applied).toEqual(['a']);
  });

  it('replicates from the leader of three to all of them', () => {
    const hosts = [1, 2, 3].map((id) => host(id, [1, 2, 3]));
    hosts[0]!.node.campaign();
    settle(hosts);
    for (const text of ['a', 'b', 'c']) hosts[0]!.node.propose(new TextEncoder().encode(text));
    settle(hosts);
    expect(hosts.map(({ applied }) => applied.join(''))).toEqual(['abc', 'abc', 'abc']);
  });

  it('keeps the log for a live follower that is behind, also right after a quorum check', () => {
    const hosts = [1, 2, 3].map((id) => host(id, [1, 2, 3], { electionTicks: 10, heartbeatTicks: 1 }));
    const leader = hosts[0]!.node;
    const slow = (message: Message): boolean => message.to === 3 && message.kind === 'append';
    leader.campaign();
    settle(hosts, slow);
    for (let i = 0; i < 20; i++) leader.propose(new Uint8Array(1));
    settle(hosts, slow);
    for (let tick = 0; tick < 25; tick++) {
      leader.tick();
      expect(leader.compactionIndex(5, 100), `after ${tick} ticks`).toBeUndefined();
      settle(hosts, slow);
    }
    for (let tick = 0; tick < 25; tick++) {
      leader.tick();
      settle(hosts, (message) => message.to === 3 || message.from === 3);
    }
    expect(leader.compactionIndex(5, 100)).toBe(leader.status().applied - 5);
  });

  it('keeps the log after a snapshot in flight', () => {
    const hosts = [1, 2, 3].map((id) => host(id, [1, 2, 3], { electionTicks: 10, heartbeatTicks: 1 }));
    const { node: leader, log } = hosts[0]!;
    const cut = ({ to, kind }: Message): boolean => to === 3 && (kind === 'append' || kind === 'snapshot');
    const write = (count: number): void => {
      for (let i = 0; i < count; i++) leader.propose(new Uint8Array(1));
      settle(hosts, cut);
    };
    leader.campaign();
    settle(hosts, cut);
    write(10);
    log.compact(leader.compact(leader.status().applied));
    leader.tick();
    settle(hosts, cut);
    const ordered = leader.status().applied;
    expect(leader.status().peers.find(({ id }) => id === 3)!.state).toBe('snapshot');
    write(20);
    expect(leader.compactionIndex(0, 100)).toBeUndefined();
    leader.snapshotCovers(toPeerId(3), toLogIndex(ordered + 15));
    expect(leader.compactionIndex(0, 100)).toBe(ordered + 15);
    // A later acknowledgement is never lower.
    leader.snapshotCovers(toPeerId(3), toLogIndex(ordered + 5));
    expect(leader.compactionIndex(0, 100)).toBe(ordered + 15);
    leader.reportSnapshot(toPeerId(3), true);
    expect(leader.status().peers.find(({ id }) => id === 3)).toMatchObject({ state: 'probe', next: ordered + 16 });
  });

  it('returns no Ready without input', () => {
    const one = host(1, [1]);
    one.node.campaign();
    settle([one]);
    expect([one.node.hasReady(), one.node.ready()]).toEqual([false, undefined]);
  });

  it('names the leader when it rejects a proposal', () => {
    const hosts = [1, 2, 3].map((id) => host(id, [1, 2, 3]));
    hosts[0]!.node.campaign();
    settle(hosts);
    expect(hosts[1]!.node.propose(new Uint8Array(1))).toMatchObject({
      kind: 'refused',
      reason: 'notLeader',
      leader: 1,
    });
  });

  it('combines input into one write while writes are pending (group commit)', () => {
    const one = host(1, [1], { inflightWritesMax: 1 });
    one.node.campaign();
    settle([one]);
    one.node.propose(new Uint8Array(1));
    const first = one.node.ready()!.write!;
    for (let i = 0; i < 50; i++) one.node.propose(new Uint8Array(1));
    expect(one.node.ready()?.write).toBeUndefined();
    one.log.append(first.entries);
    one.node.persisted(first.number);
    expect(one.node.ready()?.write?.entries.length).toBe(50);
  });

  it('reports the configuration in force, and the one at any index', () => {
    const one = host(1, [1]);
    one.node.campaign();
    settle([one]);
    const added = one.node.proposeConfigChange({ changes: [{ kind: 'addLearner', id: toPeerId(2) }] });
    if (added.kind !== 'appended') throw new Error(added.detail);
    // It is in force when it is in the log, but not committed.
    expect(one.node.status().commit).toBeLessThan(added.index);
    expect(one.node.config.learners).toEqual([2]);
    expect(one.node.configAt(one.node.status().commit).learners).toEqual([]);
    settle([one]);
    expect(one.node.configAt(one.node.status().commit).learners).toEqual([2]);
    // What is before the base of the log is forgotten.
    one.log.compact(one.node.compact(added.index));
    expect(one.node.configAt(toLogIndex(1)).learners).toEqual([2]);
  });

  it('does not write the commit index alone', () => {
    const one = host(1, [1]);
    one.node.campaign();
    settle([one]);
    one.node.propose(new Uint8Array(1));
    const { number, hardState, entries } = one.node.ready()!.write!;
    expect(hardState.commit).toBe(1);
    one.log.append(entries);
    one.node.persisted(number);
    const ready = one.node.ready()!;
    expect([ready.committed.length, ready.write]).toEqual([1, undefined]);
  });

  it('reports whether it needs an offered snapshot', () => {
    const [leader, follower] = [host(1, [1, 2]), host(2, [1, 2])] as const;
    leader.node.campaign();
    settle([leader, follower]);
    const offer = (index: number): Message => ({
      kind: 'snapshot',
      from: toPeerId(1),
      to: toPeerId(2),
      term: toTerm(1),
      snapshot: { index: toLogIndex(index), term: toTerm(1), config: initialConfiguration([1, 2].map(toPeerId)) },
    });
    follower.node.step(offer(1));
    expect(follower.node.installing).toBeUndefined();
    follower.node.step(offer(5));
    expect(follower.node.installing).toBe(5);
    const { write } = follower.node.ready()!;
    follower.log.reset(write!.snapshot!);
    follower.node.persisted(write!.number);
    expect([follower.node.installing, follower.node.status().applied]).toEqual([undefined, 5]);
  });

  it('throws when an invariant is broken by the core or the caller', () => {
    const one = host(1, [1, 2]);
    const from2 = { from: toPeerId(2), to: toPeerId(1), term: toTerm(1), readRound: 0 };
    expect(() => one.node.persisted(1)).toThrow('invariant 12');
    expect(() => one.node.step({ kind: 'heartbeat', ...from2, to: toPeerId(2), commit: toLogIndex(0) })).toThrow(
      'invariant 12',
    );
    expect(() => one.node.step({ kind: 'heartbeat', ...from2, commit: toLogIndex(9) })).toThrow('invariant 6');
    expect(() => one.node.step({ kind: 'heartbeat', ...from2, from: toPeerId(3), commit: toLogIndex(0) })).toThrow(
      'invariant 2',
    );
    expect(() => one.node.applied(toLogIndex(1))).toThrow('invariant 6');
    expect(() => host(1, [1], { electionTicks: 1 })).toThrow(RangeError);
    expect(() => host(1, [1], { appendBytesMax: 1 << 30 })).toThrow(RangeError);
  });

  it('throws when the leader has a different entry at a committed index', () => {
    const append = (from: number, term: number, prev: [number, number], terms: readonly number[], commit: number) =>
      ({
        kind: 'append',
        from: toPeerId(from),
        to: toPeerId(1),
        term: toTerm(term),
        prevIndex: toLogIndex(prev[0]),
        prevTerm: toTerm(prev[1]),
        entries: terms.map((entryTerm, i) => ({
          index: toLogIndex(prev[0] + 1 + i),
          term: toTerm(entryTerm),
          kind: 'normal' as const,
          data: new Uint8Array(1),
        })),
        commit: toLogIndex(commit),
        quiet: false,
      }) as const;
    const follower = (): Host => {
      const one = host(1, [1, 2, 3]);
      one.node.step(append(2, 1, [0, 0], [1, 1, 1], 3));
      settle([one]);
      expect(one.node.status().commit).toBe(3);
      return one;
    };
    // The repeated entries are equal.
    expect(() => follower().node.step(append(2, 1, [0, 0], [1, 1, 1], 3))).not.toThrow();
    expect(() => follower().node.step(append(3, 2, [3, 1], [2], 3))).not.toThrow();
    for (const message of [
      append(3, 2, [3, 2], [], 3),
      append(3, 2, [2, 2], [2], 3),
      append(3, 2, [1, 1], [2], 3),
      append(3, 2, [0, 0], [1, 2, 2, 2], 4),
    ]) {
      expect(() => follower().node.step(message)).toThrow(/invariant 5: committed entry/);
    }
  });

  it('asks no second successor while the first campaigns', () => {
    const hosts = [1, 2, 3].map((id) => host(id, [1, 2, 3]));
    const [one] = hosts;
    one!.node.campaign();
    settle(hosts);
    const asked: number[] = [];
    const lost = (message: Message): boolean => {
      if (message.kind === 'timeoutNow') asked.push(message.to);
      return message.kind === 'timeoutNow';
    };
    expect(one!.node.transferLeadership(toPeerId(2))).toEqual({ kind: 'started' });
    settle(hosts, lost);
    expect(asked).toEqual([2]);
    expect(one!.node.transferLeadership(toPeerId(3))).toMatchObject({ kind: 'refused', reason: 'transferring' });
    expect(one!.node.transferLeadership(toPeerId(2))).toEqual({ kind: 'started' });
    settle(hosts, lost);
    expect(asked).toEqual([2]);
  });

  it('gives a successor that caught up late a whole election timeout', () => {
    const hosts = [1, 2, 3].map((id) => host(id, [1, 2, 3], { electionTicks: 10, heartbeatTicks: 1 }));
    const { node } = hosts[0]!;
    node.campaign();
    settle(hosts);
    let isBehind = true;
    const lost = ({ kind, to }: Message): boolean =>
      kind === 'timeoutNow' || (kind === 'append' && to === 2 && isBehind);
    const tick = (times: number): void => {
      for (let i = 0; i < times; i++) {
        node.tick();
        settle(hosts, lost);
      }
    };
    node.propose(new TextEncoder().encode('a'));
    settle(hosts, lost);
    expect(node.transferLeadership(toPeerId(2))).toEqual({ kind: 'started' });
    tick(7);
    isBehind = false;
    tick(9);
    expect(node.transferLeadership(toPeerId(3))).toMatchObject({ kind: 'refused', reason: 'transferring' });
    tick(3);
    expect(node.transferLeadership(toPeerId(3))).toEqual({ kind: 'started' });
  });
});
