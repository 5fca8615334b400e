import { describe, expect, it } from 'vitest';
import { revision } from '../base/index.js';
import { Recorder } from '../storage/contract.js';
import { encodeEntry, installSnapshot, memoryHome, openStateMachine, prefixEnd } from '../storage/index.js';
import { testWorld } from '../storage/testworld.js';
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

/** The state of somebody who has applied everything up to `index`. */
async function ahead(index: number) {
  const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'ahead' });
  await machine.apply(Array.from({ length: index }, (_, i) => put(i + 1)));
  return machine;
}

describe('a state that a snapshot replaces', () => {
  it('is not heard any more: a watch that begins while the old one is closed misses nothing', async () => {
    const told: number[] = [];
    const state = await open(told);
    await state.machine.apply([put(1), put(2)]);
    const old = state.machine;
    // A reader keeps the old state open until the new one has gone on.
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
});
