import { ApiError, isObject, textAt } from '../../api/index.js';
import type { World } from '../../base/index.js';
import type { ApiObject, Query, ResourceClient } from './resource.js';

/** Called in the order of events. An error that a handler throws is passed to `failed`. */
export interface InformerHandlers {
  readonly added?: (object: ApiObject) => void;
  readonly updated?: (before: ApiObject, after: ApiObject) => void;
  readonly deleted?: (last: ApiObject) => void;
  /** Called for each failure of a list or watch, which is repeated after a pause, and for errors of handlers. */
  readonly failed?: (error: Error) => void;
}

export interface InformerOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Whether the initial objects come as a streaming list. A server that refuses that is asked for a plain list. On by default. */
  readonly streaming?: boolean;
}

const ANNOTATION = 'k8s.io/initial-events-end';
/** The duration of a watch is between this and twice this, in seconds. */
const WATCH_SECONDS = 300;
/** Milliseconds between two attempts: doubled from the first to the last, and reset by a success. */
const BACKOFF_FIRST = 800;
const BACKOFF_LAST = 30_000;

/** The end of a watch without an error, before any event: another one at once would be too many. */
const QUIET_TIME = 1000;

/**
 * Keeps the objects of a resource as they are on the server: a list, then a watch from its version, which continues after its end from the
 * last version that was seen. If the server no longer has that version (410) the objects are listed again, and the differences are reported
 * as events.
 */
export class Informer {
  readonly #resource: ResourceClient;
  readonly #handlers: InformerHandlers;
  readonly #options: InformerOptions;
  readonly #world: World;
  readonly #abort = new AbortController();
  #objects = new Map<string, ApiObject>();
  /** The version of the last event or list; '' if the next list must be consistent. */
  #version: string | undefined;
  #streams: boolean;
  #backoff = BACKOFF_FIRST;
  #done: Promise<void> | undefined;
  #isSynced = false;
  readonly #synced: Promise<void>;
  #settle!: () => void;

  constructor(resource: ResourceClient, handlers: InformerHandlers, options: InformerOptions = {}) {
    this.#resource = resource;
    this.#handlers = handlers;
    this.#options = options;
    this.#world = resource.client.world;
    this.#streams = options.streaming !== false;
    this.#synced = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  start(): this {
    this.#done ??= this.#run();
    return this;
  }

  /** Resolves when no handler is called any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  /** Resolves when the first list is complete and was reported. */
  synced(): Promise<void> {
    return this.#synced;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get(namespace: string, name: string): ApiObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  list(): readonly ApiObject[] {
    return [...this.#objects.values()];
  }

  /** The version up to which the objects are known. */
  get resourceVersion(): string {
    return this.#version ?? '';
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let mustList = true;
    while (!signal.aborted) {
      try {
        if (mustList) await this.#list();
        mustList = false;
        await this.#watch();
        this.#backoff = BACKOFF_FIRST;
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) {
          mustList = true;
          this.#version = '';
          continue;
        }
        this.#handlers.failed?.(error as Error);
        await this.#pause();
      }
    }
  }

  /** Exponential backoff with jitter. */
  async #pause(): Promise<void> {
    const time = this.#backoff * (1 + this.#world.random.float());
    this.#backoff = Math.min(this.#backoff * 2, BACKOFF_LAST);
    await this.#resource.client.pause(time, this.#abort.signal).catch(() => {});
  }

  get #selectors(): Query {
    const { labelSelector, fieldSelector } = this.#options;
    return { labelSelector, fieldSelector };
  }

  async #list(): Promise<void> {
    if (this.#streams) {
      try {
        await this.#stream();
        return;
      } catch (error) {
        // The server does not know streaming lists, or they are switched off.
        if (!(error instanceof ApiError) || !REFUSALS.has(error.status.code ?? 0)) throw error;
        this.#streams = false;
      }
    }
    // The first list may be served from any state; after a 410 it must be a consistent one.
    const query = { ...this.#selectors, resourceVersion: this.#version === undefined ? '0' : undefined };
    const found = new Map<string, ApiObject>();
    let version = '';
    let token = '';
    do {
      const chunk = await this.#resource.list(
        token === '' ? query : { ...this.#selectors, continue: token, limit: 500 },
        this.#abort.signal,
      );
      for (const object of chunk.items) found.set(keyOf(object), object);
      version = chunk.resourceVersion;
      token = chunk.continue;
    } while (token !== '');
    this.#replace(found, version);
  }

  async #stream(): Promise<void> {
    const query = {
      ...this.#selectors,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: this.#version,
      allowWatchBookmarks: true,
    };
    const found = new Map<string, ApiObject>();
    for await (const { type, object } of this.#resource.watch(query, this.#abort.signal)) {
      if (type === 'DELETED') found.delete(keyOf(object));
      else if (type !== 'BOOKMARK') found.set(keyOf(object), object);
      else if (textAt(object, 'metadata', 'annotations', ANNOTATION) === 'true') {
        this.#replace(found, versionOf(object));
        return;
      }
    }
    throw new Error('the streaming list ended early');
  }

  #replace(found: Map<string, ApiObject>, version: string): void {
    const before = this.#objects;
    this.#objects = found;
    this.#version = version;
    for (const [key, object] of before) if (!found.has(key)) this.#report(() => this.#handlers.deleted?.(object));
    for (const [key, object] of found) {
      const old = before.get(key);
      if (old === undefined) this.#report(() => this.#handlers.added?.(object));
      else if (versionOf(old) !== versionOf(object)) this.#report(() => this.#handlers.updated?.(old, object));
    }
    this.#isSynced = true;
    this.#backoff = BACKOFF_FIRST;
    this.#settle();
  }

  /** Watches until the end of the response. */
  async #watch(): Promise<void> {
    const { signal } = this.#abort;
    const query = {
      ...this.#selectors,
      resourceVersion: this.#version,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.floor(WATCH_SECONDS * (1 + this.#world.random.float())),
    };
    const began = this.#world.clock.monotonic();
    let events = 0;
    for await (const { type, object } of this.#resource.watch(query, signal)) {
      events++;
      this.#version = versionOf(object);
      if (type !== 'BOOKMARK') this.#apply(type === 'DELETED', object);
    }
    if (events === 0 && this.#world.clock.monotonic() - began < QUIET_TIME)
      throw new Error('very short watch: the response ended before any event');
  }

  #apply(isDeleted: boolean, object: ApiObject): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (isDeleted) {
      this.#objects.delete(key);
      if (old !== undefined) this.#report(() => this.#handlers.deleted?.(object));
      return;
    }
    this.#objects.set(key, object);
    this.#report(() => (old === undefined ? this.#handlers.added?.(object) : this.#handlers.updated?.(old, object)));
  }

  #report(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#handlers.failed?.(error as Error);
    }
  }
}

const REFUSALS: ReadonlySet<number> = new Set([400, 403, 422]);

const keyOf = (object: ApiObject): string =>
  `${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`;

const versionOf = (object: ApiObject): string =>
  isObject(object.metadata) ? textAt(object, 'metadata', 'resourceVersion') : '';

/** The version is too old: 410, by its code or reason. */
function isExpired(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code, reason } = error.status;
  return code === 410 || reason === 'Expired' || reason === 'Gone';
}
