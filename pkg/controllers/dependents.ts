import type { Collected } from './collected.js';
import type { OwnerReference } from './meta.js';

/** An object with owners. */
export interface Dependent {
  readonly object: Collected;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  /** Whether it is being deleted and waits for its own dependents. */
  readonly waiting: boolean;
}

/** The objects that have owners, by their storage keys and by the uids of their owners. */
export class Dependents {
  readonly #byKey = new Map<string, Dependent>();
  readonly #byOwner = new Map<string, Set<string>>();

  get(key: string): Dependent | undefined {
    return this.#byKey.get(key);
  }

  /** The keys of the objects that refer to the owner with this uid. */
  of(owner: string): ReadonlySet<string> {
    return this.#byOwner.get(owner) ?? new Set();
  }

  /** The keys of the objects with a reference for which `which` holds. */
  referring(which: (reference: OwnerReference) => boolean): readonly string[] {
    return [...this.#byKey].filter(([, { owners }]) => owners.some(which)).map(([key]) => key);
  }

  /** Replaces what is known of an object. One without owners is forgotten. */
  set(key: string, dependent: Dependent): void {
    this.delete(key);
    if (dependent.owners.length === 0) return;
    this.#byKey.set(key, dependent);
    for (const { uid } of dependent.owners) {
      const keys = this.#byOwner.get(uid);
      if (keys === undefined) this.#byOwner.set(uid, new Set([key]));
      else keys.add(key);
    }
  }

  delete(key: string): void {
    const was = this.#byKey.get(key);
    if (was === undefined) return;
    this.#byKey.delete(key);
    for (const { uid } of was.owners) {
      const keys = this.#byOwner.get(uid);
      keys?.delete(key);
      if (keys?.size === 0) this.#byOwner.delete(uid);
    }
  }

  /** Forgets the objects of a resource, by the prefix of its keys. */
  deleteAll(prefix: string): void {
    for (const key of [...this.#byKey.keys()]) if (key.startsWith(prefix)) this.delete(key);
  }

  /** Reports whether a dependent blocks the deletion of the owner with this uid. */
  blocks(key: string, owner: string): boolean {
    return this.#byKey.get(key)?.owners.some((o) => o.uid === owner && o.blockOwnerDeletion) === true;
  }

  /**
   * Reports whether `key` waits for `goal`, directly or through others. Owners in a cycle would wait for each other
   * forever.
   */
  waitsFor(key: string, goal: string): boolean {
    const seen = new Set<string>();
    const pending = [key];
    for (let k = pending.pop(); k !== undefined; k = pending.pop()) {
      if (k === goal) return true;
      const d = this.#byKey.get(k);
      if (d?.waiting !== true || seen.has(k)) continue;
      seen.add(k);
      for (const next of this.of(d.uid)) if (this.blocks(next, d.uid)) pending.push(next);
    }
    return false;
  }
}
