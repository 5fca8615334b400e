import { ApiError, type JsonObject, parseApiVersion } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import type { Policy } from './cluster.js';
import { type Collected, LocalObject } from './collected.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { type Dependent, Dependents } from './dependents.js';
import { type Meta, metaOf, type OwnerReference } from './meta.js';
import { WorkQueue } from './queue.js';
import { NO_REMOTE_OBJECTS, RemoteDependents, type RemoteObjects, serverOf } from './remotedependents.js';
import {
  FOREGROUND,
  FollowedOwners,
  NO_REMOTE_OWNERS,
  type OwnerState,
  ownerState,
  type RemoteOwners,
  waitsForDependents,
} from './remoteowners.js';

const ORPHAN = 'orphan';
const WORKERS = 8;
/** The same for objects at one aggregated server. */
const REMOTE_WORKERS = 2;
/**
 * The delay after which an owner of a new or changed object is looked up that this peer does not know. The deletion of an owner is an
 * event, and its dependents are examined at once; an owner that never existed causes no event. With the delay, a series of changes costs
 * one lookup, and a client that sets owner references in several steps finds its object still there.
 */
const OWNERS_LOOKED_UP_AFTER_MILLISECONDS = 2000;

/** An object without any of these marks in its bytes is skipped without parsing; most objects are. */
const DELETION = Buffer.from('"deletionTimestamp":');
const MARKS = [Buffer.from('"ownerReferences":'), DELETION];

/** APIServices without it are those of this server. */
const SERVICE = Buffer.from('"service":');

/**
 * Deletes objects whose owners no longer exist, according to their owner references.
 *
 * Only objects with owners are indexed, by the uid of each owner. Most changes are of objects with owners that this peer knows and that
 * are not being deleted: they need no work, because the end of such an owner is an event that finds them in the index. The absence of an
 * owner is never concluded from the index, but from a consistent read of the owner. A collector that has just started or missed an
 * event may be late, but never wrong. Aggregated servers cause no events: owners there are read again and again (`FollowedOwners`), and
 * dependents there are listed (`RemoteDependents`). What waits for such a server has a queue of its own.
 *
 * Invariants
 * 1. An object is deleted only after each of its owners was read as absent, as another object by uid, or as waiting for it.
 * 2. Every write carries the uid and the resourceVersion that were read: a new object of the same name is never touched, and an
 *    object whose owners changed is examined again.
 * 3. An object with an owner of a kind that is not served stays.
 * 4. Events are never collected, whatever their owner references say.
 */
export function garbageCollector(
  context: ControllerContext,
  remote: RemoteOwners = NO_REMOTE_OWNERS,
  remoteObjects: RemoteObjects = NO_REMOTE_OBJECTS,
): Controller {
  const { cluster } = context;
  const dependents = new Dependents();
  const queueWith = (workers: number, server: string): WorkQueue =>
    new WorkQueue({
      world: context.world,
      workers,
      sync: (key) => sync(key, server),
      failed: (key, error) => context.log('garbage collector: will retry', { key, error: String(error) }),
    });
  const queue = queueWith(WORKERS, '');
  /** By aggregated server: one that does not respond holds only its own workers. */
  const remoteQueues = new Map<string, WorkQueue>();
  let stopped = false;
  /** Owners that are being deleted and have no owners themselves. */
  const owners = new Map<string, Collected>();
  const followed = new FollowedOwners({
    remote,
    context,
    hasDependents: (uid) => dependents.of(uid).size > 0,
    changed: (uid) => {
      for (const key of dependents.of(uid)) queueOf(key).add(key);
    },
  });
  const elsewhere = new RemoteDependents({ remote: remoteObjects, context, changed: note, gone: forget });

  function queueOf(key: string): WorkQueue {
    const server = serverOf(key);
    if (server === '') return queue;
    let found = remoteQueues.get(server);
    if (found === undefined) {
      found = queueWith(REMOTE_WORKERS, server);
      if (!stopped) found.start();
      remoteQueues.set(server, found);
    }
    return found;
  }

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.strategy.deletion?.propagation === 'Unsupported') return;
    if (after === undefined) {
      if (before !== undefined) gone(before);
      return;
    }
    if (before === undefined && resource.resource === 'apiservices' && resource.group === 'apiregistration.k8s.io')
      registered(after);
    const { key, json, namespace, name } = after;
    if (!MARKS.some((m) => json.includes(m))) {
      const held = dependents.get(key)?.owners ?? [];
      dependents.delete(key);
      wakeOwners(held);
      return;
    }
    note(key, new LocalObject(cluster, { resource, namespace, name }), metaOf(after.value()));
  }

  /** Notes an object that has owners or is being deleted. */
  function note(key: string, object: Collected, meta: Meta): void {
    const held = dependents.get(key)?.owners ?? [];
    dependents.set(key, { object, uid: meta.uid, owners: meta.owners, waiting: waitsForDependents(meta) });
    if (!meta.owners.every((o) => isKnown(o, object.namespace)))
      queueOf(key).addAfter(key, OWNERS_LOOKED_UP_AFTER_MILLISECONDS);
    if (meta.deleting && meta.finalizers.some((f) => f === ORPHAN || f === FOREGROUND)) {
      owners.set(key, object);
      queueOf(key).add(key);
    }
    wakeOwners(held.filter((h) => !meta.owners.some((o) => o.uid === h.uid && o.blockOwnerDeletion)));
  }

  /** Examines dependents whose owners are of a kind that was not served until now. */
  function added({ kind, group }: ServedResource): void {
    lookUp((r) => r.kind === kind && parseApiVersion(r.apiVersion)?.group === group);
  }

  /** The same for a version that an aggregated server serves from now on. The name of its APIService is `v1.demo.example.com`. */
  function registered({ name, json }: StoredObject): void {
    if (!json.includes(SERVICE)) return;
    const [version, ...group] = name.split('.');
    const apiVersion = `${group.join('.')}/${version}`;
    lookUp((r) => r.apiVersion === apiVersion);
  }

  /** Examines dependents with such a reference, after the delay for owners that this peer does not know. */
  function lookUp(which: (reference: OwnerReference) => boolean): void {
    for (const key of dependents.referring(which)) queueOf(key).addAfter(key, OWNERS_LOOKED_UP_AFTER_MILLISECONDS);
  }

  function removed({ storage }: ServedResource): void {
    dependents.deleteAll(storage.prefix);
    for (const key of [...owners.keys()]) if (key.startsWith(storage.prefix)) owners.delete(key);
  }

  function gone(before: StoredObject): void {
    forget(before.key);
    for (const key of dependents.of(before.uid())) queueOf(key).add(key);
  }

  function forget(key: string): void {
    const was = dependents.get(key);
    dependents.delete(key);
    owners.delete(key);
    if (was !== undefined) wakeOwners(was.owners);
  }

  /** Examines owners that a dependent no longer blocks. */
  function wakeOwners(references: readonly OwnerReference[]): void {
    if (references.length === 0 || owners.size === 0) return;
    for (const [key, { name, kind }] of owners)
      if (references.some((r) => r.name === name && r.kind === kind)) queueOf(key).add(key);
  }

  /** `server`: whose queue it is. */
  async function sync(key: string, server: string): Promise<void> {
    const owner = owners.get(key);
    if (owner !== undefined) await releaseOwner(key, owner, server);
    const dependent = dependents.get(key);
    if (dependent !== undefined) await unlessChanged(judge(dependent));
    // The effect of what was written there is seen by a list only.
    if (server !== '') elsewhere.soon();
  }

  /** Handles an object that is being deleted with a finalizer of the collector: its dependents come first. */
  async function releaseOwner(key: string, owner: Collected, server: string): Promise<void> {
    const object = await owner.get();
    const meta = object === undefined ? undefined : metaOf(object);
    if (meta === undefined || !meta.deleting || !meta.finalizers.some((f) => f === ORPHAN || f === FOREGROUND)) {
      owners.delete(key);
      return;
    }
    const keys = [...dependents.of(meta.uid)];
    if (meta.finalizers.includes(ORPHAN)) {
      const remoteKey = keys.find((k) => serverOf(k) !== '');
      if (server === '' && remoteKey !== undefined) return queueOf(remoteKey).add(key);
      for (const k of keys) await takeReferencesAway(dependents.get(k), (o) => o.uid === meta.uid);
      await removeFinalizer(owner, meta, ORPHAN);
      return;
    }
    for (const k of keys) if (dependents.get(k)?.waiting !== true) queueOf(k).add(k);
    if (!keys.some((k) => dependents.blocks(k, meta.uid) && !dependents.waitsFor(k, key)))
      await removeFinalizer(owner, meta, FOREGROUND);
  }

  /** Handles an object with owners: deletes it if none of them keeps it. */
  async function judge(dependent: Dependent): Promise<void> {
    const object = await dependent.object.get();
    if (object === undefined) return;
    const meta = metaOf(object);
    if (meta.uid !== dependent.uid || meta.owners.length === 0) return;
    // It is being deleted and does not wait for dependents.
    if (meta.deleting) return;
    const lost: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of meta.owners) {
      const state = await stateOf(reference, dependent.object.namespace);
      if (state === 'unknown') return;
      if (state === 'absent') lost.push(reference);
      else if (state === 'waiting') waiting.push(reference);
    }
    const kept = meta.owners.length - lost.length - waiting.length;
    if (kept > 0) {
      const drop = new Set([...lost, ...waiting].map((r) => r.uid));
      if (drop.size > 0) await takeReferencesAway(dependent, (o) => drop.has(o.uid));
      return;
    }
    const { uid, resourceVersion } = meta;
    const policy = waiting.length > 0 && dependents.of(uid).size > 0 ? 'Foreground' : policyOf(meta);
    await unlessGone(dependent.object.delete({ uid, resourceVersion, policy }));
  }

  function servedOwner({ apiVersion, kind }: OwnerReference): ServedResource | undefined {
    const gv = parseApiVersion(apiVersion);
    return gv === undefined ? undefined : cluster.servedResources().findKind({ ...gv, kind });
  }

  /** Reports whether this peer knows the owner, and it is not being deleted. */
  function isKnown(reference: OwnerReference, namespace: string): boolean {
    const resource = servedOwner(reference);
    if (resource === undefined || (resource.namespaced && namespace === '')) return false;
    const owner = cluster.knownOne({ resource, namespace: resource.namespaced ? namespace : '', name: reference.name });
    return owner !== undefined && owner.uid() === reference.uid && !owner.json.includes(DELETION);
  }

  async function stateOf(reference: OwnerReference, namespace: string): Promise<OwnerState> {
    const resource = servedOwner(reference);
    if (resource === undefined) return followed.stateOf(reference, namespace);
    if (!resource.verbs.includes('get')) return 'unknown';
    // A cluster-scoped object cannot have a namespaced owner: the namespace is unknown.
    if (resource.namespaced && namespace === '') return 'unknown';
    const owner = await cluster.get({
      resource,
      namespace: resource.namespaced ? namespace : '',
      name: reference.name,
    });
    return owner === undefined ? 'absent' : ownerState(owner, reference.uid);
  }

  const loop = controllerOf('garbage-collector-controller', cluster, queue, { changed, added, removed });
  return {
    name: loop.name,
    start: async () => {
      await loop.start();
      elsewhere.start();
    },
    stop: () => {
      stopped = true;
      loop.stop();
      followed.stop();
      elsewhere.stop();
      for (const q of remoteQueues.values()) q.stop();
    },
    get counts() {
      return loop.counts;
    },
  };
}

/** Removes owner references from an object, unless another one has its name by now. */
async function takeReferencesAway(
  dependent: Dependent | undefined,
  which: (o: OwnerReference) => boolean,
): Promise<void> {
  if (dependent === undefined) return;
  const object = await dependent.object.get();
  if (object === undefined) return;
  const meta = metaOf(object);
  if (meta.uid !== dependent.uid || !meta.owners.some(which)) return;
  const references = (object['metadata'] as JsonObject)['ownerReferences'] as JsonObject[];
  const left = references.filter((_, i) => !which(meta.owners[i]!));
  await unlessGone(
    dependent.object.patch({
      metadata: {
        uid: meta.uid,
        resourceVersion: meta.resourceVersion,
        ownerReferences: left.length === 0 ? null : left,
      },
    }),
  );
}

async function removeFinalizer(object: Collected, meta: Meta, finalizer: string): Promise<void> {
  const left = meta.finalizers.filter((f) => f !== finalizer);
  await unlessGone(
    object.patch({
      metadata: {
        uid: meta.uid,
        resourceVersion: meta.resourceVersion,
        finalizers: left.length === 0 ? null : [...left],
      },
    }),
  );
}

/** The propagation policy in the finalizers of a dependent, otherwise Background. */
function policyOf(meta: Meta): Policy {
  if (meta.finalizers.includes(ORPHAN)) return 'Orphan';
  return meta.finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

/** Ignores an error for an object that is already deleted. */
async function unlessGone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (e) {
    if (e instanceof ApiError && e.status.code === 404) return;
    throw e;
  }
}

/** Ignores a conflict: the change that caused it has queued the object again. */
async function unlessChanged(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (e) {
    if (e instanceof ApiError && e.status.code === 409) return;
    throw e;
  }
}
