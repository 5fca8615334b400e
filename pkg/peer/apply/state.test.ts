import { describe, expect, it } from 'vitest';
import { revision } from '../../base/index.js';
import { Recorder } from '../../storage/contract.js';
import {
  encodeEntry,
  installSnapshot,
  memoryHome,
  openStateMachine,
  prefixEnd,
  StoreError,
} from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import { threadWorld } from '../thread/world.js';
import { ReplicatedState } from './state.js';

const all = { start: '/', end: prefixEnd('/'), previous: false };
const put = (index: number) => ({
  index,
  data: encodeEntry({
    kind: 'txn',
    txn: { compares: [], ops: [{ kind: 'put', key: `/${index}`, value: Buffer.from('v') }] },
  }),
});

async function open(told: number[]): Promise<ReplicatedState> {
  return ReplicatedState.open(memoryHome(), {
    world: testWorld(0),
    fail: (error) => {
      throw error;
    },
    applied: ({ revision: at }) => told.push(at),
    blocked: () => {},
  });
}

async function opened() {
  const home = memoryHome();
  let blocked = 0;
  const failures: string[] = [];
  const state = await ReplicatedState.open(home, {
    world: threadWorld(),
    fail: (error) => failures.push(error.message),
    applied: () => {},
    blocked: () => {
      blocked++;
    },
  });
  return { home, state, failures, blocked: () => blocked };
}

/** The state of a peer that has applied everything up to `index`. */
async function ahead(index: number) {
  const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'ahead' });
  await machine.apply(Array.from({ length: index }, (_, i) => put(i + 1)));
  return machine;
}

describe('a state that is replaced by a snapshot', () => {
  it('publishes nothing more: a watch that begins during the replacement misses no event', async () => {
    const told: number[] = [];
    const state = await open(told);
    await state.machine.apply([put(1), put(2)]);
    const old = state.machine;
    // A reader keeps the old state open until the new one has applied further entries.
    const reading = old.changes(all, revision(0), false)[Symbol.asyncIterator]();
    await reading.next();

    const other = await ahead(40);
    const snapshot = await other.openSnapshot();
    const { engine } = await installSnapshot({ home: state.home, chunks: snapshot.chunks() });
    await state.replace(engine);
    await state.machine.apply([put(41)]);
    await reading.return?.();
    await old.close();
    await state.machine.apply([put(42)]);

    const late = new Recorder();
    state.hub.watch({ ...all, after: revision(40) }, late);
    await late.until(({ reached }) => reached === 42);
    expect(late.seen.map((event) => event.revision)).toEqual([41, 42]);
    expect(told).toEqual([2, 41, 42]);
    await state.close('the test is over');
    await other.close();
  });

  it('does not block the peer because of space that its own files take', async () => {
    const { state, blocked, home } = await opened();
    await state.machine.apply([put(1)]);
    const old = state.machine;
    const reading = old.changes(all, revision(0), false)[Symbol.asyncIterator]();
    await reading.next();
    const other = await ahead(40);
    let full = false;
    home.failWrites(() => {
      if (full) throw new StoreError('noSpace', 'no space left');
    });
    const { engine } = await installSnapshot({ home, chunks: (await other.openSnapshot()).chunks() });
    await state.replace(engine);
    full = true;
    await reading.return?.();
    await old.unread();
    await old.close();
    expect(blocked()).toBe(0);
    full = false;
    await state.close('the test is over');
    await other.close();
  });

  it('is closed while it waits for space, which stops neither its successor nor the peer', async () => {
    const { state, blocked, home, failures } = await opened();
    await state.machine.apply([put(1)]);
    const old = state.machine;
    const other = await ahead(40);
    let full = false;
    home.failWrites(() => {
      if (full) throw new StoreError('noSpace', 'no space left');
    });
    const { engine } = await installSnapshot({ home, chunks: (await other.openSnapshot()).chunks() });
    const reading = old.changes(all, revision(0), false)[Symbol.asyncIterator]();
    await reading.next();
    await state.replace(engine);
    full = true;
    const waiting = old.barrier().then(
      () => 'written',
      (error: StoreError) => error.kind,
    );
    // Wait until it has detected that the disk is full.
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    await reading.return?.();
    expect(await waiting).toBe('noSpace');
    full = false;
    await state.machine.apply([put(41)]);
    expect([blocked(), failures]).toEqual([0, []]);
    await state.close('the test is over');
    await other.close();
  });

  it('is closed with the peer while a reader is active', async () => {
    const { state, home } = await opened();
    await state.machine.apply([put(1)]);
    const old = state.machine;
    const reading = old.changes(all, revision(0), false)[Symbol.asyncIterator]();
    await reading.next();
    const other = await ahead(40);
    const { engine } = await installSnapshot({ home, chunks: (await other.openSnapshot()).chunks() });
    await state.replace(engine);
    await state.close('the test is over');
    await expect(old.range(all)).rejects.toMatchObject({ kind: 'closed' });
    await other.close();
  });
});

describe('a state that replaces another', () => {
  it('is closed with the peer while a reader is active', async () => {
    const { state, home } = await opened();
    const other = await ahead(40);
    const { engine } = await installSnapshot({ home, chunks: (await other.openSnapshot()).chunks() });
    const replaced = state.replace(engine);
    state.giveUp();
    await expect(replaced).rejects.toMatchObject({ kind: 'closed' });
    await expect(async () => engine.get(Buffer.from('m'))).rejects.toMatchObject({ kind: 'closed' });
    await state.close('the test is over');
    await other.close();
  });
});
