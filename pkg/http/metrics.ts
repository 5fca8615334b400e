import type { World } from '../base/index.js';
import type {
  ApiServerMetrics,
  AuthenticationResult,
  AuthorizationResult,
  RequestKind,
  RequestSeries,
} from '../telemetry/index.js';
import type { Call } from './call.js';
import type { ResourceInfo } from './requestinfo.js';

/** Counts requests. Label values come from the served resources, never from the client. */
export interface RequestCounter {
  began(call: Call): void;
  ended(call: Call): void;
  /** `since`: when the authentication began. `user`: the name of the user, if there is one. Begins the time of the next stage. */
  authenticated(call: Call, result: AuthenticationResult, since: number, user: string | undefined): void;
  /** The body of a request for a resource was read. */
  bodyRead(call: Call, bytes: number): void;
  /** The request passed a stage that did something. Begins the time of the next stage. */
  passed(call: Call, stage: 'audit' | 'impersonation'): void;
  /** The request passed a stage that had nothing to do: it took no time, and the clock need not be read. */
  passedIdle(stage: 'audit' | 'impersonation'): void;
  /** The request has its seat. Returns the time, at which its authorization begins. */
  seated(call: Call): number;
  authorized(call: Call, result: AuthorizationResult, since: number): void;
  /** The monotonic time, in milliseconds. */
  now(): number;
  shed(call: Call): void;
  /** Whether the version is deprecated. */
  deprecated(call: Call): void;
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  // As in kube-apiserver: the scope distinguishes it from the request for one object.
  deletecollection: 'DELETE',
};

/** Subresources that connect to another server, whatever the method. */
const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
const APPLY_PATCH = 'application/apply-patch+yaml';

const PLAIN_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

export interface RequestCounterOptions {
  /** Whether the resource is served. All other requests share one series. */
  readonly known: (info: ResourceInfo) => boolean;
  /** The gate ConstrainedImpersonation: the filter has another name then. */
  readonly constrainedImpersonation?: boolean;
  /** Whether priority and fairness is enabled. */
  readonly fairness?: boolean;
}

export function requestCounter(
  world: World,
  metrics: ApiServerMetrics,
  { known, constrainedImpersonation = true, fairness = true }: RequestCounterOptions,
): RequestCounter {
  const filters = {
    authentication: metrics.filter('authentication'),
    audit: metrics.filter('audit'),
    impersonation: metrics.filter(constrainedImpersonation ? 'constrainedimpersonation' : 'impersonation'),
    fairness: fairness ? metrics.filter('priorityandfairness') : undefined,
    authorization: metrics.filter('authorization'),
  };
  const series = new Map<string, RequestSeries>();

  const seriesOf = (call: Call): RequestSeries => {
    const { info } = call;
    const key =
      info.kind === 'path'
        ? call.exchange.method
        : `${verbOf(call, info)} ${info.group}/${info.version}/${info.resource}/${info.subresource} ${scopeOf(info)}${dryRunOf(info) ? ' dry' : ''}`;
    let found = series.get(key);
    if (found === undefined) {
      const kind = kindOf(call, known);
      found = metrics.series(kind);
      // Only series of served resources are cached by name; the shared series is looked up in the metric.
      if (info.kind === 'path' ? PLAIN_METHODS.has(key) : known(info)) series.set(key, found);
    }
    return found;
  };

  return {
    began(call) {
      call.series = seriesOf(call);
    },
    ended(call) {
      // A request without a readable request line has no series.
      if (call.series === undefined) return;
      // The client disconnected before the response.
      if (call.status === 0) return metrics.aborted(call.series.kind);
      const seconds = (world.clock.monotonic() - call.started) / 1000;
      metrics.count(call.series, call.status, seconds, call.waited / 1000, call.bytes);
    },
    now: () => world.clock.monotonic(),
    authenticated(call, result, since, user) {
      call.stageBegan = world.clock.monotonic();
      const seconds = (call.stageBegan - since) / 1000;
      call.authenticationTime = call.stageBegan - since;
      metrics.authenticated(result, seconds, user);
      metrics.filtered(filters.authentication, seconds);
    },
    bodyRead(call, bytes) {
      if (call.series !== undefined) metrics.bodyRead(call.series, call.verb, bytes);
    },
    passed(call, stage) {
      const now = world.clock.monotonic();
      if (stage === 'impersonation') call.impersonationTime = now - call.stageBegan;
      metrics.filtered(filters[stage], (now - call.stageBegan) / 1000);
      call.stageBegan = now;
    },
    passedIdle: (stage) => metrics.filtered(filters[stage], 0),
    seated(call) {
      const now = world.clock.monotonic();
      if (filters.fairness !== undefined) metrics.filtered(filters.fairness, (now - call.stageBegan) / 1000);
      return now;
    },
    authorized(call, result, since) {
      call.authorizationTime = world.clock.monotonic() - since;
      const seconds = call.authorizationTime / 1000;
      metrics.authorized(result, seconds);
      if (result === 'allowed') metrics.filtered(filters.authorization, seconds);
    },
    shed(call) {
      if (call.series !== undefined) metrics.terminated(call.series.kind, 429);
    },
    deprecated(call) {
      if (call.series !== undefined) metrics.deprecated(call.series.kind, '');
    },
  };
}

function kindOf(call: Call, known: (info: ResourceInfo) => boolean): RequestKind {
  const { info } = call;
  if (info.kind === 'path' || !known(info))
    return { verb: methodOf(call), dryRun: false, group: '', version: '', resource: '', subresource: '', scope: '' };
  return {
    verb: verbOf(call, info),
    dryRun: dryRunOf(info),
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    scope: scopeOf(info),
  };
}

function verbOf(call: Call, info: ResourceInfo): string {
  if (CONNECTIONS.has(info.subresource)) return 'CONNECT';
  if (info.verb === 'patch' && call.exchange.headers['content-type'] === APPLY_PATCH) return 'APPLY';
  return VERBS[info.verb] ?? methodOf(call);
}

function methodOf(call: Call): string {
  const { method } = call.exchange;
  if (PLAIN_METHODS.has(method)) return method;
  return method === 'HEAD' ? 'GET' : 'other';
}

function dryRunOf(info: ResourceInfo): boolean {
  return !info.query.empty && info.query.has('dryRun');
}

function scopeOf(info: ResourceInfo): string {
  if (info.verb === 'create') return 'resource';
  return info.name !== '' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster';
}
