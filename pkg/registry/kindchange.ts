import type { Cache, PreparedCollection } from '../cache/index.js';
import type { Kind } from './kind.js';
import type { KindChange, KindSet } from './kindset.js';
import type { ServedResources } from './servedresources.js';
import { collectionRequest } from './upgrade.js';

/** Changes the kinds of a running server. */
export interface KindChanger {
  /** Resolves when the new snapshot is served. Changes are applied one at a time, in the order of the calls. */
  change(change: KindChange): Promise<void>;
}

/**
 * A change first fills the new collections beside the served ones. It then publishes them together with the new
 * snapshot in one synchronous step, so that requests neither wait for the change nor see a part of it. A request that
 * began before continues with the former kind.
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
    const prepared = await prepareAll(
      (change.set ?? []).filter((kind) => needsCollection(kind, before, cache)),
      cache,
    );
    // The rest is synchronous: no other code runs until the change is complete.
    if (!prepared.every((p) => p.commit())) continue;
    kinds.change(change);
    for (const { group, resource } of [...(change.remove ?? []), ...(change.set ?? [])]) {
      const former = before.kind(group, resource);
      const now = kinds.current.kind(group, resource);
      if (former !== undefined && isStored(former) && !(now !== undefined && isStored(now)))
        cache.remove(former.storage.prefix);
    }
    return;
  }
}

/** Collections that are read from the store at the same time. Most are empty, and each read is a round trip to the peer thread. */
const PREPARED_TOGETHER = 16;

async function prepareAll(kinds: readonly Kind[], cache: Cache): Promise<readonly PreparedCollection[]> {
  const prepared: PreparedCollection[] = [];
  for (let i = 0; i < kinds.length; i += PREPARED_TOGETHER) {
    const some = kinds.slice(i, i + PREPARED_TOGETHER);
    const settled = await Promise.allSettled(some.map((kind) => cache.prepare(collectionRequest(kind))));
    for (const s of settled) if (s.status === 'fulfilled') prepared.push(s.value);
    const failed = settled.find((s) => s.status === 'rejected');
    if (failed === undefined) continue;
    for (const p of prepared) p.discard();
    throw failed.reason;
  }
  return prepared;
}

/** Objects of a kind that is not served stay in the store. */
const isStored = (kind: Kind): boolean => kind.storage.prefix !== '' && kind.served.length > 0;

function needsCollection(kind: Kind, before: ServedResources, cache: Cache): boolean {
  if (!isStored(kind)) return false;
  if (cache.collection(kind.storage.prefix) === undefined) return true;
  // Objects in memory have the storage version and the selectable fields of the former kind.
  return before.kind(kind.group, kind.resource)?.storage !== kind.storage;
}

/** The kinds whose objects are cached. */
export function storedKinds({ kinds }: ServedResources): readonly Kind[] {
  return kinds.filter(isStored);
}
