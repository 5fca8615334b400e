import { describe, expect, it } from 'vitest';
import type { WireSnapshotPart } from '../../../proto/index.js';
import { initialConfiguration, NO_PEER, toLogIndex, toPeerId, toTerm, type Write } from '../../../raft/index.js';
import { type Engine, encodeEntry, memoryHome, openStateMachine } from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import { SNAPSHOT_LIMITS } from '../common/limits.js';
import { PeerMetrics } from '../common/metrics.js';
import { PEER_RULES } from '../common/rules.js';
import { nodeSmallFiles } from '../durability/smallfile.js';
import { firstPart, snapshotParts } from '../testing/snapshot.js';
import { type ReceiverPorts, SnapshotReceiver } from './receive.js';

const snapshot = { index: toLogIndex(1), term: toTerm(1), config: initialConfiguration([toPeerId(1), toPeerId(2)]) };
const write: Write = {
  number: 1,
  hardState: { term: toTerm(1), vote: NO_PEER, commit: toLogIndex(1) },
  snapshot,
  entries: [],
};
const begin = { clusterId: 'c', from: 2, to: 1, term: 1 };

async function receiver(over: Partial<ReceiverPorts> = {}) {
  const world = testWorld(0);
  const home = memoryHome();
  await home.open();
  const ports: ReceiverPorts = {
    world,
    metrics: new PeerMetrics(),
    home,
    clusterId: 'c',
    self: 1,
    rules: PEER_RULES,
    files: undefined,
    offer: () => true,
    quiesced: async () => {},
    noRoom: () => undefined,
    waitsForRoom: () => {},
    replace: async () => {},
    ...over,
  };
  return { world, home, receiver: new SnapshotReceiver(ports) };
}

/** A complete snapshot of one entry, in parts. */
async function* whole(from = begin, meta = snapshot): AsyncGenerator<WireSnapshotPart> {
  const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'sender' });
  const op = { kind: 'put', key: '/a', value: Buffer.from('x') } as const;
  await machine.apply([{ index: 1, data: encodeEntry({ kind: 'txn', txn: { compares: [], ops: [op] } }) }]);
  yield* snapshotParts(from, machine, meta);
  await machine.close();
}

/** Starts a snapshot and stalls. */
async function* stuck(from = begin): AsyncGenerator<WireSnapshotPart> {
  yield firstPart(from);
  await new Promise(() => {});
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;
const answerOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error: Error) => error.message,
  );

describe('an incoming snapshot', () => {
  it('is aborted when it stalls, and another one is accepted', async () => {
    const { world, receiver: to } = await receiver();
    const answer = answerOf(to.receive(stuck(), never));
    await turn();
    expect(await answerOf(to.receive(whole({ ...begin, from: 3 }), never))).toBe('another snapshot is being received');
    await world.advance(2 * SNAPSHOT_LIMITS.stallMs);
    expect(await answer).toBe('the snapshot makes no progress');
    const cancelled = new AbortController();
    const second = answerOf(to.receive(stuck(), cancelled.signal));
    await turn();
    cancelled.abort(new Error('the sender gave up'));
    expect(await second).toBe('the sender gave up');
  });

  it('is aborted for a snapshot of a newer leader, and for another one of the same leader', async () => {
    const offers: number[] = [];
    const { receiver: to } = await receiver({ offer: ({ term }) => offers.push(term) < 0 });
    const old = answerOf(to.receive(stuck(), never));
    await turn();
    const again = answerOf(to.receive(stuck(), never));
    expect(await old).toBe('a newer snapshot has taken its place');
    const newer = answerOf(to.receive(whole({ ...begin, from: 3, term: begin.term + 1 }), never));
    expect(await again).toBe('a newer snapshot has taken its place');
    expect(await newer).toBe('taken');
    expect(offers).toEqual([begin.term + 1]);
    const late = answerOf(to.receive(stuck({ ...begin, from: 3, term: begin.term + 1 }), never));
    await turn();
    expect(await answerOf(to.receive(whole(), never))).toBe('another snapshot is being received');
    to.close();
    expect(await late).toBe('this peer is closed');
  });

  it('is accepted when its stream closes after its end', async () => {
    const cancelled = new AbortController();
    const parts = async function* () {
      try {
        yield* whole();
      } finally {
        cancelled.abort(new Error('the stream is gone'));
      }
    };
    const offers: number[] = [];
    const { receiver: to } = await receiver({ offer: ({ term }) => offers.push(term) < 0 });
    expect(await answerOf(to.receive(parts(), cancelled.signal))).toBe('taken');
    expect(offers).toEqual([begin.term]);
  });

  it('is rejected before the core sees it if its content does not match its header', async () => {
    const offers: number[] = [];
    const { receiver: to } = await receiver({ offer: ({ term }) => offers.push(term) < 0 });
    const wrong = { ...snapshot, index: toLogIndex(2) };
    expect(await answerOf(to.receive(whole(begin, wrong), never))).toBe('a snapshot of 2 holds the state of 1');
    expect(offers).toEqual([]);
  });

  it('is aborted when the peer is closed, during transfer and while it waits for the core', async () => {
    for (const parts of [stuck(), whole()]) {
      let offered = false;
      const { receiver: to } = await receiver({
        offer: () => {
          offered = true;
          return true;
        },
      });
      const answer = answerOf(to.receive(parts, never));
      for (let i = 0; i < 100 && !offered; i++) await turn();
      to.close();
      await to.settled();
      expect(await answer).toBe('this peer is closed');
      expect(await answerOf(to.receive(whole(), never))).toBe('this peer is closed');
    }
  });

  it('leaves no files if it cannot be installed', async () => {
    let fresh: Engine | undefined;
    const home = memoryHome();
    await home.open();
    const watched = {
      name: home.name,
      open: () => home.open(),
      sweep: () => home.sweep(),
      fresh: async () => {
        const made = await home.fresh();
        fresh = made.engine;
        return made;
      },
    };
    for (const broken of ['note', 'log']) {
      let offered = (): void => {};
      const waits = new Promise<void>((resolve) => {
        offered = resolve;
      });
      const { receiver: to } = await receiver({
        home: watched,
        ...(broken === 'note' ? { files: nodeSmallFiles('/nowhere/at all') } : {}),
        offer: () => {
          offered();
          return true;
        },
      });
      const answer = answerOf(to.receive(whole(), never));
      await waits;
      const installing = to.install(write, () => Promise.reject(new Error('the log is dead')));
      await expect(installing).rejects.toThrow(broken === 'note' ? 'ENOENT' : 'the log is dead');
      await to.settled();
      expect(await answer).toMatch(broken === 'note' ? /ENOENT/ : /taken/);
      await expect(fresh!.get(Buffer.from('m'))).rejects.toMatchObject({ kind: 'closed' });
    }
  });
});
