import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { openMemoryKeyspace } from '../storage/index.js';
import { Cache } from './cache.js';
import { cacheLimits } from './limits.js';
import type { StoredObject } from './object.js';
import { PREFIX, stillWorld } from './testing.js';

/** Opens a cache of `n` things of some 100 bytes and more; `parsed` counts what is parsed. */
async function things(n: number, padding = 0) {
  const keyspace = await openMemoryKeyspace(stillWorld);
  const parsed = { count: 0 };
  const parse = (bytes: Buffer): JsonObject => {
    parsed.count++;
    return JSON.parse(bytes.toString()) as JsonObject;
  };
  const value = Buffer.from(
    JSON.stringify({ kind: 'Thing', metadata: { name: 'n', uid: 'u' }, data: 'x'.repeat(padding) }),
  );
  for (let i = 0; i < n; i++) await keyspace.txn({ compares: [], ops: [{ kind: 'put', key: `${PREFIX}${i}`, value }] });
  const cache = new Cache({ world: stillWorld, keyspace, root: '/registry/', parse, failed: () => {} });
  await cache.open([{ prefix: PREFIX, fieldsOf: (o) => [String(o['kind'])] }]);
  const get = (i: number): StoredObject => cache.collection(PREFIX)!.get(`${PREFIX}${i}`)!;
  const put = async (i: number, object: JsonObject): Promise<void> => {
    await keyspace.txn({
      compares: [],
      ops: [{ kind: 'put', key: `${PREFIX}${i}`, value: Buffer.from(JSON.stringify(object)) }],
    });
    await cache.waitFor(keyspace.status().applied, Number.POSITIVE_INFINITY);
  };
  return { get, put, parsed, cache };
}

describe('shared values', () => {
  it('are parsed once for all readers, and for the selectable fields', async () => {
    const { get, parsed } = await things(1);
    const value = get(0).value();
    expect(get(0).value()).toBe(value);
    expect(get(0).fields()).toEqual(['Thing']);
    expect(parsed.count).toBe(1);
    // What a caller owns is its own.
    expect(get(0).parse()).not.toBe(value);
  });

  it('are bounded in number: the oldest are dropped', async () => {
    const { get, parsed } = await things(cacheLimits.sharedValuesMax + 1);
    for (let i = 0; i <= cacheLimits.sharedValuesMax; i++) get(i).value();
    const before = parsed.count;
    get(cacheLimits.sharedValuesMax).value();
    get(1).value();
    expect(parsed.count).toBe(before);
    get(0).value();
    expect(parsed.count).toBe(before + 1);
  });

  it('are bounded in bytes', async () => {
    const { get, parsed } = await things(3, cacheLimits.sharedValueBytesMax / 2);
    for (const i of [0, 1, 1]) get(i).value();
    expect(parsed.count).toBe(2);
    get(0).value();
    expect(parsed.count).toBe(3);
  });

  it('cannot be changed in tests', async () => {
    const { get } = await things(1);
    expect(() => Object.assign(get(0).value()['metadata']!, { name: 'other' })).toThrow(TypeError);
  });

  it('are those of the writes of this server, which need not be parsed', async () => {
    const { get, put, parsed, cache } = await things(0);
    const object = { kind: 'Own', metadata: { name: 'n' } };
    const over = cache.ownWrites.begin(`${PREFIX}0`, Buffer.from(JSON.stringify(object)), object);
    await put(0, object);
    over();
    expect(get(0).value()).toEqual({ kind: 'Own', metadata: { name: 'n', resourceVersion: String(get(0).revision) } });
    expect(get(0).value()).toEqual(get(0).parse());
    expect(get(0).fields()).toEqual(['Own']);
    expect(parsed.count).toBe(1);
  });

  it('are not those of a write that another one overtook, nor of one that is over', async () => {
    const { get, put, parsed, cache } = await things(0);
    const [own, other] = [
      { kind: 'Own', metadata: { name: 'n' } },
      { kind: 'Other', metadata: { name: 'n' } },
    ];
    const over = cache.ownWrites.begin(`${PREFIX}0`, Buffer.from(JSON.stringify(own)), own);
    await put(0, other);
    over();
    expect(get(0).fields()).toEqual(['Other']);
    await put(1, own);
    expect(get(1).fields()).toEqual(['Own']);
    expect(parsed.count).toBe(2);
  });
});
