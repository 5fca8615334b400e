import type { Protection } from '../storage/index.js';
import { parseGroupResource } from './configuration.js';
import type { Transformer } from './provider.js';

/** The transformer of each resource, by the names of a configuration, which may have wildcards. */
export class Transformers {
  readonly #byName: ReadonlyMap<string, Transformer>;

  /** The keys are `group/resource`, with `*` as in the configuration. */
  constructor(byName: ReadonlyMap<string, Transformer>) {
    this.#byName = byName;
  }

  /** The exact name takes precedence over `*.group`, and that over `*.*`. */
  of(group: string, resource: string): Transformer | undefined {
    return (
      this.#byName.get(`${group}/${resource}`) ?? this.#byName.get(`${group}/*`) ?? this.#byName.get('*/*') ?? undefined
    );
  }
}

/** Returns the key of `Transformers` for a name of a configuration. */
export function nameOf(text: string): string {
  const { group, resource } = parseGroupResource(text);
  return `${group}/${resource}`;
}

/** A resource and the prefix of its objects in the store. */
export interface StoredResource {
  readonly group: string;
  readonly resource: string;
  /** `/registry/pods/`. */
  readonly prefix: string;
}

/**
 * One resource with its current transformer. The objects of the cache refer to it through their protection, so that a
 * change of the configuration or of a key makes them stale without loading them again.
 */
export class Slot {
  transformer: Transformer;
  readonly #protections = new Map<string, Protection>();

  constructor(transformer: Transformer) {
    this.transformer = transformer;
  }

  /** The protection of values that were encrypted with the key `label`. */
  protection(label: string): Protection {
    let found = this.#protections.get(label);
    if (found === undefined) {
      found = new LabelledProtection(this, label);
      this.#protections.set(label, found);
    }
    return found;
  }
}

class LabelledProtection implements Protection {
  readonly #slot: Slot;
  readonly #label: string;

  constructor(slot: Slot, label: string) {
    this.#slot = slot;
    this.#label = label;
  }

  get stale(): boolean {
    return this.#slot.transformer.label !== this.#label;
  }
}

/** Finds the resource of a key. */
export class Slots {
  readonly #known: ReadonlyMap<string, StoredResource>;
  readonly #slots = new Map<string, Slot>();
  readonly #identity: Transformer;
  #transformers: Transformers;

  /** `identity` serves the resources that no name covers. */
  constructor(resources: readonly StoredResource[], transformers: Transformers, identity: Transformer) {
    this.#known = new Map(resources.filter(({ prefix }) => prefix !== '').map((r) => [r.prefix, r]));
    this.#transformers = transformers;
    this.#identity = identity;
  }

  /** Replaces the transformers. */
  use(transformers: Transformers): void {
    this.#transformers = transformers;
    for (const [id, slot] of this.#slots) {
      const at = id.indexOf('/');
      slot.transformer = this.#transformerOf(id.slice(0, at), id.slice(at + 1));
    }
  }

  /**
   * Finds the resource of a key: `/registry/pods/default/a`, `/registry/services/specs/default/a` or, for a custom
   * resource, `/registry/example.com/widgets/default/a`. Undefined for keys without an object, such as allocations.
   */
  of(key: string): Slot | undefined {
    const first = key.indexOf('/', ROOT_LENGTH);
    if (first < 0) return undefined;
    const one = this.#known.get(key.slice(0, first + 1));
    if (one !== undefined) return this.#slot(one.group, one.resource);
    const second = key.indexOf('/', first + 1);
    if (second < 0) return undefined;
    const two = this.#known.get(key.slice(0, second + 1));
    if (two !== undefined) return this.#slot(two.group, two.resource);
    const group = key.slice(ROOT_LENGTH, first);
    return group.includes('.') ? this.#slot(group, key.slice(first + 1, second)) : undefined;
  }

  #slot(group: string, resource: string): Slot {
    const id = `${group}/${resource}`;
    let slot = this.#slots.get(id);
    if (slot === undefined) {
      slot = new Slot(this.#transformerOf(group, resource));
      this.#slots.set(id, slot);
    }
    return slot;
  }

  #transformerOf(group: string, resource: string): Transformer {
    return this.#transformers.of(group, resource) ?? this.#identity;
  }
}

const ROOT_LENGTH = '/registry/'.length;
