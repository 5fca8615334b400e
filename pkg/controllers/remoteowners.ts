import type { JsonObject } from '../api/index.js';
import type { ControllerContext } from './controller.js';
import { type Meta, metaOf, type OwnerReference } from './meta.js';
import { WorkQueue } from './queue.js';

/** The owners of objects that aggregated API servers keep. */
export interface RemoteOwners {
  /** Reports whether another server serves this API version (`wardle.example.com/v1`). */
  serves(apiVersion: string): boolean;
  /**
   * Reads the metadata of an owner; undefined if it does not exist. `namespace` is that of the dependent, '' for one of the cluster. The
   * result is `unserved` if the server has no such kind, or only in namespaces and the dependent has none. Throws `ApiError` if the server
   * refuses, does not respond, or has not told its resources yet.
   */
  read(reference: OwnerReference, namespace: string): Promise<JsonObject | 'unserved' | undefined>;
}

/** There are no aggregated servers. */
export const NO_REMOTE_OWNERS: RemoteOwners = { serves: () => false, read: async () => 'unserved' };

/**
 * Whether an owner keeps its dependents: it exists, does not exist with this uid, is being deleted and waits for them, or nothing is
 * known yet.
 */
export type OwnerState = 'solid' | 'absent' | 'waiting' | 'unknown';

/** The finalizer of an object that is deleted after its dependents. */
export const FOREGROUND = 'foregroundDeletion';
/** Few, because a server that does not respond holds each for as long as a request may take. */
const WORKERS = 2;
/** The time between two reads of an owner that exists. It doubles from the first to the longest. */
const FIRST_MILLISECONDS = 1_000;
const LONGEST_MILLISECONDS = 60_000;

interface Followed {
  readonly reference: OwnerReference;
  readonly namespace: string;
  state: OwnerState;
  wait: number;
}

export interface RemoteOwnerParts {
  readonly remote: RemoteOwners;
  /** Reports whether objects refer to the owner with this uid. An owner without dependents is not read again. */
  readonly hasDependents: (uid: string) => boolean;
  /** Called when the state of the owner with this uid has changed. */
  readonly changed: (uid: string) => void;
  readonly context: ControllerContext;
}

/**
 * Follows owners at aggregated servers by reading them again and again, each once for all its dependents. Those that fail are retried with
 * backoff, and keep their state. A state may be late, but never wrong: an owner that is absent or waits once does not become solid again,
 * because its uid is not used twice and a deletion is not undone.
 */
export class FollowedOwners {
  readonly #parts: RemoteOwnerParts;
  readonly #owners = new Map<string, Followed>();
  readonly #queue: WorkQueue;

  constructor(parts: RemoteOwnerParts) {
    this.#parts = parts;
    const { world, log } = parts.context;
    this.#queue = new WorkQueue({
      world,
      workers: WORKERS,
      sync: (key) => this.#read(key),
      failed: (key, error) =>
        log('garbage collector: will read an owner of an aggregated server again', { key, error: String(error) }),
    });
    this.#queue.start();
  }

  /** What is known about an owner. It is followed from the first call on. */
  stateOf(reference: OwnerReference, namespace: string): OwnerState {
    const { apiVersion, kind, name, uid } = reference;
    if (!this.#parts.remote.serves(apiVersion)) return 'unknown';
    const key = JSON.stringify([apiVersion, kind, namespace, name, uid]);
    const known = this.#owners.get(key);
    if (known !== undefined) return known.state;
    this.#owners.set(key, { reference, namespace, state: 'unknown', wait: FIRST_MILLISECONDS });
    this.#queue.add(key);
    return 'unknown';
  }

  stop(): void {
    this.#queue.stop();
    this.#owners.clear();
  }

  async #read(key: string): Promise<void> {
    const owner = this.#owners.get(key);
    if (owner === undefined) return;
    const { reference, namespace } = owner;
    if (!this.#parts.hasDependents(reference.uid)) {
      this.#owners.delete(key);
      return;
    }
    const state = stateIn(await this.#parts.remote.read(reference, namespace), reference.uid);
    if (this.#owners.get(key) !== owner) return;
    if (state !== owner.state) {
      owner.state = state;
      this.#parts.changed(reference.uid);
    }
    this.#queue.addAfter(key, owner.wait);
    owner.wait = Math.min(owner.wait * 2, LONGEST_MILLISECONDS);
  }
}

function stateIn(owner: JsonObject | 'unserved' | undefined, uid: string): OwnerState {
  if (owner === 'unserved') return 'unknown';
  return owner === undefined ? 'absent' : ownerState(owner, uid);
}

/** The state of an object as the owner with this uid. */
export function ownerState(owner: JsonObject, uid: string): OwnerState {
  const meta = metaOf(owner);
  if (meta.uid !== uid) return 'absent';
  return waitsForDependents(meta) ? 'waiting' : 'solid';
}

/** Reports whether an object is being deleted after its dependents. */
export function waitsForDependents(meta: Meta): boolean {
  return meta.deleting && meta.finalizers.includes(FOREGROUND);
}
