import { type AdmissionStep, ApiError, type JsonObject, type StoredObjects } from '../api/index.js';
import { finish, type World } from '../base/index.js';
import { jsonText } from '../codec/index.js';
import { type Keyspace, openMemoryKeyspace, type WatchRequest, type WatchSink } from '../storage/index.js';
import { type ClusterConfig, defaultCluster } from './builtin/cluster.js';
import { builtinResources } from './builtin/index.js';
import { EVERYTHING } from './listoptions.js';
import { RegistryMetrics } from './metrics.js';
import { openRegistry } from './open.js';
import type { Registry } from './registry.js';
import { createRenderer, type Renderer } from './render.js';
import type {
  DeleteOptions,
  EventStream,
  ListOptions,
  PatchType,
  Representation,
  RequestContext,
  Target,
  WriteOptions,
} from './requests.js';
import type { ServedResource } from './servedresources.js';
import { resolveTarget } from './target.js';

/** A registry over an in-memory keyspace, with short functions for its verbs, for the tests of pkg/registry. */

export const JSON_FORM: Representation = {
  encoding: 'json',
  form: 'object',
  metaVersion: 'v1',
  includeObject: 'Metadata',
  pretty: false,
};

export { EVERYTHING };

/** A world with a clock that tests advance, timers that fire with it, and a counter instead of random numbers. */
export class TestWorld implements World {
  #now = Date.UTC(2030, 0, 1);
  #timers = new Map<number, { at: number; readonly every: number | undefined; readonly f: () => void }>();
  #ids = 0;

  readonly clock = { now: () => this.#now, monotonic: () => this.#now };
  readonly timers = {
    after: (ms: number, f: () => void) => (ms === 0 ? soon(f) : this.#add(ms, undefined, f)),
    immediate: (f: () => void): void => void setImmediate(f),
    every: (ms: number, f: () => void) => this.#add(ms, ms, f),
  };
  readonly random = {
    float: () => 0.5,
    bytes: (n: number) => Uint8Array.from({ length: n }, () => this.#ids++ % 251),
    uuid: () => `00000000-0000-4000-8000-${String(++this.#ids).padStart(12, '0')}`,
  };

  advance(ms: number): void {
    this.#now += ms;
    for (const [id, t] of [...this.#timers]) {
      if (t.at > this.#now) continue;
      if (t.every === undefined) this.#timers.delete(id);
      else t.at = this.#now + t.every;
      t.f();
    }
  }

  #add(ms: number, every: number | undefined, f: () => void): () => void {
    const id = ++this.#ids;
    this.#timers.set(id, { at: this.#now + ms, every, f });
    return () => this.#timers.delete(id);
  }
}

function soon(f: () => void): () => void {
  let cancelled = false;
  queueMicrotask(() => {
    if (!cancelled) f();
  });
  return () => {
    cancelled = true;
  };
}

export type TestAdmission = (objects: StoredObjects, world: World) => readonly AdmissionStep[];

export interface Seen {
  readonly type: string;
  readonly object: JsonObject;
}

export class Bench {
  readonly world: TestWorld;
  readonly registry: Registry;
  readonly renderer: Renderer;
  readonly warnings: string[] = [];
  readonly annotations: (readonly [string, string])[] = [];

  readonly keyspace: Keyspace;
  readonly metrics: RegistryMetrics;

  private constructor(world: TestWorld, keyspace: Keyspace, registry: Registry, metrics: RegistryMetrics) {
    this.metrics = metrics;
    this.world = world;
    this.keyspace = keyspace;
    this.registry = registry;
    this.renderer = createRenderer(world);
  }

  /** `disabled`: the feature gates that are off. */
  static async open(
    runtimeConfig: Iterable<readonly [string, boolean]> = [],
    admission?: TestAdmission,
    cluster: Partial<ClusterConfig> = {},
    disabled: readonly string[] = [],
  ): Promise<Bench> {
    const world = new TestWorld();
    const keyspace = await openMemoryKeyspace(world);
    const bench = await Bench.#over(world, keyspace, runtimeConfig, admission, cluster, disabled);
    await bench.registry.bootstrap({
      serviceAddress: '10.96.0.1',
      serviceRanges: ['10.96.0.0/12'],
      securePort: 6443,
    });
    return bench;
  }

  /** Opens a second registry over the same store, as after a restart. */
  reopen(admission?: TestAdmission): Promise<Bench> {
    return Bench.#over(this.world, this.keyspace, [], admission);
  }

  /** Opens the registry of a lagging peer. It receives changes only on a consistent read or a write. */
  lagging(): Promise<Bench> {
    return Bench.#over(this.world, laggingKeyspace(this.keyspace), []);
  }

  /** Opens a registry over another keyspace. */
  over(keyspace: Keyspace): Promise<Bench> {
    return Bench.#over(this.world, keyspace, []);
  }

  static async #over(
    world: TestWorld,
    keyspace: Keyspace,
    runtimeConfig: Iterable<readonly [string, boolean]>,
    admission?: TestAdmission,
    cluster: Partial<ClusterConfig> = {},
    disabled: readonly string[] = [],
  ): Promise<Bench> {
    const metrics = new RegistryMetrics(world.clock);
    const registry = await openRegistry({
      metrics,
      ...(admission === undefined ? {} : { admission: (objects: StoredObjects) => admission(objects, world) }),
      world,
      keyspace,
      resources: builtinResources({ ...defaultCluster, ...cluster }),
      runtimeConfig: new Map(runtimeConfig),
      featureEnabled: (gate) => !disabled.includes(gate),
      failed: (why) => {
        throw new Error(why);
      },
    });
    return new Bench(world, keyspace, registry, metrics);
  }

  get context(): RequestContext {
    return {
      user: { name: 'admin', groups: ['system:masters'] },
      userAgent: 'test/1',
      deadline: this.world.clock.monotonic() + 60_000,
      warn: (text) => this.warnings.push(text),
      annotate: (key, value) => this.annotations.push([key, typeof value === 'string' ? value : value()]),
    };
  }

  /** `pods`, `deployments.apps/v1`, `deployments.apps/v1/status`. */
  target(what: string, namespace = '', name = ''): Target {
    const [plural, rest = ''] = what.includes('.') ? split(what, '.') : [what.split('/')[0]!, ''];
    const parts = rest === '' ? ['', 'v1', ...what.split('/').slice(1)] : rest.split('/');
    // Group names contain dots: the resource ends at the first one.
    const [group = '', version = 'v1', subresource = ''] = parts;
    const resource: ServedResource | undefined = this.registry.servedResources.find(group, version, plural!);
    if (resource === undefined) throw new Error(`no ${what}`);
    const target = resolveTarget(resource, { namespace, name, subresource });
    if (target === undefined) throw new Error(`no ${what}`);
    return target;
  }

  /** `name`: the object of an action (`pods/binding`). */
  async create(
    what: string,
    namespace: string,
    object: JsonObject,
    options: Partial<WriteOptions> & { readonly name?: string } = {},
  ): Promise<JsonObject> {
    const target = this.target(what, namespace, options.name);
    const written = await this.registry.create(
      { target, body: body(object), options: writeOptions(options) },
      this.context,
    );
    return this.json(target, written.object);
  }

  async update(
    what: string,
    namespace: string,
    object: JsonObject,
    options: Partial<WriteOptions> = {},
  ): Promise<JsonObject> {
    const target = this.target(what, namespace, String((object['metadata'] as JsonObject)['name']));
    const written = await this.registry.update(
      { target, body: body(object), options: writeOptions(options) },
      this.context,
    );
    return this.json(target, written.object);
  }

  async patch(
    what: string,
    at: readonly [string, string],
    patch: JsonObject | string,
    type: PatchType = 'merge',
    more: Partial<WriteOptions> & { readonly force?: boolean } = {},
  ): Promise<JsonObject> {
    const target = this.target(what, at[0], at[1]);
    const request = {
      target,
      type,
      body: body(patch),
      force: more.force ?? false,
      options: writeOptions(more),
    };
    const written = await this.registry.patch(request, this.context);
    return this.json(target, written.object);
  }

  async get(what: string, namespace: string, name: string, resourceVersion = ''): Promise<JsonObject> {
    const target = this.target(what, namespace, name);
    return this.json(target, await this.registry.get({ target, resourceVersion }, this.context));
  }

  async list(
    what: string,
    namespace: string,
    options: Partial<ListOptions> = {},
  ): Promise<JsonObject & { items: JsonObject[] }> {
    const target = this.target(what, namespace);
    const result = await this.registry.list({ target, options: { ...EVERYTHING, ...options } }, this.context);
    const { bytes, chunks } = this.renderer.renderList(target, result, JSON_FORM);
    const whole = Buffer.concat([...chunks]);
    if (bytes !== undefined && bytes !== whole.length)
      throw new Error(`announced ${bytes} bytes, wrote ${whole.length}`);
    return JSON.parse(whole.toString()) as JsonObject & { items: JsonObject[] };
  }

  async delete(
    what: string,
    namespace: string,
    name: string,
    options: Partial<DeleteOptions> = {},
  ): Promise<JsonObject> {
    const target = this.target(what, namespace, name);
    const request = { target, options: { dryRun: false, ignoreStoreReadError: false, ...options } };
    const deleted = await this.registry.delete(request, this.context);
    return deleted.kind === 'deleted' ? (deleted.status as unknown as JsonObject) : this.json(target, deleted.object);
  }

  async watch(
    what: string,
    namespace: string,
    options: Partial<ListOptions> & { readonly allowBookmarks?: boolean } = {},
  ): Promise<EventStream> {
    const target = this.target(what, namespace);
    const whole = { ...EVERYTHING, allowBookmarks: false, name: '', ...options };
    return this.registry.watch({ target, options: whole, representation: JSON_FORM }, this.context);
  }

  json(target: Target, answer: Parameters<Renderer['renderAnswer']>[1]): JsonObject {
    return JSON.parse(finish(this.renderer.renderAnswer(target, answer, JSON_FORM)).toString()) as JsonObject;
  }
}

function laggingKeyspace(keyspace: Keyspace): Keyspace {
  const held: (() => void)[] = [];
  const catchingUp = <T>(answer: Promise<T>): Promise<T> =>
    answer.finally(() => {
      for (const tell of held.splice(0)) tell();
    });
  return {
    txn: (txn) => catchingUp(keyspace.txn(txn)),
    readIndex: () => catchingUp(keyspace.readIndex()),
    range: (request) => keyspace.range(request),
    watch: (request: WatchRequest, sink: WatchSink) => {
      let level = false;
      const later = (tell: () => void): void => {
        if (level) held.push(tell);
        else tell();
      };
      return keyspace.watch(request, {
        events: (batch) => later(() => sink.events(batch)),
        progress: (revision) => {
          later(() => sink.progress?.(revision));
          level = true;
        },
        end: (why) => sink.end(why),
      });
    },
    compact: (revision) => keyspace.compact(revision),
    status: () => keyspace.status(),
    close: () => keyspace.close(),
  };
}

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + 1)];
}

const body = (o: JsonObject | string) => ({
  bytes: Buffer.from(typeof o === 'string' ? o : jsonText(o)),
  encoding: 'json' as const,
});

function writeOptions(o: Partial<WriteOptions>): WriteOptions {
  return { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict', ...o };
}

export function drain(stream: EventStream): Seen[] {
  const out: Seen[] = [];
  for (let turn = 0; turn < 10_000; turn++) {
    const frames = stream.take(64 * 1024);
    if (frames === undefined) return out;
    for (const line of frames.payload.toString().trimEnd().split('\n')) out.push(JSON.parse(line) as Seen);
  }
  throw new Error('the stream never returns undefined');
}

/** Returns the code and message of a refused request; `taken` if it succeeds. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (e) {
    if (e instanceof ApiError) return `${e.status.code} ${e.status.message}`;
    throw e;
  }
  return 'taken';
}

/** Returns the field errors of a refused request as `field: message`; none if it succeeds. */
export async function causesOf(request: Promise<unknown>): Promise<readonly string[]> {
  try {
    await request;
    return [];
  } catch (e) {
    if (!(e instanceof ApiError)) throw e;
    return (e.status.details?.causes ?? []).map((c) => `${c.field}: ${c.message}`);
  }
}
