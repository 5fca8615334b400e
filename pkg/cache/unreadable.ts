import type { Revision } from '../base/index.js';
import type { KeyValue } from '../storage/index.js';
import type { CachedObject, StoredObject } from './object.js';

/** An object whose stored value cannot be decrypted or decoded. */
export interface UnreadableObject {
  readonly key: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
  readonly fault: 'decryption' | 'decoding';
  /** The reason, as reported by the keyspace or by `ObjectForm.upgrade`. */
  readonly problem: string;
}

export const unreadableObject = (
  { key, modRevision: revision, createRevision }: KeyValue,
  fault: UnreadableObject['fault'],
  problem: string,
): UnreadableObject => ({ key, revision, createRevision, fault, problem });

/** Thrown by `ObjectForm.upgrade` for bytes that are no object of the kind. */
export class NotDecodable extends Error {
  override readonly name = 'NotDecodable';
}

/** The error of a read that needs the object. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
  readonly objects: readonly UnreadableObject[];

  constructor(objects: readonly UnreadableObject[]) {
    super(`the stored value of ${objects[0]!.key} cannot be read: ${objects[0]!.problem}`);
    this.objects = objects;
  }
}

interface Kept {
  readonly object: UnreadableObject;
  /** The last state that observers saw. */
  readonly seen: CachedObject | undefined;
}

/**
 * The objects of a collection that cannot be read. They are kept apart from the others, so that code that walks a
 * collection does not see them; code that must account for all objects requests them.
 */
export class Unreadable {
  readonly #kept = new Map<string, Kept>();

  get size(): number {
    return this.#kept.size;
  }

  get(key: string): UnreadableObject | undefined {
    return this.#kept.get(key)?.object;
  }

  /** The objects with keys from `start` to `end` (exclusive), in the order of their keys. */
  between(start: string, end: string): UnreadableObject[] {
    if (this.#kept.size === 0) return [];
    const found = [...this.#kept.values()].map((k) => k.object).filter(({ key }) => key >= start && key < end);
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  all(): UnreadableObject[] {
    return [...this.#kept.values()].map((k) => k.object);
  }

  /** Adds or replaces an object. `seen` is its last readable state, if it has just become unreadable. */
  add(object: UnreadableObject, seen?: CachedObject): void {
    this.#kept.set(object.key, { object, seen: seen ?? this.#kept.get(object.key)?.seen });
  }

  /** Removes an object; returns its last readable state that observers saw. */
  remove(key: string): StoredObject | undefined {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    return kept?.seen;
  }
}
