// Proposals over real consensus cores and unreliable connections. Whatever happens, a command takes effect at most
// once, and the result that its caller received is true. Peers, messages and time advance in small steps that are drawn
// from a seed (PROPOSAL_SEEDS=5000 runs more seeds).

import { describe, expect, it } from 'vitest';
import {
  DEFAULT_LIMITS,
  type Entry,
  type HardState,
  initialConfiguration,
  MemoryLog,
  type Message,
  NO_PEER,
  type PeerId,
  RaftNode,
  type Ready,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../../raft/index.js';
import { type Revision, revision } from '../../base/index.js';
import type { TxnResult } from '../../storage/index.js';
import type { ForwardedProposal, ForwardRefusal } from '../network/network.js';
import { Proposals } from './proposals.js';

const PEERS = [1, 2, 3].map(toPeerId);
const ELECTION_TICKS = 4;
const TICK_MS = 100;

/** Deliberate errors of a peer. */
interface Fault {
  /** Reports that a forwarded proposal was not sent, although it was. */
  readonly deniesForwarding?: boolean;
  /** A leader appends a proposal that was forwarded in an earlier term. */
  readonly ignoresTerm?: boolean;
}

/** Numbers in [0, 1) from a seed (a linear congruential generator, high bits). */
function numbersFrom(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Submitted {
  readonly result: TxnResult | undefined;
}

class TestPeer {
  readonly id: PeerId;
  readonly log: MemoryLog;
  hardState: HardState | undefined;
  applied = 0;
  node!: RaftNode;
  proposals!: Proposals;
  soft: { readonly leader: PeerId; readonly term: number } = { leader: NO_PEER, term: 0 };
  unwritten: NonNullable<Ready['write']>[] = [];

  constructor(id: PeerId) {
    this.id = id;
    this.log = new MemoryLog({ index: toLogIndex(0), term: toTerm(0), config: initialConfiguration(PEERS) });
  }
}

class Lab {
  readonly #random: () => number;
  readonly #fault: Fault;
  readonly #peers: readonly TestPeer[];
  /** Raft messages arrive in any order; proposals and refusals in the order of their connection, until it breaks. */
  #messages: Message[] = [];
  readonly #streams = new Map<string, (ForwardedProposal | ForwardRefusal)[]>();
  readonly #submitted = new Map<number, Submitted>();
  /** The positions of each command among the committed entries. */
  readonly places = new Map<number, Set<number>>();
  #now = 0;
  #origins = 0;
  #commands = 0;

  constructor(seed: number, fault: Fault) {
    this.#random = numbersFrom(seed);
    this.#fault = fault;
    this.#peers = PEERS.map((id) => new TestPeer(id));
    for (const peer of this.#peers) this.#start(peer);
  }

  async run(): Promise<void> {
    for (let i = 0; i < 1500; i++) {
      this.#badStep();
      // Answers are promises: let them settle, as between two turns of the event loop.
      if (i % 8 === 0) await null;
    }
    for (let i = 0; i < 200; i++) {
      this.#now += TICK_MS;
      for (const peer of this.#peers) {
        peer.node.tick();
        peer.proposals.expire();
      }
      this.#goodStep();
      await null;
    }
  }

  /** Results that contradict what the caller received. */
  complaints(): readonly string[] {
    const out: string[] = [];
    for (const [command, { result }] of this.#submitted) {
      const places = [...(this.places.get(command) ?? [])];
      if (places.length > 1) out.push(`command ${command} took place at ${places.join(' and ')}`);
      if (result === undefined) out.push(`command ${command} was never answered`);
      if (result?.kind === 'committed' && places[0] !== result.revision) out.push(`command ${command}: not where told`);
      if (result?.kind === 'refused' && places.length > 0) out.push(`command ${command} took place, but was refused`);
    }
    return out;
  }

  count(kind: TxnResult['kind']): number {
    return [...this.#submitted.values()].filter(({ result }) => result?.kind === kind).length;
  }

  #start(peer: TestPeer): void {
    const { id, log, hardState } = peer;
    peer.node = new RaftNode({
      id,
      storage: log,
      hardState,
      applied: toLogIndex(peer.applied),
      limits: { ...DEFAULT_LIMITS, electionTicks: ELECTION_TICKS },
      random: this.#random,
    });
    peer.soft = { leader: NO_PEER, term: peer.node.status().term };
    peer.unwritten = [];
    peer.proposals = new Proposals(
      {
        electionTimeoutMs: ELECTION_TICKS * TICK_MS,
        now: () => this.#now,
        leadership: () => peer.soft,
        form: () => 1,
        malformed: () => {},
        propose: (data) => peer.node.propose(data),
        forward: (leader, proposal) => {
          if (this.#chance(0.1)) return false;
          this.#stream(id, leader).push(proposal);
          return this.#fault.deniesForwarding !== true;
        },
      },
      ++this.#origins,
    );
  }

  #badStep(): void {
    const peer = this.#pick(this.#peers);
    const act = this.#random();
    if (act < 0.1) this.#submit(peer);
    else if (act < 0.25) this.#tick(peer);
    else if (act < 0.5) this.#work(peer);
    else if (act < 0.6) this.#sync(peer);
    else if (act < 0.92) this.#deliverOne();
    else if (act < 0.97) this.#streamOne();
    else if (act < 0.98) this.#breakStreams(peer);
    else if (act < 0.99) this.#messages = this.#messages.filter(() => this.#chance(0.5));
    else this.#crash(peer);
  }

  #goodStep(): void {
    for (let round = 0; round < 30; round++) {
      for (const peer of this.#peers) {
        this.#work(peer);
        this.#sync(peer);
      }
      for (const message of this.#messages.splice(0)) this.#peer(message.to).node.step(message);
      for (const key of this.#streams.keys()) while (this.#streamFrom(key));
    }
  }

  #submit(peer: TestPeer): void {
    const command = ++this.#commands;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(command);
    this.#submitted.set(command, { result: undefined });
    void peer.proposals.submit(bytes).then((result) => this.#submitted.set(command, { result }));
  }

  #tick(peer: TestPeer): void {
    this.#now += TICK_MS / 3;
    peer.node.tick();
    peer.proposals.expire();
  }

  /** As in the Ready loop. */
  #work(peer: TestPeer): void {
    for (let ready = peer.node.ready(); ready !== undefined; ready = peer.node.ready()) {
      if (ready.softState !== undefined) {
        peer.soft = ready.softState;
        peer.proposals.retryHeld();
      }
      this.#messages.push(...ready.messages);
      if (ready.write !== undefined) peer.unwritten.push(ready.write);
      for (const entry of ready.committed) this.#apply(peer, entry);
      if (ready.committed.length > 0) peer.node.applied(toLogIndex(peer.applied));
    }
  }

  #apply(peer: TestPeer, entry: Entry): void {
    peer.applied = entry.index;
    peer.proposals.reached(entry.term);
    if (entry.kind !== 'normal') return;
    const { command, answer } = peer.proposals.applying(entry.data);
    const places = this.places.get(command.readUInt32LE()) ?? new Set();
    this.places.set(command.readUInt32LE(), places.add(entry.index));
    answer?.({ kind: 'committed', revision: revision(entry.index) satisfies Revision });
  }

  #sync(peer: TestPeer): void {
    for (const write of peer.unwritten.splice(0)) {
      peer.log.append(write.entries);
      peer.hardState = write.hardState;
      peer.node.persisted(write.number);
    }
  }

  #deliverOne(): void {
    const message = this.#pick(this.#messages);
    if (message === undefined) return;
    if (!this.#chance(0.05)) this.#messages.splice(this.#messages.indexOf(message), 1);
    if (!this.#chance(0.1)) this.#peer(message.to).node.step(message);
  }

  #streamOne(): void {
    const key = this.#pick([...this.#streams.keys()]);
    if (key !== undefined) this.#streamFrom(key);
  }

  /** Delivers the first message of one connection. */
  #streamFrom(key: string): boolean {
    const what = this.#streams.get(key)!.shift();
    if (what === undefined) return false;
    const [from, to] = key.split(' ').map((id) => this.#peer(Number(id))) as [TestPeer, TestPeer];
    if ('refused' in what) to.proposals.refused(what);
    else this.#forwarded(from, to, what);
    return true;
  }

  /** As in `incoming.ts`. */
  #forwarded(from: TestPeer, to: TestPeer, { id, data, term }: ForwardedProposal): void {
    const meantForIt = to.soft.term === term || this.#fault.ignoresTerm === true;
    if (meantForIt && to.node.propose(data).kind === 'appended') return;
    this.#stream(to.id, from.id).push({ id, term, refused: 'noLeader', message: '' });
  }

  #breakStreams(peer: TestPeer): void {
    for (const [key, stream] of this.#streams) if (key.split(' ').includes(String(peer.id))) stream.length = 0;
  }

  #crash(peer: TestPeer): void {
    peer.proposals.stop('crashed');
    this.#breakStreams(peer);
    this.#start(peer);
  }

  #stream(from: number, to: number): (ForwardedProposal | ForwardRefusal)[] {
    const key = `${from} ${to}`;
    const stream = this.#streams.get(key) ?? [];
    this.#streams.set(key, stream);
    return stream;
  }

  #peer(id: number): TestPeer {
    return this.#peers[id - 1]!;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!;
  }
}

async function complaintsOf(seed: number, fault: Fault = {}): Promise<readonly string[]> {
  const lab = new Lab(seed, fault);
  await lab.run();
  return lab.complaints();
}

const SEEDS = Number(process.env['PROPOSAL_SEEDS'] || 150);

describe('proposals over bad connections', () => {
  it('take effect at most once, and have the right results', { timeout: 600_000 }, async () => {
    let [committed, refused, unknown] = [0, 0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const lab = new Lab(seed, {});
      await lab.run();
      expect(lab.complaints(), `seed ${seed}`).toEqual([]);
      committed += lab.count('committed');
      refused += lab.count('refused');
      unknown += lab.count('unknown');
    }
    // Every result was received, so every result was checked.
    expect(Math.min(committed, refused, unknown)).toBeGreaterThan(SEEDS);
  });

  it.each<[string, Fault, RegExp]>([
    ['sends again what may have left', { deniesForwarding: true }, /took place at/],
    ['appends a proposal of another term', { ignoresTerm: true }, /took place/],
  ])('a peer that %s is detected', async (_name, fault, complaint) => {
    let found: readonly string[] = [];
    for (let seed = 1; seed <= SEEDS && found.length === 0; seed++) found = await complaintsOf(seed, fault);
    expect(found.join('\n')).toMatch(complaint);
  });
});
