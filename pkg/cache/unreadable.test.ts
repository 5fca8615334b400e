import { describe, expect, it } from 'vitest';
import { configuration, keyed, open } from '../encryption/testing/keyspaces.js';
import { prefixEnd } from '../storage/index.js';
import { Cache } from './cache.js';
import type { ObservedChange } from './collection.js';
import { NotReadable } from './unreadable.js';

const PREFIX = '/registry/secrets/';
const A = `${PREFIX}default/a`;
const B = `${PREFIX}default/b`;
const keys = (...names: (readonly [string, string])[]): string =>
  configuration([[['secrets'], [keyed('aesgcm', ...names)]]]);
const OLD = ['old', 'a'] as const;
const NEW = ['new', 'b'] as const;
const value = (n: number): string => JSON.stringify({ metadata: { name: 'a', labels: { n: String(n) } } });

/** A server that knows the old key, and another that writes with the new one to the same store. */
async function two() {
  const own = await open(keys(OLD), { reload: true });
  const other = await open(keys(NEW), { inner: own.inner });
  const cache = new Cache({
    world: own.world,
    keyspace: own.encryption.keyspace,
    root: '/registry/',
    parse: (bytes) => JSON.parse(bytes.toString()),
    failed: () => {},
  });
  await own.put(A, value(1));
  await cache.open([{ prefix: PREFIX, fieldsOf: () => [] }]);
  own.encryption.onReadable(() => void cache.readAgain());
  const seen: string[] = [];
  cache.observe(({ before, after }: ObservedChange) =>
    seen.push(`${before?.labels()['n'] ?? 'none'} -> ${after?.labels()['n'] ?? 'none'}`),
  );
  const collection = cache.collection(PREFIX)!;
  const all = (): string[] => [...collection.snapshot().objects.range(PREFIX, prefixEnd(PREFIX))].map((o) => o.key);
  return { own, other, cache, collection, seen, all };
}

describe('an object that can no longer be decrypted', () => {
  it('is neither shown nor reported as deleted, and comes back when its key is known', async () => {
    const { own, other, collection, seen, all } = await two();
    await other.put(A, value(2));
    await expect.poll(() => collection.unreadable(A)?.problem).toMatch(/no matching key was found/);
    expect(collection.get(A)).toBeUndefined();
    expect(all()).toEqual([]);
    expect(collection.unreadableBetween(PREFIX, prefixEnd(PREFIX)).map((o) => o.key)).toEqual([A]);
    expect(collection.unreadableBetween(B, prefixEnd(PREFIX))).toEqual([]);
    expect(seen).toEqual([]);
    own.file = keys(NEW, OLD);
    await own.encryption.reload();
    await expect.poll(() => collection.get(A)?.labels()['n']).toBe('2');
    expect(collection.unreadable(A)).toBeUndefined();
    expect(all()).toEqual([A]);
    expect(seen).toEqual(['1 -> 2']);
  });

  it('is reported as deleted when it is deleted, with the last state that was seen', async () => {
    const { other, collection, seen } = await two();
    await other.put(A, value(2));
    await expect.poll(() => collection.unreadable(A)).toBeDefined();
    await other.inner.txn({ compares: [], ops: [{ kind: 'delete', key: A }] });
    await expect.poll(() => collection.unreadable(A)).toBeUndefined();
    expect(collection.get(A)).toBeUndefined();
    expect(seen).toEqual(['1 -> none']);
  });

  it('is shown again when it is written with a known key', async () => {
    const { own, other, collection, seen } = await two();
    await other.put(A, value(2));
    await other.put(B, value(9));
    await expect.poll(() => collection.unreadable(B)).toBeDefined();
    await own.put(A, value(3));
    await expect.poll(() => collection.get(A)?.labels()['n']).toBe('3');
    expect(seen).toEqual(['1 -> 3']);
    expect(collection.unreadableBetween(PREFIX, prefixEnd(PREFIX)).map((o) => o.key)).toEqual([B]);
  });

  it('is unreadable from the start, and its history is', async () => {
    const { own, other } = await two();
    await other.put(A, value(2));
    const cache = new Cache({
      world: own.world,
      keyspace: own.encryption.keyspace,
      root: '/registry/',
      parse: (bytes) => JSON.parse(bytes.toString()),
      failed: () => {},
    });
    await cache.open([{ prefix: PREFIX, fieldsOf: () => [] }]);
    const collection = cache.collection(PREFIX)!;
    expect(collection.unreadable(A)).toBeDefined();
    const read = await own.encryption.keyspace.range({ start: A, end: `${A}\u0000` });
    if (read.kind !== 'ok') throw new Error(read.kind);
    expect(() => collection.restore(read.items[0]!)).toThrow(NotReadable);
  });

  it('is known to be lost while it is still shown, until it is written again or its key comes back', async () => {
    const { own, cache, collection } = await two();
    await own.put(B, value(5));
    const lost = (at: string): string | undefined => cache.lost.of(collection.get(at)!)?.problem;
    expect(await cache.readAgain()).toEqual([]);
    own.file = keys(NEW);
    await own.encryption.reload();
    await expect.poll(() => lost(A)).toMatch(/no matching key was found/);
    expect((await cache.readAgain()).map(({ key }) => key)).toEqual([A, B]);
    expect(collection.get(A)?.labels()['n']).toBe('1');
    await own.put(A, value(2));
    await expect.poll(() => collection.get(A)?.labels()['n']).toBe('2');
    expect([lost(A), lost(B)]).toEqual([undefined, expect.stringMatching(/no matching key/)]);
    own.file = keys(NEW, OLD);
    await own.encryption.reload();
    await expect.poll(() => lost(B)).toBeUndefined();
  });
});
