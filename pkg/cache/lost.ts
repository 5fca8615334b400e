import { type Keyspace, prefixEnd } from '../storage/index.js';
import type { Collection } from './collection.js';
import { cacheLimits } from './limits.js';
import type { StoredObject } from './object.js';
import { type UnreadableObject, unreadableObject } from './unreadable.js';

/**
 * Objects that the cache has and that the store can no longer decrypt, because their key was removed from the configuration. They stay
 * in the cache: an update writes them again with a present key, which saves them. Reads that must see the store fail, so that the loss is
 * noticed while that is possible.
 */
export class LostObjects {
  #lost: ReadonlyMap<string, UnreadableObject> = new Map();

  /** Why this version of an object cannot be decrypted; undefined if it can. */
  of({ key, revision }: StoredObject): UnreadableObject | undefined {
    if (this.#lost.size === 0) return undefined;
    const found = this.#lost.get(key);
    return found?.revision === revision ? found : undefined;
  }

  /** Reads the objects of a collection in the store again, if some of them were encrypted with a former key. Returns the lost ones. */
  async search(keyspace: Keyspace, collection: Collection): Promise<readonly UnreadableObject[]> {
    const { prefix } = collection;
    const found: UnreadableObject[] = [];
    const end = prefixEnd(prefix);
    for (let start: string | undefined = hasStale(collection) ? prefix : undefined; start !== undefined; ) {
      const page = await keyspace.range({ start, end, limit: cacheLimits.fillPageKeys });
      if (page.kind !== 'ok') break;
      for (const kv of page.items) {
        const problem = kv.protection?.problem;
        if (problem !== undefined && collection.get(kv.key)?.revision === kv.modRevision)
          found.push(unreadableObject(kv, 'decryption', problem));
      }
      start = page.more ? `${page.items.at(-1)!.key}\u0000` : undefined;
    }
    const others = [...this.#lost].filter(([key]) => !key.startsWith(prefix));
    this.#lost = new Map([...others, ...found.map((o) => [o.key, o] as const)]);
    return found;
  }
}

/** Objects that were encrypted with the present key need no search. */
function hasStale(collection: Collection): boolean {
  for (const o of collection.snapshot().objects.range(collection.prefix, prefixEnd(collection.prefix)))
    if (o.stale) return true;
  return false;
}
