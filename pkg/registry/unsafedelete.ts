import { errors, type Status } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { commit } from './commit.js';
import { type Core, collectionOf, fresh, keyOf, notFound } from './core.js';
import { limits } from './limits.js';
import { contended } from './optimistic.js';
import type { Deleted, DeleteOptions, RequestContext, Target } from './requests.js';
import { invalidObject } from './systemfields.js';
import { undecodable } from './unreadable.js';

export const UNSAFE_DELETE_GATE = 'AllowUnsafeMalformedObjectDeletion';

const NO_UNSAFE_DELETION = 'no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential';

/** Reports whether a request is an unsafe deletion and the server allows it. */
export const isUnsafe = (core: Core, options: DeleteOptions): boolean =>
  options.ignoreStoreReadError && core.featureEnabled(UNSAFE_DELETE_GATE);

/**
 * Removes an object that cannot be read, whatever its finalizers and without admission. Refuses an object that can be read.
 */
export async function removeUnsafely(
  core: Core,
  { target, options }: { readonly target: Target; readonly options: DeleteOptions },
  context: RequestContext,
): Promise<Deleted> {
  const { resource, name } = target;
  if (resource.strategy.compatibility?.noUnsafeDeletion) throw errors.internal(NO_UNSAFE_DELETION);
  const key = keyOf(resource, target.namespace, name);
  for (let attempt = 0; attempt <= limits.unconditionalRetries; attempt++) {
    await fresh(core, context);
    const collection = collectionOf(core, resource);
    const stored = collection.get(key);
    if (stored !== undefined && core.cache.lost.of(stored) === undefined && decodes(stored))
      throw errors.conflict(
        resource.groupResource,
        name,
        invalidObject(key, 'unsafe deletion is not allowed because the object is decodable from storage'),
      );
    const found = stored ?? collection.unreadable(key);
    if (found === undefined) throw notFound(target);
    const deleted: Deleted = { kind: 'deleted', status: removed(target) };
    if (options.dryRun) return deleted;
    const result = await commit(core, [{ key, modRevision: found.revision }], [{ kind: 'delete', key }]);
    if (result.kind === 'committed') return deleted;
  }
  throw contended();
}

/** Throws the error of a normal deletion for an object that cannot be decoded. */
export function decodeForDeletion(stored: StoredObject): ReturnType<StoredObject['parse']> {
  try {
    return stored.parse();
  } catch (e) {
    throw undecodable(stored.key, stored.revision, e instanceof Error ? e.message : String(e));
  }
}

function decodes(stored: StoredObject): boolean {
  try {
    stored.parse();
    return true;
  } catch {
    // The content is irrelevant, because the object is about to be removed.
    return false;
  }
}

function removed({ resource, name }: Target): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, kind: resource.kind },
    code: 200,
  };
}
