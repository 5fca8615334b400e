import { describe, expect, it } from 'vitest';
import { emptyConfiguration, type Ready, toLogIndex, toPeerId, toTerm, type Write } from '../../raft/index.js';
import { type LoopParts, ReadyLoop } from './loop.js';

const hardState = { term: toTerm(2), vote: toPeerId(1), commit: toLogIndex(100) };
const snapshot = { index: toLogIndex(100), term: toTerm(2), config: emptyConfiguration() };
const write = (number: number, of?: typeof snapshot): Write => ({ number, hardState, snapshot: of, entries: [] });

/** A loop over a core that hands out these writes, one a Ready; what it does to the log and the core is noted. */
function loopOver(writes: readonly Write[], install: LoopParts['install']) {
  const done: string[] = [];
  const readies = writes.map((one) => ({ write: one, messages: [], committed: [], reads: [] }) as unknown as Ready);
  const parts: Partial<LoopParts> = {
    raft: {
      ready: () => readies.shift(),
      persisted: (number: number) => done.push(`persisted ${number}`),
    } as unknown as LoopParts['raft'],
    tail: { reset: () => {}, append: () => {} } as unknown as LoopParts['tail'],
    journal: {
      append: async ({ number }: Write) => {
        done.push(`logged ${number}`);
      },
    } as unknown as LoopParts['journal'],
    reads: { flush: () => {} } as unknown as LoopParts['reads'],
    flush: () => {},
    install,
    fail: (error) => done.push(`failed: ${(error as Error).message}`),
  };
  return { loop: new ReadyLoop(parts as LoopParts), done };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('writes behind one that stands on a snapshot', () => {
  it('wait until it is installed', async () => {
    let installed = (): void => {};
    const { loop, done } = loopOver([write(1), write(2, snapshot), write(3)], async (_, persist) => {
      await persist();
      await new Promise<void>((resolve) => {
        installed = resolve;
      });
    });
    loop.poke();
    await turn();
    expect(done).toEqual(['logged 1', 'persisted 1', 'logged 2']);
    installed();
    await loop.settled();
    expect(done.slice(3)).toEqual(['persisted 2', 'logged 3', 'persisted 3']);
  });

  it('are never logged when that fails: the log would have a gap, or a commit index beyond its end', async () => {
    let failed = (_error: Error): void => {};
    const installing = new Promise<void>((_, reject) => {
      failed = reject;
    });
    const { loop, done } = loopOver([write(1, snapshot), write(2), write(3)], () => installing);
    loop.poke();
    await turn();
    failed(new Error('no space left'));
    await loop.settled();
    await turn();
    expect(done.filter((line) => !line.startsWith('failed'))).toEqual([]);
    expect(done).toContain('failed: no space left');
  });
});
