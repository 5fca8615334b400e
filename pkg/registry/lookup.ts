import type { StoredObjects } from '../admission/index.js';
import type { GroupResourceName, JsonObject } from '../api/index.js';
import { prefixEnd } from '../storage/index.js';
import type { StorageForm } from './catalogue.js';
import { type Core, fresh } from './core.js';

/** Milliseconds that a lookup waits for the state to be current. */
const PATIENCE = 10_000;

/** Objects that admission depends on, read from the cache. That an object is absent is concluded from a current state only. */
export function storedObjects(core: () => Core): StoredObjects {
  const formOf = ({ group, resource }: GroupResourceName): StorageForm | undefined =>
    core().catalogue().kind(group, resource)?.storage;
  const read = (resource: GroupResourceName, namespace: string, name: string): JsonObject | undefined => {
    const form = formOf(resource);
    if (form === undefined) return undefined;
    const key = namespace === '' ? name : `${namespace}/${name}`;
    return core()
      .cache.collection(form.prefix)
      ?.get(form.prefix + key)
      ?.parse();
  };
  return {
    get: async (resource, namespace, name) => {
      if (name === '' || name.includes('/')) return undefined;
      const found = read(resource, namespace, name);
      if (found !== undefined) return found;
      await fresh(core(), { deadline: core().world.clock.monotonic() + PATIENCE });
      return read(resource, namespace, name);
    },
    list: (resource, namespace) => {
      const form = formOf(resource);
      const collection = form === undefined ? undefined : core().cache.collection(form.prefix);
      if (form === undefined || collection === undefined) return [];
      const found: JsonObject[] = [];
      const prefix = namespace === '' ? form.prefix : `${form.prefix}${namespace}/`;
      for (const stored of collection.snapshot().objects.range(prefix, prefixEnd(prefix))) found.push(stored.parse());
      return found;
    },
  };
}
