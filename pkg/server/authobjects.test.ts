import { describe, expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { NotServed } from '../cache/index.js';
import type { Registry } from '../registry/index.js';
import { authObjects } from './authobjects.js';

/** A registry whose confirmations a test settles, and a clock that it moves. */
function setUp() {
  const asked: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const cache = { fresh: () => new Promise<void>((resolve, reject) => asked.push({ resolve, reject })) };
  const at = { now: 0 };
  const world = { clock: { monotonic: () => at.now } } as unknown as World;
  return { asked, at, objects: authObjects({ cache } as unknown as Registry, world) };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the confirmation of the state before a decision', () => {
  it('is requested before the first decision, and again when the last one is too old', async () => {
    const { asked, at, objects } = setUp();
    const first = objects.current();
    asked[0]!.resolve();
    await first;
    expect(objects.current()).toBeUndefined();
    at.now = 600;
    const later = objects.current();
    expect(later).toBeInstanceOf(Promise);
    asked.at(-1)!.resolve();
    await later;
  });

  it('is requested ahead of time while decisions are made, so that they do not wait', async () => {
    const { asked, at, objects } = setUp();
    const first = objects.current();
    asked[0]!.resolve();
    await first;
    at.now = 300;
    expect(objects.current()).toBeUndefined();
    asked[1]!.resolve();
    await turn();
    at.now = 700;
    expect(objects.current()).toBeUndefined();
  });

  it('is requested again if it took too long', async () => {
    const { asked, at, objects } = setUp();
    const first = objects.current()!;
    at.now = 2000;
    let done = false;
    const second = objects.current()!.then(() => {
      done = true;
    });
    asked[0]!.resolve();
    await first;
    await turn();
    expect([done, asked.length]).toEqual([false, 2]);
    asked[1]!.resolve();
    await second;
  });

  it('refuses with 503 if the leader cannot be reached', async () => {
    const { asked, objects } = setUp();
    const refused = objects.current();
    asked[0]!.reject(new NotServed('noLeader', 'no leader'));
    await expect(refused).rejects.toMatchObject({ status: { code: 503 } });
  });
});
