import { describe, expect, it } from 'vitest';
import type { Message } from './index.js';
import { DEFAULT_LIMITS, initialConfiguration, MemoryLog, RaftNode, toLogIndex, toPeerId, toTerm } from './index.js';

interface Host {
  readonly node: RaftNode;
  readonly log: MemoryLog;
  readonly applied: string[];
}

function host(id: number, voters: readonly number[]): Host {
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
    limits: DEFAULT_LIMITS,
    random,
  });
  return { node, log, applied: [] };
}

/** Carries out all Readys of all hosts until nobody has any; messages arrive at once. */
function settle(hosts: readonly Host[]): void {
  for (let busy = true; busy; ) {
    busy = false;
    for (const { node, log, applied } of hosts) {
      for (let ready = node.ready(); ready !== undefined; ready = node.ready()) {
        busy = true;
        for (const message of ready.messages) deliver(hosts, message);
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
});
