import { errors, type GroupResourceName, type JsonObject, type StoredObjects } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { prefixEnd } from '../storage/index.js';
import { type Core, fresh } from './core.js';
import type { ServedResource, StorageForm } from './servedresources.js';

/** Milliseconds that a lookup waits for a consistent read. */
const LOOKUP_TIMEOUT_MS = 10_000;

/** Lookups of other objects by admission steps. */
export function storedObjects(core: () => Core): StoredObjects {
  const formOf = ({ group, resource }: GroupResourceName): StorageForm | undefined =>
    core().servedResources().kind(group, resource)?.storage;
  const find = (resource: GroupResourceName, namespace: string, name: string): StoredObject | undefined => {
    const form = formOf(resource);
    if (form === undefined || !isName(name)) return undefined;
    const key = namespace === '' ? name : `${namespace}/${name}`;
    return core()
      .cache.collection(form.prefix)
      ?.get(form.prefix + key);
  };
  const refresh = (): Promise<void> => fresh(core(), { deadline: core().world.clock.monotonic() + LOOKUP_TIMEOUT_MS });
  const stored = (resource: GroupResourceName, namespace: string): Iterable<StoredObject> => {
    const form = formOf(resource);
    const collection = form === undefined ? undefined : core().cache.collection(form.prefix);
    if (form === undefined || collection === undefined) return [];
    const prefix = namespace === '' ? form.prefix : `${form.prefix}${namespace}/`;
    return collection.snapshot().objects.range(prefix, prefixEnd(prefix));
  };
  function* each(resource: GroupResourceName, namespace: string): Iterable<JsonObject> {
    for (const o of stored(resource, namespace)) yield o.value();
  }
  /** A miss is confirmed by a consistent read. */
  const get = async (
    resource: GroupResourceName,
    namespace: string,
    name: string,
  ): Promise<StoredObject | undefined> => {
    const found = find(resource, namespace, name);
    if (found !== undefined || !isName(name)) return found;
    await refresh();
    return find(resource, namespace, name);
  };
  return {
    get: async (resource, namespace, name) => (await get(resource, namespace, name))?.value(),
    labels: async (resource, namespace, name) => (await get(resource, namespace, name))?.labels(),
    cached: (resource, namespace, name) => find(resource, namespace, name)?.value(),
    list: (resource, namespace) => [...each(resource, namespace)],
    each,
    isEmpty: (resource, namespace) => {
      for (const _ of stored(resource, namespace)) return false;
      return true;
    },
    refresh,
    state: (resource) => {
      const form = formOf(resource);
      return (form === undefined ? undefined : core().cache.collection(form.prefix)?.changed) ?? 0;
    },
    resourceOf: ({ group, version, kind }) => {
      for (const g of core().servedResources().groups) {
        if (g.group !== group) continue;
        const found = g.versions.find((v) => v.version === version)?.resources.find((r) => r.kind === kind);
        if (found !== undefined) return { group, resource: found.resource, namespaced: found.namespaced };
      }
      return undefined;
    },
  };
}

/** Another text would lead to the key of another object, or to that of none. */
const isName = (name: string): boolean => name !== '' && !name.includes('/');

/** Returns a resource in its storage version if that is served, else in any served version. */
export function storedResource(core: Core, { group, resource }: GroupResourceName): ServedResource {
  const served = core.servedResources().kind(group, resource)?.served ?? [];
  const found = served.find((r) => r.conversion === undefined) ?? served[0];
  if (found === undefined) throw errors.internal(`${resource} of ${group === '' ? 'core' : group} are not served`);
  return found;
}
