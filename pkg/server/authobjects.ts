import { errors, type GroupResourceName, type JsonObject } from '../api/index.js';
import { type AuthObjects, CURRENCY_MILLISECONDS_MAX, identityOf, type ObjectIdentity } from '../auth/index.js';
import type { World } from '../base/index.js';
import { NotServed, type StoredObject } from '../cache/index.js';
import type { Registry } from '../registry/index.js';
import { prefixEnd } from '../storage/index.js';

const UNREACHABLE = 'cannot check permissions: this server does not reach the leader of its cluster';

/** Milliseconds that a request waits until the cache is confirmed as current. */
const PATIENCE = 5_000;

/** The registry's cache as authenticators and authorizers use it. */
export function authObjects(registry: Registry, world: World): AuthObjects {
  const identities = new WeakMap<StoredObject, ObjectIdentity>();
  const prefixes = new Map<string, string>();
  const prefixOf = ({ group, resource }: GroupResourceName): string => {
    const key = `${group}/${resource}`;
    let prefix = prefixes.get(key);
    if (prefix === undefined) {
      prefix = storagePrefix(registry, group, resource);
      prefixes.set(key, prefix);
    }
    return prefix;
  };
  return {
    get(resource, namespace, name) {
      const prefix = prefixOf(resource);
      const key = namespace === '' ? `${prefix}${name}` : `${prefix}${namespace}/${name}`;
      return registry.cache.collection(prefix)?.get(key)?.value();
    },
    identity(resource, namespace, name) {
      const prefix = prefixOf(resource);
      const key = namespace === '' ? `${prefix}${name}` : `${prefix}${namespace}/${name}`;
      const stored = registry.cache.collection(prefix)?.get(key);
      if (stored === undefined) return undefined;
      let identity = identities.get(stored);
      if (identity === undefined) {
        identity = identityOf(stored.value());
        identities.set(stored, identity);
      }
      return identity;
    },
    follow(resources, changed) {
      const followed = new Map(resources.map((resource) => [prefixOf(resource), resource]));
      followed.delete('');
      const report = (resource: GroupResourceName, at: StoredObject, after: StoredObject | undefined): void => {
        let parsed: JsonObject | undefined;
        changed({
          resource,
          namespace: at.namespace,
          name: at.name,
          get object() {
            parsed ??= after?.value();
            return parsed;
          },
          mentions: (text) => after?.json.includes(text) === true,
        });
      };
      for (const [prefix, resource] of followed)
        for (const o of registry.cache.collection(prefix)?.snapshot().objects.range(prefix, prefixEnd(prefix)) ?? [])
          report(resource, o, o);
      return registry.cache.observe(({ prefix, before, after }) => {
        const resource = followed.get(prefix);
        const at = after ?? before;
        if (resource !== undefined && at !== undefined) report(resource, at, after);
      });
    },
    current: currency(registry, world),
  };
}

/**
 * Confirms with the leader that the cache is current, at most once per half of the allowed age. The cache is then known
 * to be at least as new as the time of the request to the leader.
 */
function currency(registry: Registry, world: World): () => Promise<void> | undefined {
  const { clock } = world;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let confirming: Promise<void> | undefined;
  const confirm = (): Promise<void> => {
    const askedAt = clock.monotonic();
    confirming ??= registry.cache
      .fresh(askedAt + PATIENCE)
      .then(() => {
        confirmedAt = askedAt;
      })
      .finally(() => {
        confirming = undefined;
      });
    return confirming;
  };
  /** The pending confirmation may have been requested too long ago: then another one follows. */
  const confirmedSince = async (oldest: number): Promise<void> => {
    try {
      while (confirmedAt < oldest) await confirm();
    } catch (error) {
      throw error instanceof NotServed ? errors.serviceUnavailable(UNREACHABLE) : error;
    }
  };
  return () => {
    const age = clock.monotonic() - confirmedAt;
    if (age < CURRENCY_MILLISECONDS_MAX) {
      // Request the next confirmation early, so that a busy server rarely waits. A failure has an effect only when the
      // current one expires.
      if (age > CURRENCY_MILLISECONDS_MAX / 2 && confirming === undefined) confirm().catch(() => {});
      return undefined;
    }
    return confirmedSince(clock.monotonic() - CURRENCY_MILLISECONDS_MAX);
  };
}

function storagePrefix(registry: Registry, group: string, resource: string): string {
  for (const g of registry.servedResources.groups)
    if (g.group === group)
      for (const { resources } of g.versions)
        for (const r of resources) if (r.resource === resource && r.storage.prefix !== '') return r.storage.prefix;
  return '';
}
