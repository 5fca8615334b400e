import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleCodec, type WireRaftMessage } from '../../../proto/index.js';
import { type Entry, type Message, toLogIndex, toPeerId, toTerm } from '../../../raft/index.js';
import { OutgoingQueue } from '../transport/queue.js';
import { fromWire, toWire } from './codec.js';

const big = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const index = big.map(toLogIndex);
const term = big.map(toTerm);
const peer = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(toPeerId);
const flag = fc.boolean();
const envelope = { from: peer, to: peer, term };
const entry: fc.Arbitrary<Entry> = fc.record({
  term,
  index,
  kind: fc.constantFrom('normal' as const, 'config' as const, 'noop' as const),
  data: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});
const ids = fc.array(peer, { maxLength: 3 });
const config = fc.record({ voters: ids, votersOutgoing: ids, learners: ids, learnersNext: ids });
const kind = <K extends string>(name: K) => fc.constant(name);

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    kind: kind('voteRequest'),
    ...envelope,
    preVote: flag,
    transfer: flag,
    lastIndex: index,
    lastTerm: term,
  }),
  fc.record({ kind: kind('voteReply'), ...envelope, preVote: flag, granted: flag }),
  fc.record({
    kind: kind('append'),
    ...envelope,
    prevIndex: index,
    prevTerm: term,
    commit: index,
    entries: fc.array(entry, { maxLength: 4 }),
    quiet: flag,
  }),
  fc.record({ kind: kind('appendAccepted'), ...envelope, index }),
  fc.record({ kind: kind('appendRejected'), ...envelope, rejected: index, hintIndex: index, hintTerm: term }),
  fc.record({ kind: kind('heartbeat'), ...envelope, commit: index, readRound: big }),
  fc.record({ kind: kind('heartbeatReply'), ...envelope, readRound: big }),
  fc.record({ kind: kind('staleTerm'), ...envelope }),
  fc.record({ kind: kind('snapshot'), ...envelope, snapshot: fc.record({ index, term, config }) }),
  fc.record({ kind: kind('timeoutNow'), ...envelope }),
  fc.record({ kind: kind('readRequest'), ...envelope, incarnation: big, sequence: big }),
  fc.record({
    kind: kind('readReply'),
    ...envelope,
    incarnation: big,
    sequence: big,
    index,
    refused: fc.constant(undefined),
  }),
  fc.record({
    kind: kind('readReply'),
    ...envelope,
    incarnation: big,
    sequence: big,
    index: fc.constant(undefined),
    refused: fc.constantFrom('noLeader' as const, 'timeout' as const, 'leaderChanged' as const),
  }),
) as fc.Arbitrary<Message>;

function overTheWire(sent: Message): Message {
  const bytes = bundleCodec.encode({ raft: [toWire(sent)] });
  return fromWire(bundleCodec.decode(bytes).raft[0]!);
}

describe('raft messages on the wire', () => {
  it('are unchanged by encoding and decoding', () => {
    fc.assert(
      fc.property(message, (sent) => {
        expect(overTheWire(sent)).toEqual(sent);
      }),
      { numRuns: 300 },
    );
  });

  it('are refused when a number is out of range', () => {
    const good = toWire({ kind: 'staleTerm', from: toPeerId(1), to: toPeerId(2), term: toTerm(3) }) as WireRaftMessage;
    expect(() => fromWire({ ...good, kind: 99 })).toThrow(RangeError);
    expect(() => fromWire({ ...good, from: 0 })).toThrow(RangeError);
    expect(() => fromWire({ ...good, term: -1 })).toThrow(RangeError);
    expect(() => fromWire({ ...good, term: 1.5 })).toThrow(RangeError);
    expect(() => fromWire({ ...good, term: Number.NaN })).toThrow(RangeError);
  });
});

describe('the queue of a connection', () => {
  const heartbeat: Message = {
    kind: 'heartbeat',
    from: toPeerId(1),
    to: toPeerId(2),
    term: toTerm(1),
    commit: toLogIndex(0),
    readRound: 0,
  };
  const append = (bytes: number): Message => ({
    kind: 'append',
    from: toPeerId(1),
    to: toPeerId(2),
    term: toTerm(1),
    prevIndex: toLogIndex(0),
    prevTerm: toTerm(0),
    commit: toLogIndex(0),
    entries: bytes === 0 ? [] : [{ term: toTerm(1), index: toLogIndex(1), kind: 'normal', data: Buffer.alloc(bytes) }],
    quiet: false,
  });
  const kinds = (bytes: Buffer): string[] => bundleCodec.decode(bytes).raft.map((wire) => fromWire(wire).kind);

  it('sends a heartbeat before queued appends', () => {
    const queue = new OutgoingQueue();
    for (let i = 0; i < 4; i++) expect(queue.raft(append(900_000))).toBe(true);
    expect(queue.raft(heartbeat)).toBe(true);
    expect(kinds(queue.take())).toEqual(['heartbeat', 'append', 'append']);
    expect(kinds(queue.take())).toEqual(['append', 'append']);
    expect(queue.isEmpty).toBe(true);
  });

  it('keeps appends in order', () => {
    const queue = new OutgoingQueue();
    expect(queue.raft(append(0))).toBe(true);
    expect(queue.raft(append(900_000))).toBe(true);
    expect(queue.raft(append(900_001))).toBe(true);
    expect(queue.raft(append(0))).toBe(true);
    expect(queue.raft(heartbeat)).toBe(true);
    const sizes = (): (number | undefined)[] =>
      bundleCodec.decode(queue.take()).raft.map((wire) => {
        const message = fromWire(wire);
        return message.kind === 'append' ? (message.entries[0]?.data.length ?? 0) : undefined;
      });
    expect([...sizes(), ...sizes()]).toEqual([0, undefined, 900_000, 900_001, 0]);
    expect(queue.isEmpty).toBe(true);
  });

  it('is bounded in bytes and in messages', () => {
    const queue = new OutgoingQueue();
    let taken = 0;
    while (queue.raft(append(1_000_000))) taken++;
    expect(taken).toBeGreaterThan(20);
    expect(taken).toBeLessThan(40);
    const small = new OutgoingQueue();
    let messages = 0;
    while (small.raft(heartbeat)) messages++;
    expect(messages).toBe(4096);
  });

  it('accepts one message of any size when it is empty', () => {
    const queue = new OutgoingQueue();
    expect(queue.raft(append(50_000_000))).toBe(true);
    expect(queue.raft(append(1000))).toBe(false);
  });
});
