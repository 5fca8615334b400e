import type { GroupResourceName } from '../api/index.js';
import { invariant } from '../base/index.js';
import type { Kind } from './kind.js';
import { type ServedResources, servedResourcesOf } from './servedresources.js';

/** An atomic change of the kinds. Each kind of `set` is added, or replaces the one with its group and resource; `remove` removes kinds. */
export interface KindChange {
  readonly set?: readonly Kind[];
  readonly remove?: readonly GroupResourceName[];
}

/** Called synchronously after each change of the served kinds. It must be fast and must not throw. */
export type KindObserver = (next: ServedResources, previous: ServedResources) => void;

/**
 * The kinds of a server as a sequence of immutable snapshots. A request uses one snapshot from beginning to end. Data derived from a
 * snapshot (documents, indexes) is keyed by it or updated through `observe`.
 */
export class KindSet {
  #kinds: ReadonlyMap<string, Kind>;
  #current: ServedResources;
  readonly #observers = new Set<KindObserver>();

  constructor(kinds: readonly Kind[]) {
    this.#kinds = new Map(kinds.map((k) => [idOf(k), k]));
    invariant(this.#kinds.size === kinds.length, 'two kinds have one group and resource');
    checkPrefixes(kinds);
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
    for (const name of remove) kinds.delete(idOf(name));
    for (const kind of set) kinds.set(idOf(kind), kind);
    checkPrefixes(kinds.values());
    const previous = this.#current;
    this.#kinds = kinds;
    this.#current = servedResourcesOf([...kinds.values()]);
    for (const f of this.#observers) f(this.#current, previous);
  }
}

const idOf = ({ group, resource }: GroupResourceName): string => `${group}/${resource}`;

/** Checks that no two kinds share a storage prefix; they would read each other's objects. */
function checkPrefixes(kinds: Iterable<Kind>): void {
  const seen = new Map<string, Kind>();
  for (const kind of kinds) {
    const { prefix } = kind.storage;
    if (prefix === '') continue;
    const other = seen.get(prefix);
    invariant(other === undefined, `${kind.resource} and ${other?.resource} are stored below ${prefix}`);
    seen.set(prefix, kind);
  }
}
