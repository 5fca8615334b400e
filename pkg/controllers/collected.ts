import type { JsonObject } from '../api/index.js';
import type { Cluster, ConditionalPatch, DeleteOptions, Place } from './cluster.js';

/** An object that the garbage collector reads and writes: one of this server, or of an aggregated one. */
export interface Collected {
  readonly kind: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** A consistent read; undefined if the object does not exist. */
  get(): Promise<JsonObject | undefined>;
  /** A JSON merge patch. Fails with 409 if the object has changed. */
  patch(patch: ConditionalPatch): Promise<void>;
  /** Fails with 409 if uid or resourceVersion differ. */
  delete(options: DeleteOptions): Promise<void>;
}

/** An object that this server keeps. */
export class LocalObject implements Collected {
  readonly #cluster: Cluster;
  readonly #place: Place;

  constructor(cluster: Cluster, place: Place) {
    this.#cluster = cluster;
    this.#place = place;
  }

  get kind(): string {
    return this.#place.resource.kind;
  }

  get namespace(): string {
    return this.#place.namespace;
  }

  get name(): string {
    return this.#place.name;
  }

  get(): Promise<JsonObject | undefined> {
    return this.#cluster.get(this.#place);
  }

  patch(patch: ConditionalPatch): Promise<void> {
    return this.#cluster.patch(this.#place, '', patch);
  }

  delete(options: DeleteOptions): Promise<void> {
    return this.#cluster.delete(this.#place, options);
  }
}
