import { describe, expect, it } from 'vitest';
import { ENTRY_OVERHEAD_BYTES, type Entry, toLogIndex, toTerm, type Write } from '../../../raft/index.js';
import { Backpressure } from './backpressure.js';
import { memoryJournal } from './journal.js';

const SIZE = 100;
const hardState = { term: toTerm(1), vote: 0, commit: toLogIndex(0) } as Write['hardState'];

function write(number: number, ...indexes: readonly number[]): Write {
  const data = new Uint8Array(SIZE - ENTRY_OVERHEAD_BYTES);
  const entries = indexes.map((index): Entry => ({ index: toLogIndex(index), term: toTerm(1), kind: 'normal', data }));
  return { number, hardState, snapshot: undefined, entries };
}

function held(bytesMax: number) {
  const written: number[] = [];
  const durable: number[] = [];
  const journal = new Backpressure(
    { ...memoryJournal(), append: async ({ number }) => void written.push(number) },
    bytesMax,
  );
  const append = (of: Write): void => void journal.append(of).then(() => durable.push(of.number));
  return { journal, append, written, durable };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the log of a peer whose state waits for space', () => {
  it('accepts entries up to the limit ahead of the state, and then waits until the state continues', async () => {
    const { journal, append, written, durable } = held(3 * SIZE);
    journal.blocked();
    append(write(1, 1, 2));
    append(write(2, 3));
    append(write(3, 4));
    append(write(4));
    await turn();
    // The last write has no bytes, but the log is written in order.
    expect([written, durable]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    journal.unblocked();
    append(write(5, 5));
    await turn();
    expect([written, durable]).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
  });

  it('writes a vote, which has no entries, while entries would wait', async () => {
    const { journal, append, written } = held(SIZE);
    append(write(1, 1));
    journal.blocked();
    append(write(2));
    expect(written).toEqual([1, 2]);
  });

  it('counts the bytes after the applied index', async () => {
    const { journal, append, written } = held(3 * SIZE);
    append(write(1, 1, 2));
    append(write(2, 3, 4));
    journal.blocked();
    append(write(3, 5));
    journal.unblocked();
    journal.applied(2);
    journal.blocked();
    expect(written).toEqual([1, 2, 3]);
    append(write(4, 6));
    journal.unblocked();
    journal.applied(4);
    journal.blocked();
    append(write(5, 7));
    append(write(6, 8));
    expect(written).toEqual([1, 2, 3, 4, 5]);
  });

  it('rejects waiting writes when the peer stops', async () => {
    const { journal, append, written } = held(SIZE);
    journal.blocked();
    append(write(1, 1));
    const waiting = journal.append(write(2, 2));
    journal.giveUp('the end');
    await expect(waiting).rejects.toThrow('the end');
    await expect(journal.append(write(3, 3))).rejects.toThrow('the end');
    journal.unblocked();
    expect(written).toEqual([1]);
  });

  it('is not limited while the state continues', async () => {
    const { append, written } = held(SIZE);
    for (let n = 1; n <= 10; n++) append(write(n, n));
    expect(written.length).toBe(10);
  });

  it('writes nothing after a dropped write: it would depend on missing entries', async () => {
    for (const late of [false, true]) {
      const { journal, append, written } = held(SIZE);
      append(write(1, 1));
      journal.blocked();
      if (late) journal.giveUp('the peer stops');
      const dropped = journal.append(write(2, 2));
      if (!late) journal.giveUp('the peer stops');
      await expect(dropped).rejects.toThrow('the peer stops');
      await expect(journal.append(write(3))).rejects.toThrow('the peer stops');
      expect(written).toEqual([1]);
    }
  });
});
