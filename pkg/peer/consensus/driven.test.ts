import { describe, expect, it } from 'vitest';
import { emptyConfiguration, type Ready, toLogIndex, toPeerId, toTerm, type Write } from '../../../raft/index.js';
import { type DrivenCore, type DrivenOutputs, DrivenRaft } from './driven.js';

const hardState = { term: toTerm(2), vote: toPeerId(1), commit: toLogIndex(100) };
const snapshot = { index: toLogIndex(100), term: toTerm(2), config: emptyConfiguration() };
const write = (number: number, of?: typeof snapshot): Write => ({ number, hardState, snapshot: of, entries: [] });

/** A driven core that emits these writes, one in each Ready. It records the calls to the log and the core. */
function drivenOver(writes: readonly Write[], install: DrivenOutputs['install']) {
  const done: string[] = [];
  const readies = writes.map((one) => ({ write: one, messages: [], committed: [], reads: [] }) as unknown as Ready);
  const core: Partial<DrivenCore> = {
    raft: {
      ready: () => readies.shift(),
      status: () => ({ term: 2 }),
      persisted: (number: number) => done.push(`persisted ${number}`),
    } as unknown as DrivenCore['raft'],
    tail: { reset: () => {}, append: () => {} } as unknown as DrivenCore['tail'],
    journal: {
      append: async ({ number }: Write) => {
        done.push(`logged ${number}`);
      },
    } as unknown as DrivenCore['journal'],
    timers: { immediate: setImmediate } as unknown as DrivenCore['timers'],
    fail: (error) => done.push(`failed: ${(error as Error).message}`),
  };
  const driven = new DrivenRaft(core as DrivenCore);
  driven.start({ flush: () => {}, install } as unknown as DrivenOutputs);
  return { driven, done };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('writes after one that installs a snapshot', () => {
  it('wait until it is installed', async () => {
    let installed = (): void => {};
    const { driven, done } = drivenOver([write(1), write(2, snapshot), write(3)], async (_, persist) => {
      await persist();
      await new Promise<void>((resolve) => {
        installed = resolve;
      });
    });
    await turn();
    expect(done).toEqual(['logged 1', 'persisted 1', 'logged 2']);
    installed();
    await driven.settled();
    expect(done.slice(3)).toEqual(['persisted 2', 'logged 3', 'persisted 3']);
  });

  it('are never logged if that fails: the log would have a gap, or a commit index beyond its end', async () => {
    let failed = (_error: Error): void => {};
    const installing = new Promise<void>((_, reject) => {
      failed = reject;
    });
    const { driven, done } = drivenOver([write(1, snapshot), write(2), write(3)], () => installing);
    await turn();
    failed(new Error('no space left'));
    await driven.settled();
    await turn();
    expect(done.filter((line) => !line.startsWith('failed'))).toEqual([]);
    expect(done).toContain('failed: no space left');
  });
});
