import { type Admission, type ApiError, errors, type GroupResourceName } from '../api/index.js';
import { type Revision, type Scheduler, Slice, type World } from '../base/index.js';
import { type Cache, type Collection, NotServed, type StoredObject, type UnreadableObject } from '../cache/index.js';
import type { Keyspace, RefusalReason } from '../storage/index.js';
import { limits } from './limits.js';
import type { RegistryMetrics, StepSeries } from './metrics.js';
import type { Body, RequestContext, Target, TargetPlace } from './requests.js';
import type { Objects } from './resource.js';
import type { ServedResource, ServedResources } from './servedresources.js';
import { unreadableForWrite } from './unreadable.js';

/** The dependencies of the verbs. */
export interface Core {
  readonly world: World;
  /** Shares the turns of the event loop among long requests. */
  readonly scheduler: Scheduler;
  readonly keyspace: Keyspace;
  readonly cache: Cache;
  readonly admission: Admission;
  readonly metrics: RegistryMetrics;
  /** The series of the steps of `admission`, in their order. */
  readonly stepSeries: Readonly<Record<keyof Admission, readonly (StepSeries | undefined)[]>>;
  servedResources(): ServedResources;
  featureEnabled(gate: string): boolean;
  /** Stored objects, as the actions of a request see them. */
  objects(context: RequestContext): Objects;
}

/** Waits for a turn of the event loop if a body is large: only one large body is decoded in each turn. */
export async function turnFor(core: Core, { bytes }: Body): Promise<void> {
  if (bytes.length > limits.bodyBytesInTurn) await core.scheduler.yield();
}

/** The time of a write in the current turn. */
export function sliceOf(core: Core, context: RequestContext): Slice {
  return context.slice ?? new Slice(core.world, core.scheduler, limits.writeStageTime);
}

export function collectionOf(core: Core, resource: ServedResource): Collection {
  const found = core.cache.collection(resource.storage.prefix);
  // The kind was removed while the request was under way.
  if (found === undefined) throw errors.noSuchPath();
  return found;
}

/**
 * Returns the key of an object; of a collection in one namespace, or in all namespaces if `namespace` is '', when
 * `name` is ''.
 */
export function keyOf(resource: ServedResource, namespace: string, name: string): string {
  const { prefix } = resource.storage;
  return resource.namespaced && namespace !== '' ? `${prefix}${namespace}/${name}` : `${prefix}${name}`;
}

export function notFound({ resource, name }: TargetPlace): ApiError {
  return errors.notFound(resource.groupResource, name);
}

/** Waits until every write acknowledged before the call can be read. */
export async function fresh(core: Core, context: Pick<RequestContext, 'deadline'>): Promise<void> {
  try {
    await core.cache.fresh(context.deadline);
  } catch (e) {
    throw e instanceof NotServed ? refusal(e.reason, e.message) : e;
  }
}

/** Waits for a short time until the cache has applied a version. `stored`: kube-apiserver reads it in its store. */
export async function notOlderThan(
  core: Core,
  { resource }: Pick<Target, 'resource'>,
  revision: Revision,
  context: RequestContext,
  stored = false,
): Promise<void> {
  if (revision <= core.cache.applied) return;
  const deadline = Math.min(context.deadline, core.world.clock.monotonic() + limits.freshnessWait);
  try {
    await core.cache.waitFor(revision, deadline);
  } catch (e) {
    if (!(e instanceof NotServed)) throw e;
    if (e.reason !== 'timeout') throw refusal(e.reason, e.message);
    throw tooLargeVersion(resource, revision, core.cache.applied, stored);
  }
}

/** As in kube-apiserver, only a cache tells the client to wait for a later version. */
export function tooLargeVersion(
  { strategy }: ServedResource,
  wanted: Revision,
  current: Revision,
  stored = false,
): ApiError {
  return errors.tooLargeResourceVersion(wanted, current, !stored && strategy.compatibility?.uncached !== true);
}

/** The error for a request that the store refused; it tells the client to retry if that may help. */
export function refusal(reason: RefusalReason | 'timeout', message: string): ApiError {
  switch (reason) {
    case 'timeout':
      return errors.timeout(message, 1);
    case 'tooLarge':
      return errors.tooLarge(`Request entity is too large: ${message}`);
    case 'overloaded':
    case 'noLeader':
    case 'noSpace':
    case 'stopping':
      return errors.tooManyRequests(message, 1);
  }
}

export function conflict(gr: GroupResourceName, name: string): ApiError {
  return errors.conflict(
    gr,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** Returns the object in the cache. Throws if its stored value cannot be read; `failure` builds the error. */
export function find(
  core: Core,
  { resource, namespace }: TargetPlace,
  name: string,
  failure: (o: UnreadableObject) => ApiError = unreadableForWrite,
): StoredObject | undefined {
  if (name === '' || name.includes('/')) return undefined;
  const collection = collectionOf(core, resource);
  const key = keyOf(resource, namespace, name);
  const found = collection.get(key);
  if (found !== undefined) return found;
  const unreadable = collection.unreadable(key);
  if (unreadable !== undefined) throw failure(unreadable);
  return undefined;
}

/** Reports whether an object exists, readable or not. */
export function exists(core: Core, { resource, namespace }: TargetPlace, name: string): boolean {
  const collection = collectionOf(core, resource);
  const key = keyOf(resource, namespace, name);
  return collection.get(key) !== undefined || collection.unreadable(key) !== undefined;
}
