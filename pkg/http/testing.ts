import { errors, type JsonObject } from '../api/index.js';
import { type Authorizer, authorizerChain, Impersonator, type UserInfo } from '../auth/index.js';
import { Scheduler, type World } from '../base/index.js';
import {
  type Answer,
  buildServedResources,
  type EventStream,
  type Frames,
  type Registry,
  type ResourceDeclaration,
  type ServedResources,
  type Subresource,
  type Verb,
} from '../registry/index.js';
import { ApiServerMetrics, createLog, Exposition, HealthResults, ImpersonationMetrics } from '../telemetry/index.js';
import { DiscoveryDocuments } from './discovery.js';
import { inFlightGate } from './gate.js';
import type { HealthCheck } from './health.js';
import { InFlightLimiter } from './inflight.js';
import { requestCounter } from './metrics.js';
import { supportedEncodings } from './negotiate.js';
import { OpenApiDocuments } from './openapi.js';
import { type Stages, sharedStages } from './pipeline.js';
import { knownResource } from './resources.js';
import type { HttpServices, Verbs } from './services.js';
import { Watches } from './watches.js';
import type { ServerFacts } from './zpages.js';

/** Services for the tests of pkg/http. The registry is a map, so that only HTTP is tested. */

const ALL: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function declared(resource: string, kind: string, namespaced: boolean, verbs: readonly Verb[]): ResourceDeclaration {
  return {
    group: '',
    resource,
    singular: kind.toLowerCase(),
    kind,
    versions: [{ version: 'v1' }],
    storageVersion: 'v1',
    namespaced,
    verbs,
    strategy: {},
  };
}

const connection = (verbs: readonly Verb[], negotiates: boolean): Subresource => ({
  verbs,
  behaviour: { kind: 'connection', negotiates, open: async () => undefined },
});

const DECLARED: readonly ResourceDeclaration[] = [
  { ...declared('componentstatuses', 'ComponentStatus', false, ['get', 'list']), deprecated: 'v1.19+' },
  {
    ...declared('configmaps', 'ConfigMap', true, ALL),
    subresources: { exec: connection(['create', 'get'], false), log: connection(['get'], true) },
  },
  { ...declared('endpoints', 'Endpoints', true, ALL), deprecated: 'v1.33+' },
  declared('namespaces', 'Namespace', false, ALL),
];
const CATALOGUE = buildServedResources(DECLARED, new Map(), () => true);
/** The resources after one of another group was added. */
export const CATALOGUE_WITH_DEPLOYMENTS: ServedResources = buildServedResources(
  [...DECLARED, { ...declared('deployments', 'Deployment', true, ALL), group: 'apps' }],
  new Map(),
  () => true,
);

/** A stream of events that a test controls. */
export class TestStream implements EventStream {
  readonly #pending: Buffer[] = [];
  #failure: Buffer | undefined;
  #wake: () => void = () => {};
  ended = false;
  closed = false;
  bookmarks = 0;

  push(frames: string | Buffer): void {
    this.#pending.push(typeof frames === 'string' ? Buffer.from(frames) : frames);
    this.#wake();
  }

  /** Ends the stream with an ERROR event. */
  fail(frame: string): void {
    this.#failure = Buffer.from(frame);
    this.end();
  }

  /** The events that were not read yet. */
  get pending(): number {
    return this.#pending.length;
  }

  end(): void {
    this.ended = true;
    this.#wake();
  }

  take(): Frames | undefined {
    if (this.#pending.length === 0) {
      const payload = this.#failure;
      this.#failure = undefined;
      return payload && { payload, events: 1, error: true, framed: undefined };
    }
    const events = this.#pending.length;
    const payload = Buffer.concat(this.#pending.splice(0));
    return { payload, events, framed: undefined };
  }

  onReady(f: () => void): void {
    this.#wake = f;
  }

  bookmark(): void {
    this.bookmarks++;
  }

  close(): void {
    this.closed = true;
  }
}

export class TestRegistry implements Verbs {
  servedResources: ServedResources = CATALOGUE;
  /** What the streams of watches begin with. */
  first = '';
  readonly objects = new Map<string, JsonObject>();
  readonly streams: TestStream[] = [];
  /** Runs before every verb; may throw or wait. */
  before: () => Promise<void> | void = () => {};

  async get(request: Parameters<Registry['get']>[0]): Promise<Answer> {
    await this.before();
    const value = this.objects.get(request.target.name);
    if (value === undefined) throw errors.notFound(request.target.resource.groupResource, request.target.name);
    return { kind: 'value', value };
  }

  async list(): ReturnType<Registry['list']> {
    await this.before();
    return { revision: 1 as never, continue: '', remainingItemCount: undefined, items: [] };
  }

  async watch(): Promise<EventStream> {
    await this.before();
    const stream = new TestStream();
    if (this.first !== '') stream.push(this.first);
    this.streams.push(stream);
    return stream;
  }

  async create(
    request: Parameters<Registry['create']>[0],
    context: Parameters<Registry['create']>[1],
  ): ReturnType<Registry['create']> {
    await this.before();
    const value = JSON.parse(request.body.bytes.toString()) as JsonObject;
    context.warn(`by "${request.options.fieldManager}"`);
    this.objects.set(String((value['metadata'] as JsonObject)['name']), value);
    return { outcome: 'created', object: { kind: 'value', value } };
  }

  update(
    request: Parameters<Registry['update']>[0],
    context: Parameters<Registry['update']>[1],
  ): ReturnType<Registry['update']> {
    return this.create(request, context);
  }

  async patch(request: Parameters<Registry['patch']>[0]): ReturnType<Registry['patch']> {
    await this.before();
    const value: JsonObject = { type: request.type, force: request.force };
    return { outcome: 'updated', object: { kind: 'value', value } };
  }

  async delete(request: Parameters<Registry['delete']>[0]): ReturnType<Registry['delete']> {
    await this.before();
    const there = this.objects.delete(request.target.name);
    if (!there) throw errors.notFound(request.target.resource.groupResource, request.target.name);
    return { kind: 'deleted', status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
  }

  async connect(): Promise<undefined> {
    await this.before();
  }

  async checkSelectors(): Promise<void> {}

  async deleteCollection(): ReturnType<Registry['deleteCollection']> {
    this.objects.clear();
    return this.list();
  }
}

export const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Authenticated users may read discovery, as the bootstrap roles of a cluster allow. */
const discoveryReaders: Authorizer = {
  authorize: (user, a) =>
    user.groups.includes('system:authenticated') && a.kind === 'path' && a.verb === 'get' && a.path.startsWith('/api')
      ? { kind: 'allow', reason: '' }
      : { kind: 'noOpinion', reason: '' },
};

export interface TestServices extends HttpServices {
  readonly registry: TestRegistry;
}

/** With `user` undefined no request is authenticated, as if no certificate were presented. */
export function testServices(
  world: World,
  options: {
    readonly user?: () => UserInfo | undefined;
    /** The limit of read requests; absent for none. */
    readonly limiter?: InFlightLimiter;
    readonly cbor?: boolean;
    readonly compresses?: boolean;
    readonly readyz?: readonly HealthCheck[];
    readonly stages?: Partial<Stages>;
    readonly facts?: Partial<ServerFacts>;
    readonly kindsCurrent?: () => Promise<void>;
  } = {},
): TestServices {
  const authorizer = authorizerChain([{ name: 'discovery', authorizer: discoveryReaders }]);
  const metrics = new ApiServerMetrics();
  const log = createLog({ level: 'silent' });
  const registry = new TestRegistry();
  const user = options.user ?? (() => ADMIN);
  const exposition = new Exposition();
  exposition.add(...metrics.families);
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  return {
    world,
    log,
    metrics,
    exposition,
    registry,
    backends: {
      addressTypes: [],
      open: () => Promise.reject(new Error('no backend')),
      upgrade: () => Promise.reject(new Error('no backend')),
    },
    renderAnswer: function* (_target, answer) {
      yield;
      return Buffer.from(JSON.stringify(answer.kind === 'value' ? answer.value : {}));
    },
    renderList: () => {
      const body = Buffer.from('{"kind":"List","items":[]}');
      return { bytes: body.length, chunks: [body] };
    },
    stages: {
      world,
      log,
      authenticator: {
        authenticate() {
          const found = user();
          return found === undefined ? { kind: 'none' } : { kind: 'authenticated', user: found };
        },
      },
      authorizer,
      impersonator: new Impersonator(authorizer, {
        constrained: true,
        clock: world.clock,
        metrics: new ImpersonationMetrics(),
      }),
      audit: { requestReceived: () => {}, responseComplete: () => {} },
      gate: inFlightGate({
        readOnly: options.limiter ?? new InFlightLimiter(world, 0),
        mutating: new InFlightLimiter(world, 0),
        now: () => world.clock.monotonic(),
        shed: () => {},
      }),
      ...sharedStages(world, new Scheduler(world, 2)),
      counter: requestCounter(world, metrics, { known: (info) => knownResource(CATALOGUE, info) }),
      supportedEncodings: supportedEncodings(options.cbor ?? false),
      compresses: options.compresses ?? true,
      requestTime: 60_000,
      ...options.stages,
    },
    health: { healthz: [ping], livez: [ping], readyz: options.readyz ?? [ping] },
    healthResults: new HealthResults(),
    facts: { started: 1_794_033_007, flags: { 'a-flag': 'x', 'b-flag': '[y,z]' }, hasStatus: true, ...options.facts },
    discovery: new DiscoveryDocuments(),
    openApi: new OpenApiDocuments(),
    kindsCurrent: options.kindsCurrent ?? (() => Promise.resolve()),
    issuer: { configuration: () => '{}', keySet: '{"keys":[]}' },
    unsafeDeletion: false,
    createsUpgrades: true,
    watches: new Watches(),
    watchTime: 1_800_000,
    address: () => '127.0.0.1:6443',
  };
}

/** The real clock, because sockets are real. No test depends on how long anything takes. */
export const testWorld: World = {
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  timers: {
    after(milliseconds, f) {
      const timer = setTimeout(f, milliseconds);
      return () => clearTimeout(timer);
    },
    immediate(f) {
      setImmediate(f);
    },
    every(milliseconds, f) {
      const timer = setInterval(f, milliseconds);
      return () => clearInterval(timer);
    },
  },
  random: {
    float: () => 0.5,
    bytes: (n) => new Uint8Array(n),
    uuid: () => '00000000-0000-4000-8000-000000000000',
  },
};
