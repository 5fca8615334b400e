import { expect, it } from 'vitest';
import { memoryHome } from './engine/memory.js';
import { StoreError } from './errors.js';
import { openLocalKeyspace } from './local.js';
import { testWorld } from './testworld.js';

it('reports a write that the disk refuses, and leaves no unhandled rejection', async () => {
  const strays: unknown[] = [];
  const stray = (why: unknown): number => strays.push(why);
  process.on('unhandledRejection', stray);
  const home = memoryHome();
  const keyspace = await openLocalKeyspace({ home, world: testWorld(0), durable: true });
  home.failWrites(() => {
    throw new StoreError('io', 'the disk failed');
  });
  const op = { kind: 'put', key: '/a', value: Buffer.from('x') } as const;
  expect(await keyspace.txn({ compares: [], ops: [op] })).toEqual({ kind: 'unknown', message: 'the disk failed' });
  await keyspace.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', stray);
  expect(strays).toEqual([]);
});
