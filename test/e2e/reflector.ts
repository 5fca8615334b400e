import { type Credentials, WatchLines } from './client.js';

/** How a reflector gets the initial objects: by a list, or by a watch with initial events. */
export type Beginning = 'list' | 'watch-list';

/**
 * Keeps a copy of a collection as client-go's reflector does: the initial objects, then events from the last version seen
 * (bookmarks included), also after a broken connection. It starts over when that version has expired (410). It records protocol violations.
 */
export class Reflector {
  readonly store = new Map<string, string>();
  /** Protocol violations of the server. */
  readonly faults: string[] = [];
  /** The number of times that it read the initial objects. */
  beginnings = 0;
  /** The number of watches that resumed from a version. */
  resumed = 0;
  #version: string | undefined;
  #watch: WatchLines | undefined;
  #stopped = false;
  #wake: () => void = () => {};

  readonly #credentials: () => Credentials;
  readonly #path: string;
  readonly #beginning: Beginning;

  constructor(credentials: () => Credentials, path: string, beginning: Beginning) {
    this.#credentials = credentials;
    this.#path = path;
    this.#beginning = beginning;
  }

  /** Runs until `stop`. It waits briefly after a failed attempt. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const got = this.#version === undefined ? await this.#begin() : await this.#follow(this.#version);
      if (!got && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Breaks the connection. */
  cut(): void {
    this.#watch?.close();
  }

  stop(): void {
    this.#stopped = true;
    this.cut();
  }

  async until(what: (store: ReadonlyMap<string, string>) => boolean, milliseconds = 60_000): Promise<void> {
    const end = performance.now() + milliseconds;
    while (!what(this.store)) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`did not come about: ${JSON.stringify([...this.store]).slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async #begin(): Promise<boolean> {
    if (this.#beginning === 'watch-list')
      return this.#read(
        `${this.#path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        new Map(),
      );
    const lines = WatchLines.over1(this.#credentials(), `${this.#path}?limit=500&resourceVersion=0`);
    await lines.until((l) => l.ended);
    const list = lines.events[0];
    if (list?.kind === undefined || list.kind === 'Status') return false;
    this.#replace(
      new Map(list.items.map((o: { metadata: Meta }) => [o.metadata.name, o.metadata.resourceVersion])),
      list.metadata.resourceVersion,
    );
    return true;
  }

  #follow(version: string): Promise<boolean> {
    this.resumed++;
    return this.#read(`${this.#path}?watch=1&resourceVersion=${version}&allowWatchBookmarks=true`, undefined);
  }

  /** `initial` collects the initial objects until the bookmark that ends them. Resolves to whether any event arrived. */
  async #read(path: string, initial: Map<string, string> | undefined): Promise<boolean> {
    const lines = WatchLines.over1(this.#credentials(), path);
    this.#watch = lines;
    if (this.#stopped) lines.close();
    let gathering = initial;
    for (let seen = 0; ; seen++) {
      await lines.until((l) => l.events.length > seen || l.ended, 60_000);
      const event = lines.events[seen];
      if (event === undefined) return seen > 0;
      if (isGone(event)) {
        this.#version = undefined;
        return true;
      }
      if (event.kind === 'Status' || event.type === 'ERROR') return false;
      gathering = this.#take(event, gathering);
      this.#wake();
    }
  }

  #take({ type, object }: WatchEvent, gathering: Map<string, string> | undefined): Map<string, string> | undefined {
    const { name, resourceVersion, annotations } = object.metadata;
    if (type === 'BOOKMARK') {
      if (gathering !== undefined && annotations?.['k8s.io/initial-events-end'] === 'true') {
        this.#replace(gathering, resourceVersion);
        return undefined;
      }
      this.#goTo(resourceVersion);
      return gathering;
    }
    if (gathering !== undefined) {
      if (type !== 'ADDED') this.faults.push(`${type} ${name} before the end of the beginning`);
      gathering.set(name, resourceVersion);
      return gathering;
    }
    const there = this.store.has(name);
    if (there === (type === 'ADDED')) this.faults.push(`${type} of ${name}, which is ${there ? '' : 'not '}there`);
    this.#goTo(resourceVersion);
    if (type === 'DELETED') this.store.delete(name);
    else this.store.set(name, resourceVersion);
    return undefined;
  }

  #goTo(version: string): void {
    if (Number(version) < Number(this.#version)) this.faults.push(`version ${version} after ${this.#version}`);
    this.#version = version;
  }

  #replace(objects: ReadonlyMap<string, string>, version: string): void {
    this.beginnings++;
    this.store.clear();
    for (const [name, of] of objects) this.store.set(name, of);
    this.#version = version;
    this.#wake();
  }
}

interface Meta {
  readonly name: string;
  readonly resourceVersion: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: Meta };
}

/** A failure is a Status before the stream starts, and an ERROR event in it. */
function isGone(event: { readonly code?: number; readonly object?: { readonly code?: number } }): boolean {
  return event.code === 410 || event.object?.code === 410;
}
