import type { GroupResourceName } from '../api/index.js';
import { invariant } from '../base/index.js';
import { type Catalogue, catalogueOf } from './catalogue.js';
import type { Kind } from './kind.js';

/** What becomes of kinds in one step: each kind of `set` replaces the one with its group and resource; `remove` takes kinds away. */
export interface KindChange {
  readonly set?: readonly Kind[];
  readonly remove?: readonly GroupResourceName[];
}

/** Called after every change of the served kinds, synchronously. It must be quick and may not throw. */
export type KindObserver = (next: Catalogue, previous: Catalogue) => void;

/**
 * The kinds that this server knows, as a sequence of immutable snapshots. A request works with the snapshot that it began with;
 * whatever is derived from one (documents, indexes) is keyed by it, or follows it through `observe`.
 */
export class KindSet {
  #kinds: ReadonlyMap<string, Kind>;
  #current: Catalogue;
  readonly #observers = new Set<KindObserver>();

  constructor(kinds: readonly Kind[]) {
    this.#kinds = new Map(kinds.map((k) => [idOf(k), k]));
    invariant(this.#kinds.size === kinds.length, 'two kinds have one group and resource');
    checkPrefixes(kinds);
    this.#current = catalogueOf(kinds);
  }

  get current(): Catalogue {
    return this.#current;
  }

  /** Returns the function that ends it. */
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
    this.#current = catalogueOf([...kinds.values()]);
    for (const f of this.#observers) f(this.#current, previous);
  }
}

const idOf = ({ group, resource }: GroupResourceName): string => `${group}/${resource}`;

/** Two kinds below one prefix would read each other's objects. */
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
