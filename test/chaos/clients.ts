import type { Access } from '../../pkg/client/index.js';
import type { Random } from '../sim/random.js';
import type { History, WatchRun } from './history.js';
import { Asker, type Outcome } from './http.js';
import type { ObjectInput, ObjectOutput } from './linearizable.js';

export const NAMESPACE = 'chaos';
const CONFIGMAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

export interface ClientsOptions {
  readonly access: Access;
  /** The URLs of the peers, by name. */
  readonly servers: ReadonlyMap<string, string>;
  readonly random: Random;
  readonly history: History;
  readonly writers: number;
  readonly readers: number;
  /** Milliseconds between two requests of one client. */
  readonly pace: number;
  /** Bytes added to every value, to load the disks. */
  readonly padding?: number;
}

/**
 * The number of objects in use at a time. After this many operations a name is replaced by a new one, so that each
 * history stays short.
 */
const NAMES_AT_A_TIME = 4;
const OPERATIONS_A_NAME = 60;

interface Name {
  readonly key: string;
  operations: number;
  /** The version last seen by any client, which an update expects. */
  version: string;
}

/** Clients that write, read and watch through all peers until they are stopped. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #clients: ReadonlyMap<string, Asker>;
  readonly #names: Name[] = [];
  readonly #watchers: Watcher[] = [];
  readonly #loops: Promise<void>[] = [];
  #nextName = 0;
  #nextValue = 0;
  #stopped = false;
  /** The number of acknowledged writes. */
  acknowledged = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#clients = new Map([...options.servers].map(([name, url]) => [name, new Asker(options.access, url)]));
  }

  async start(): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    const made = await this.#any().insist('POST', '/api/v1/namespaces', namespace);
    if (made.kind !== 'answer' || (made.status !== 201 && made.status !== 409))
      throw new Error(`could not create the namespace: ${JSON.stringify(made)}`);
    for (const [name, client] of this.#clients) {
      const watcher = new Watcher(name, client, this.#options.history);
      this.#watchers.push(watcher);
      await watcher.start();
    }
    for (let i = 0; i < this.#options.writers; i++)
      this.#loops.push(this.#loop(`writer-${i}`, (by) => this.#write(by)));
    for (let i = 0; i < this.#options.readers; i++) this.#loops.push(this.#loop(`reader-${i}`, (by) => this.#read(by)));
  }

  #any(): Asker {
    return this.#options.random.pick([...this.#clients.values()]);
  }

  async #loop(by: string, step: (by: string) => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await step(by);
      await new Promise((resolve) => setTimeout(resolve, this.#options.random.int(0, 2 * this.#options.pace)));
    }
  }

  #name(): Name {
    const at = this.#options.random.int(0, NAMES_AT_A_TIME - 1);
    let name = this.#names[at];
    if (name === undefined || name.operations >= OPERATIONS_A_NAME) {
      name = { key: `k${this.#nextName++}`, operations: 0, version: '' };
      this.#names[at] = name;
    }
    name.operations++;
    return name;
  }

  async #write(by: string): Promise<void> {
    const name = this.#name();
    const value = `v${this.#nextValue++}`;
    const { random } = this.#options;
    const what =
      name.version === '' ? 'create' : random.chance(0.1) ? 'delete' : random.chance(0.1) ? 'create' : 'update';
    const input: ObjectInput =
      what === 'update'
        ? { kind: 'update', value, expected: name.version }
        : what === 'create'
          ? { kind: 'create', value }
          : { kind: 'delete' };
    const output = await this.#do(by, name, input);
    if (output?.kind === 'ok' || output?.kind === 'deleted') this.acknowledged++;
  }

  async #read(by: string): Promise<void> {
    if (this.#options.random.chance(0.3)) return this.#list(by);
    const name = this.#name();
    await this.#do(by, name, { kind: 'get' });
  }

  async #do(by: string, name: Name, input: ObjectInput, client = this.#any()): Promise<ObjectOutput | undefined> {
    const { history } = this.#options;
    const called = performance.now();
    const outcome = await send(client, name.key, input, this.#options.padding);
    const returned = performance.now();
    history.count(`${input.kind} ${outcome.kind === 'answer' ? outcome.status : outcome.kind}`);
    if (outcome.kind === 'refused') return undefined;
    const output = outcome.kind === 'answer' ? outputOf(input, outcome.status, outcome.body) : undefined;
    // A read without a result is dropped; a write with an unknown outcome may take effect at any time.
    if (output === undefined && input.kind === 'get') return undefined;
    history.add(name.key, { by, input, output, called, returned: output === undefined ? Infinity : returned });
    if (output?.kind === 'ok') name.version = output.version;
    if (output?.kind === 'notFound' || output?.kind === 'deleted') name.version = '';
    return output;
  }

  async #list(by: string): Promise<void> {
    const called = performance.now();
    const outcome = await this.#any().ask('GET', `${CONFIGMAPS}?limit=1`);
    if (outcome.kind !== 'answer' || outcome.status !== 200) return;
    const { resourceVersion } = outcome.body['metadata'] as { readonly resourceVersion: string };
    this.#options.history.revisions.push({
      by,
      called,
      returned: performance.now(),
      revision: Number(resourceVersion),
    });
  }

  /** Stops writing and reading, and waits for requests in flight. */
  async quiet(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  /** Reads every object through every peer, and waits until every watcher has all events. Returns the final revision. */
  async settle(patience: number): Promise<number> {
    const keys = [...this.#options.history.operations.keys()];
    for (const [server, client] of this.#clients) {
      for (const key of keys) {
        const name: Name = { key, operations: 0, version: '' };
        const end = performance.now() + patience;
        while ((await this.#do(`last-${server}`, name, { kind: 'get' }, client)) === undefined)
          if (performance.now() > end) throw new Error(`${key} could not be read through ${server}`);
      }
    }
    // The event of a last write ends every watch.
    const last: Name = { key: `last${this.#nextName++}`, operations: 0, version: '' };
    const end = performance.now() + patience;
    let output: ObjectOutput | undefined;
    while (output?.kind !== 'ok') {
      if (performance.now() > end) throw new Error('the last object could not be written');
      output = await this.#do('last', last, { kind: 'create', value: 'last' });
      if (output?.kind === 'conflict') output = await this.#do('last', last, { kind: 'get' });
    }
    const at = Number(output.version);
    for (const watcher of this.#watchers) await watcher.until(at, patience);
    return at;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.stop();
    for (const client of this.#clients.values()) client.close();
  }
}

function send(client: Asker, key: string, input: ObjectInput, padding = 0): Promise<Outcome> {
  const path = `${CONFIGMAPS}/${key}`;
  const object = (value: string, resourceVersion?: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: key, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    data: { value, ...(padding === 0 ? {} : { padding: 'x'.repeat(padding) }) },
  });
  switch (input.kind) {
    case 'create':
      return client.ask('POST', CONFIGMAPS, object(input.value));
    case 'update':
      return client.ask('PUT', path, object(input.value, input.expected));
    case 'delete':
      return client.ask('DELETE', path);
    case 'get':
      return client.ask('GET', path);
  }
}

function outputOf(
  input: ObjectInput,
  status: number,
  body: Readonly<Record<string, unknown>>,
): ObjectOutput | undefined {
  if (status === 404) return { kind: 'notFound' };
  if (status === 409) return { kind: 'conflict' };
  if (status !== 200 && status !== 201) throw new Error(`${input.kind} got status ${status}: ${JSON.stringify(body)}`);
  if (input.kind === 'delete') return { kind: 'deleted' };
  const { metadata, data } = body as { metadata: { resourceVersion: string }; data: { value: string } };
  return { kind: 'ok', value: data.value, version: metadata.resourceVersion };
}

const REOPEN_AFTER = 100;

/** Watches all objects through one peer, over any number of connections. */
class Watcher {
  readonly #name: string;
  readonly #client: Asker;
  readonly #history: History;
  #run: WatchRun | undefined;
  #at = 0;
  #stop: () => void = () => {};
  #stopped = false;
  #opened = 0;

  constructor(name: string, client: Asker, history: History) {
    this.#name = name;
    this.#client = client;
    this.#history = history;
  }

  /** Begins a new sequence: lists, and watches from that revision. */
  async start(): Promise<void> {
    while (!this.#stopped) {
      const outcome = await this.#client.ask('GET', `${CONFIGMAPS}?limit=1`);
      if (outcome.kind === 'answer' && outcome.status === 200) {
        this.#at = Number((outcome.body['metadata'] as { readonly resourceVersion: string }).resourceVersion);
        this.#run = { by: `${this.#name}/${++this.#opened}`, from: this.#at, events: [] };
        this.#history.watches.push(this.#run);
        this.#open();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, REOPEN_AFTER));
    }
  }

  #open(): void {
    if (this.#stopped) return;
    let expired = false;
    this.#stop = this.#client.stream(
      `${CONFIGMAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#at}`,
      (text) => {
        const { type, object } = JSON.parse(text);
        if (type === 'ERROR' || type === undefined) {
          // A Status: 410 means that the revision was compacted. All other errors are transient.
          expired ||= (object ?? JSON.parse(text)).code === 410;
          return;
        }
        this.#at = Math.max(this.#at, Number(object.metadata.resourceVersion));
        this.#run!.events.push({
          kind: type === 'BOOKMARK' ? 'bookmark' : type === 'DELETED' ? 'delete' : 'put',
          key: object.metadata.name ?? '',
          value: object.data?.value ?? '',
          revision: Number(object.metadata.resourceVersion),
        });
      },
      () => {
        this.#history.count(expired ? 'watch expired' : 'watch ended');
        if (expired) this.#run!.to = this.#at;
        setTimeout(() => void (expired ? this.start() : this.#open()), REOPEN_AFTER);
      },
    );
  }

  async until(revision: number, patience: number): Promise<void> {
    const end = performance.now() + patience;
    while (this.#at < revision) {
      if (performance.now() > end)
        throw new Error(`watcher ${this.#name} is at ${this.#at} and does not reach ${revision}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#stop();
  }
}
