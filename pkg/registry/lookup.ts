import type { StoredObjects } from '../admission/index.js';
import type { GroupResourceName, JsonObject } from '../api/index.js';
import { prefixEnd } from '../storage/index.js';
import type { StorageForm } from './catalogue.js';
import { type Core, fresh } from './core.js';

/** Milliseconds that a look-up waits for the state to be current. */
const PATIENCE = 10_000;

/** Objects that others depend on, for admission: read from the cache; that one is absent is made sure of. */
export function storedObjects(core: () => Core): StoredObjects {
  const forms = new Map<string, StorageForm | undefined>();
  const formOf = ({ group, resource }: GroupResourceName): StorageForm | undefined => {
    const key = `${group}/${resource}`;
    if (!forms.has(key)) forms.set(key, findForm(core(), group, resource));
    return forms.get(key);
  };
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

function findForm(core: Core, group: string, resource: string): StorageForm | undefined {
  for (const g of core.catalogue().groups) {
    if (g.group !== group) continue;
    for (const v of g.versions) {
      const found = v.resources.find((r) => r.resource === resource);
      if (found !== undefined) return found.storage;
    }
  }
  return undefined;
}
