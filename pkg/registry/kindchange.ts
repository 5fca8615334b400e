import type { Cache, PreparedCollection } from '../cache/index.js';
import type { Catalogue } from './catalogue.js';
import type { Kind } from './kind.js';
import type { KindChange, KindSet } from './kindset.js';
import { collectionRequest } from './upgrade.js';

/** Changes the kinds of a running server. */
export interface KindChanger {
  /** Resolves when the new snapshot is served. Changes are made one after another, in the order of the calls. */
  change(change: KindChange): Promise<void>;
}

/**
 * A change fills the collections that it needs beside what is being served, and then publishes them together with the new
 * snapshot in one synchronous step: no request waits for it, and none sees half of it. A request that began before goes on with
 * the kind as it was.
 */
export function kindChanger(kinds: KindSet, cache: Cache): KindChanger {
  let last: Promise<void> = Promise.resolve();
  return {
    change: (change) => {
      const done = last.then(() => apply(kinds, cache, change));
      last = done.catch(() => {});
      return done;
    },
  };
}

async function apply(kinds: KindSet, cache: Cache, change: KindChange): Promise<void> {
  for (;;) {
    const before = kinds.current;
    const prepared: PreparedCollection[] = [];
    try {
      for (const kind of change.set ?? [])
        if (needsCollection(kind, before, cache)) prepared.push(await cache.prepare(collectionRequest(kind)));
    } catch (error) {
      for (const p of prepared) p.discard();
      throw error;
    }
    // From here on nothing else runs until the change is complete.
    if (!prepared.every((p) => p.commit())) continue;
    kinds.change(change);
    const left = storedPrefixes(kinds.current);
    for (const prefix of storedPrefixes(before)) if (!left.has(prefix)) cache.remove(prefix);
    return;
  }
}

/** A kind that is not served keeps what is stored of it, unseen. */
const isStored = (kind: Kind): boolean => kind.storage.prefix !== '' && kind.served.length > 0;

function needsCollection(kind: Kind, before: Catalogue, cache: Cache): boolean {
  if (!isStored(kind)) return false;
  if (cache.collection(kind.storage.prefix) === undefined) return true;
  // Objects in memory are in the storage version of the former form, and know the values of its fields.
  return before.kind(kind.group, kind.resource)?.storage !== kind.storage;
}

export function storedPrefixes({ kinds }: Catalogue): ReadonlySet<string> {
  return new Set(kinds.filter(isStored).map((k) => k.storage.prefix));
}

/** The kinds of which objects are kept in the cache. */
export function storedKinds({ kinds }: Catalogue): readonly Kind[] {
  return kinds.filter(isStored);
}
