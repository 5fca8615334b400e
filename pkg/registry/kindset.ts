import type { GroupResourceName } from '../api/index.js';
import { invariant } from '../base/index.js';
import type { Kind } from './kind.js';
import { changedResources, type KindDelta, type ServedResources, servedResourcesOf } from './servedresources.js';

/** An atomic change of the kinds. Each kind of `set` is added, or replaces the one with its group and resource; `remove` removes kinds. */
export interface KindChange {
  readonly set?: readonly Kind[];
  readonly remove?: readonly GroupResourceName[];
}

/** Called synchronously after each change of the served kinds. It must be fast and must not throw. */
export type KindObserver = (next: ServedResources, delta: KindDelta) => void;

/**
 * The kinds of a server as a sequence of immutable snapshots. A request uses one snapshot from beginning to end. Data derived from a
 * snapshot (documents, indexes) is keyed by it or updated through `observe`.
 */
export class KindSet {
  #kinds: ReadonlyMap<string, Kind>;
  #current: ServedResources;
  /** By the prefix below which objects are stored. */
  #prefixes: ReadonlyMap<string, Kind>;
  readonly #observers = new Set<KindObserver>();

  constructor(kinds: readonly Kind[]) {
    this.#kinds = new Map(kinds.map((k) => [idOf(k), k]));
    invariant(this.#kinds.size === kinds.length, 'two kinds have one group and resource');
    this.#prefixes = prefixesOf(new Map(), { set: kinds, gone: [] });
    this.#current = servedResourcesOf(kinds);
  }

  get current(): ServedResources {
    return this.#current;
  }

  /** Returns a function that removes the observer. */
  observe(f: KindObserver): () => void {
    this.#observers.add(f);
    return () => this.#observers.delete(f);
  }

  /** Publishes a new snapshot. */
  change({ set = [], remove = [] }: KindChange): void {
    const kinds = new Map(this.#kinds);
    const gone: Kind[] = [];
    const drop = (id: string): void => {
      const former = kinds.get(id);
      if (former !== undefined) gone.push(former);
    };
    for (const name of remove) {
      drop(idOf(name));
      kinds.delete(idOf(name));
    }
    for (const kind of set) {
      drop(idOf(kind));
      kinds.set(idOf(kind), kind);
    }
    const delta = { set, gone };
    this.#prefixes = prefixesOf(this.#prefixes, delta);
    this.#kinds = kinds;
    this.#current = changedResources(this.#current, [...kinds.values()], delta);
    for (const f of this.#observers) f(this.#current, delta);
  }
}

const idOf = ({ group, resource }: GroupResourceName): string => `${group}/${resource}`;

/** Checks that no two kinds share a storage prefix; they would read each other's objects. */
function prefixesOf(before: ReadonlyMap<string, Kind>, { set, gone }: KindDelta): ReadonlyMap<string, Kind> {
  const prefixes = new Map(before);
  for (const kind of gone) prefixes.delete(kind.storage.prefix);
  for (const kind of set) {
    const { prefix } = kind.storage;
    if (prefix === '') continue;
    const other = prefixes.get(prefix);
    invariant(other === undefined, `${kind.resource} and ${other?.resource} are stored below ${prefix}`);
    prefixes.set(prefix, kind);
  }
  return prefixes;
}
