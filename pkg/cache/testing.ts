import type { JsonObject } from '../api/index.js';
import type { Revision, World } from '../base/index.js';
import type { Keyspace } from '../storage/index.js';
import { Cache } from './cache.js';

// Helpers for the tests of this room.

export const PREFIX = '/registry/things/';

/** A world whose clock stands still. */
export const stillWorld: World = {
  clock: { now: () => 0, monotonic: () => 0 },
  timers: { after: () => () => {}, every: () => () => {}, immediate: setImmediate },
  random: { float: () => 0.5, bytes: (n) => new Uint8Array(n), uuid: () => 'u' },
};

/** Returns the keyspace with another implementation of `watch`. */
export function withWatches(inner: Keyspace, watch: Keyspace['watch']): Keyspace {
  return {
    txn: (txn) => inner.txn(txn),
    range: (request) => inner.range(request),
    readIndex: () => inner.readIndex(),
    status: () => inner.status(),
    compact: (at) => inner.compact(at),
    close: () => inner.close(),
    watch,
  };
}

/** Opens a cache with one collection, of things. `failed` is called with the reason if the cache fails. */
export async function openCache(keyspace: Keyspace, failed: (why: string) => void): Promise<Cache> {
  const cache = new Cache({
    world: stillWorld,
    keyspace,
    root: '/registry/',
    parse: (bytes) => JSON.parse(bytes.toString()) as JsonObject,
    failed,
  });
  await cache.open([{ prefix: PREFIX, fieldsOf: () => [] }]);
  return cache;
}

/** Puts the thing `namespace/name`. */
export async function put(keyspace: Keyspace, name: string): Promise<Revision> {
  const value = Buffer.from(JSON.stringify({ metadata: { name } }));
  const done = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key: PREFIX + name, value }] });
  if (done.kind !== 'committed') throw new Error(done.kind);
  return done.revision;
}
