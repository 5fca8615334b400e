import type { JsonObject } from '../api/index.js';
import type { Collected } from './collected.js';
import type { ControllerContext } from './controller.js';
import { type Meta, metaOf } from './meta.js';

/** The objects that aggregated API servers keep and that can be deleted. */
export interface RemoteObjects {
  /** Each server by its group version (`wardle.example.com/v1`). A server that is not registered is absent. */
  servers(): ReadonlyMap<string, RemoteCollections>;
}

/** The resources of one server; undefined if it does not respond, or has not told them yet. */
export type RemoteCollections = readonly RemoteCollection[] | undefined;

export interface RemoteCollection {
  /** The name of the resource: `flunders`. */
  readonly resource: string;
  /** The metadata of all objects, page by page. Throws `ApiError` if the server refuses or does not respond. */
  pages(): AsyncIterable<readonly JsonObject[]>;
  object(namespace: string, name: string): Collected;
}

/** There are no aggregated servers. */
export const NO_REMOTE_OBJECTS: RemoteObjects = { servers: () => new Map() };

/** The time between two lists of a server. */
const LIST_MILLISECONDS = 15_000;
/** The same after one of its objects was written. */
const SOON_MILLISECONDS = 1_000;

/** Storage keys of this server begin with a slash, those of objects elsewhere with the group version of their server. */
const keyOf = (server: string, resource: string, namespace: string, name: string): string =>
  `${server}/${resource}/${namespace}/${name}`;

/** The group version of the server that keeps an object, by its key; '' for this server. */
export function serverOf(key: string): string {
  return key.startsWith('/') ? '' : key.split('/', 2).join('/');
}

export interface RemoteDependentsParts {
  readonly remote: RemoteObjects;
  readonly context: ControllerContext;
  /** An object that has owners or is being deleted is new or has changed. */
  readonly changed: (key: string, object: Collected, meta: Meta) => void;
  /** An object that was reported does not exist any more, or has neither owners nor a deletion. */
  readonly gone: (key: string) => void;
}

/**
 * Finds dependents at aggregated servers by listing their objects again and again. Each server has at most one list under way, so one that
 * does not respond delays no other. While a server fails, what it told before stays. An object may be found late, but nothing is decided
 * from a list: the collector reads each object again before it writes.
 */
export class RemoteDependents {
  readonly #parts: RemoteDependentsParts;
  /** The resource versions of the objects that were reported, by server and key. */
  readonly #known = new Map<string, Map<string, string>>();
  readonly #busy = new Set<string>();
  #cancel = (): void => {};
  #due = 0;
  #stopped = false;

  constructor(parts: RemoteDependentsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#round();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Lists in a moment, because an object was written. */
  soon(): void {
    this.#schedule(SOON_MILLISECONDS);
  }

  #schedule(milliseconds: number): void {
    const { timers, clock } = this.#parts.context.world;
    const due = clock.monotonic() + milliseconds;
    if (this.#stopped || (this.#due > clock.monotonic() && this.#due <= due)) return;
    this.#cancel();
    this.#due = due;
    this.#cancel = timers.after(milliseconds, () => this.#round());
  }

  #round(): void {
    if (this.#stopped) return;
    this.#due = 0;
    const servers = this.#parts.remote.servers();
    for (const server of [...this.#known.keys()]) if (!servers.has(server)) this.#replace(server, new Map());
    for (const [server, collections] of servers) {
      if (collections === undefined || this.#busy.has(server)) continue;
      this.#busy.add(server);
      void this.#list(server, collections).finally(() => this.#busy.delete(server));
    }
    this.#schedule(LIST_MILLISECONDS);
  }

  async #list(server: string, collections: readonly RemoteCollection[]): Promise<void> {
    const known = this.#known.get(server);
    const found = new Map<string, string>();
    for (const collection of collections) {
      try {
        for await (const page of collection.pages()) {
          if (this.#stopped) return;
          for (const item of page) this.#find(server, collection, item, found);
        }
      } catch (error) {
        const fields = { server, resource: collection.resource, error: String(error) };
        this.#parts.context.log('garbage collector: will list an aggregated server again', fields);
        const prefix = `${server}/${collection.resource}/`;
        for (const [key, version] of known ?? []) if (key.startsWith(prefix)) found.set(key, version);
      }
    }
    // The server may have been unregistered meanwhile.
    if (!this.#stopped) this.#replace(server, this.#parts.remote.servers().has(server) ? found : new Map());
  }

  #find(server: string, collection: RemoteCollection, item: JsonObject, found: Map<string, string>): void {
    const meta = metaOf(item);
    if (meta.uid === '' || (meta.owners.length === 0 && !meta.deleting)) return;
    // No object has such a name, and its path would be another.
    if (['', '.', '..'].includes(meta.name) || ['.', '..'].includes(meta.namespace)) return;
    const key = keyOf(server, collection.resource, meta.namespace, meta.name);
    const version = `${meta.uid} ${meta.resourceVersion}`;
    found.set(key, version);
    if (this.#known.get(server)?.get(key) === version) return;
    this.#parts.changed(key, collection.object(meta.namespace, meta.name), meta);
  }

  #replace(server: string, found: Map<string, string>): void {
    const before = this.#known.get(server);
    if (found.size === 0) this.#known.delete(server);
    else this.#known.set(server, found);
    for (const key of before?.keys() ?? []) if (!found.has(key)) this.#parts.gone(key);
  }
}
