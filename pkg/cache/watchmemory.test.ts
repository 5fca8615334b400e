import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { revision } from '../base/index.js';
import { openMemoryKeyspace } from '../storage/index.js';
import type { Selection } from './index.js';
import { openCache, PREFIX, put, stillWorld } from './testing.js';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How many of the objects are still in memory, once no more than `most` are, or after many collections. */
async function alive(of: readonly WeakRef<object>[], most: number): Promise<number> {
  let left = of.length;
  for (let i = 0; i < 50 && left > most; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    left = of.filter((ref) => ref.deref() !== undefined).length;
  }
  return left;
}

const WATCHES = 300;
const framer = { id: 'names', frame: () => Buffer.from('.'), bookmark: () => Buffer.alloc(0) } as never;

it('watches of the same events share their selection, and leave nothing behind', async () => {
  const keyspace = await openMemoryKeyspace(stillWorld);
  const cache = await openCache(keyspace, (why) => expect.unreachable(why));
  const collection = cache.collection(PREFIX)!;
  let matched = 0;
  const selections: WeakRef<object>[] = [];
  const select = (): Selection => {
    const selection = { id: 'large', namespace: '', name: '', matches: () => ++matched > 0 };
    selections.push(new WeakRef(selection));
    return selection;
  };
  const open = () =>
    collection.watch({
      ...{ selection: select(), framer, after: revision(1), initial: undefined, initialEnd: false, bookmarks: false },
      expired: () => Buffer.from('410'),
    });
  const cursors = Array.from({ length: WATCHES }, open);
  cursors.forEach((cursor) => void cursor.take(1));
  await put(keyspace, 'n/a');
  for (let i = 0; i < 100 && matched === 0; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(matched).toBe(1);
  expect(await alive(selections, 1)).toBe(1);
  const ended = cursors.map((cursor) => new WeakRef(cursor));
  cursors.splice(0).forEach((cursor) => void cursor.close());
  expect(await alive([...selections, ...ended], 0)).toBe(0);
});
