import { type Cell, CounterFamily, type HistogramCell, HistogramFamily } from './series.js';

const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
] as const;
const SLI_BUCKETS = DURATION_BUCKETS.slice(2);
/** Bytes, from 1 kB to 1 GB. */
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;
/** Seconds of an authentication or authorization: 1 ms, doubled 14 times. */
const ACCESS_BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
/** Bytes of one event. */
const EVENT_BUCKETS = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072] as const;
/** Seconds of remaining validity: now, 30 min, 1 h, 2 h, 6 h, 12 h, 1 d, 2 d, 4 d, 1 week, 1, 3, 6, 12 months. */
const EXPIRATION_BUCKETS = [
  0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000,
] as const;

/** Seconds in one stage of the pipeline. */
const FILTER_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30] as const;
/** Bytes of request bodies: 50 kB to 3 MB. */
const BODY_BUCKETS = Array.from({ length: 31 }, (_, i) => 50_000 + 100_000 * i);

const REQUEST_LABELS = [
  'verb',
  'dry_run',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
] as const;
const PLAIN_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const RESOURCE_LABELS = ['group', 'version', 'resource'] as const;

/** The verbs whose response sizes are recorded. */
const READS: ReadonlySet<string> = new Set(['GET', 'LIST', 'WATCH']);

/** The labels of a request. */
export interface RequestKind {
  /** Upper case, as dashboards query them: GET, LIST, WATCH, POST, PUT, PATCH, DELETE, APPLY for apply patches, CONNECT. */
  readonly verb: string;
  readonly dryRun: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** `cluster`, `namespace`, `resource` or ''. */
  readonly scope: string;
}

/** The series of one kind of request, looked up once and kept by the caller: counting is then a few array writes. */
export interface RequestSeries {
  readonly kind: RequestKind;
  readonly duration: HistogramCell;
  readonly sli: HistogramCell;
  readonly size: HistogramCell;
  /** Status code -> its counter. */
  readonly codes: Map<number, Cell>;
  /** Set when the first body is read. */
  bodies: HistogramCell | undefined;
}

/**
 * Request metrics with the names, labels and buckets of kube-apiserver, so that its dashboards and alerts work (kubernetes-mixin
 * and others).
 */
export class ApiServerMetrics {
  readonly #requests = new CounterFamily(
    { name: 'apiserver_request_total', help: 'Requests by verb, resource and response code.' },
    [...REQUEST_LABELS, 'code'],
  );
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_request_duration_seconds',
      help: 'Seconds from the first byte of a request to the end of its answer.',
    },
    REQUEST_LABELS,
    DURATION_BUCKETS,
  );
  readonly #sli = new HistogramFamily(
    {
      name: 'apiserver_request_sli_duration_seconds',
      help: 'As apiserver_request_duration_seconds, without time spent waiting on others.',
    },
    PLAIN_LABELS,
    SLI_BUCKETS,
  );
  readonly #sizes = new HistogramFamily(
    { name: 'apiserver_response_sizes', help: 'Bytes of answers.' },
    PLAIN_LABELS,
    SIZE_BUCKETS,
  );
  readonly #longRunning = new CounterFamily(
    { name: 'apiserver_longrunning_requests', help: 'Watches and other long requests that are open.' },
    PLAIN_LABELS,
    'gauge',
  );
  readonly #terminations = new CounterFamily(
    { name: 'apiserver_request_terminations_total', help: 'Requests that the server gave up on in self-defence.' },
    [...PLAIN_LABELS, 'code'],
  );
  readonly #aborts = new CounterFamily(
    { name: 'apiserver_request_aborts_total', help: 'Requests whose client went away before the answer.' },
    ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
  );
  readonly #deprecated = new CounterFamily(
    { name: 'apiserver_requested_deprecated_apis', help: 'Deprecated versions that were asked for.' },
    ['group', 'version', 'resource', 'subresource', 'removed_release'],
    'gauge',
  );
  readonly #watchEvents = new CounterFamily(
    { name: 'apiserver_watch_events_total', help: 'Events sent to watchers.' },
    RESOURCE_LABELS,
  );
  readonly #watchSizes = new HistogramFamily(
    { name: 'apiserver_watch_events_sizes', help: 'Bytes of events sent to watchers.' },
    RESOURCE_LABELS,
    EVENT_BUCKETS,
  );
  readonly #inflight = new CounterFamily(
    { name: 'apiserver_current_inflight_requests', help: 'Requests being served, by kind.' },
    ['request_kind'],
    'gauge',
  );
  readonly #dropped = new CounterFamily(
    { name: 'apiserver_dropped_requests_total', help: 'Requests answered 429 by the limits of requests in flight.' },
    ['request_kind'],
  );
  readonly #certificates = new HistogramFamily(
    {
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Validity left of client certificates at authentication.',
      onlyClassic: true,
    },
    [],
    EXPIRATION_BUCKETS,
  );
  readonly #handshakeErrors = new CounterFamily(
    { name: 'apiserver_tls_handshake_errors_total', help: 'TLS handshakes that failed.' },
    [],
  );
  readonly #authentications = new CounterFamily(
    { name: 'authentication_attempts', help: 'Authentications by result.' },
    ['result'],
  );
  readonly #authorizations = new CounterFamily(
    { name: 'authorization_attempts_total', help: 'Authorizations by result.' },
    ['result'],
  );
  readonly #authenticationTimes = new HistogramFamily(
    { name: 'authentication_duration_seconds', help: 'Seconds of authentications by result.' },
    ['result'],
    ACCESS_BUCKETS,
  );
  readonly #authorizationTimes = new HistogramFamily(
    { name: 'authorization_duration_seconds', help: 'Seconds of authorizations by result.' },
    ['result'],
    ACCESS_BUCKETS,
  );
  readonly #filters = new HistogramFamily(
    {
      name: 'apiserver_request_filter_duration_seconds',
      help: 'Request filter latency distribution in seconds, for each filter type',
    },
    ['filter'],
    FILTER_BUCKETS,
  );
  readonly #bodySizes = new HistogramFamily(
    {
      name: 'apiserver_request_body_size_bytes',
      help: 'Apiserver request body size in bytes broken out by resource and verb.',
    },
    ['group', 'resource', 'verb'],
    BODY_BUCKETS,
  );
  readonly #users = new CounterFamily(
    { name: 'authenticated_user_requests', help: 'Authenticated requests by kind of user.' },
    ['username'],
  );

  readonly mutatingInFlight = this.#inflight.at('mutating');
  readonly readOnlyInFlight = this.#inflight.at('readOnly');
  readonly tlsHandshakeErrors = this.#handshakeErrors.at();
  readonly #authentication = outcomes(AUTHENTICATIONS, this.#authentications, this.#authenticationTimes);
  readonly #authorization = outcomes(AUTHORIZATIONS, this.#authorizations, this.#authorizationTimes);
  readonly #certificateCell = this.#certificates.at();

  /** The durations of one stage of the pipeline. */
  filter(name: RequestFilter): HistogramCell {
    return this.#filters.at(name);
  }

  filtered(filter: HistogramCell, seconds: number): void {
    this.#filters.observe(filter, seconds);
  }

  /** `verb` is that of authorization. */
  bodyRead(series: RequestSeries, verb: string, bytes: number): void {
    series.bodies ??= this.#bodySizes.at(
      series.kind.group,
      series.kind.resource,
      verb === 'deletecollection' ? 'delete_collection' : verb,
    );
    this.#bodySizes.observe(series.bodies, bytes);
  }

  series(kind: RequestKind): RequestSeries {
    const plain = [kind.verb, kind.group, kind.version, kind.resource, kind.subresource, kind.scope, 'apiserver'];
    const full = [kind.verb, kind.dryRun ? 'All' : '', ...plain.slice(1)];
    return {
      kind,
      duration: this.#durations.at(...full),
      sli: this.#sli.at(...plain),
      size: this.#sizes.at(...plain),
      codes: new Map(),
      bodies: undefined,
    };
  }

  /** The number of open requests of this kind, for long-running requests only. */
  longRunning(k: RequestKind): Cell {
    return this.#longRunning.at(k.verb, k.group, k.version, k.resource, k.subresource, k.scope, 'apiserver');
  }

  /** `seconds` is the duration of the whole request, `waited` the time in queues; `bytes` is the size of the response body. */
  count(series: RequestSeries, code: number, seconds: number, waited: number, bytes: number): void {
    let cell = series.codes.get(code);
    if (cell === undefined) {
      const k = series.kind;
      const dryRun = k.dryRun ? 'All' : '';
      cell = this.#requests.at(
        k.verb,
        dryRun,
        k.group,
        k.version,
        k.resource,
        k.subresource,
        k.scope,
        'apiserver',
        String(code),
      );
      series.codes.set(code, cell);
    }
    cell.value++;
    this.#durations.observe(series.duration, seconds);
    if (!series.kind.dryRun) this.#sli.observe(series.sli, seconds - waited);
    if (READS.has(series.kind.verb)) this.#sizes.observe(series.size, bytes);
  }

  terminated(kind: RequestKind, code: number): void {
    const k = kind;
    this.#terminations.at(k.verb, k.group, k.version, k.resource, k.subresource, k.scope, 'apiserver', String(code))
      .value++;
  }

  aborted(k: RequestKind): void {
    this.#aborts.at(k.verb, k.group, k.version, k.resource, k.subresource, k.scope).value++;
  }

  deprecated(k: RequestKind, removedRelease: string): void {
    this.#deprecated.at(k.group, k.version, k.resource, k.subresource, removedRelease).value = 1;
  }

  watchSeries(group: string, version: string, resource: string): WatchSeries {
    return {
      events: this.#watchEvents.at(group, version, resource),
      sizes: this.#watchSizes.at(group, version, resource),
    };
  }

  /** `n` events of `bytes` in total: each is counted with the mean size, because they are written together. */
  watched(series: WatchSeries, n: number, bytes: number): void {
    series.events.value += n;
    this.#watchSizes.observeMany(series.sizes, bytes / n, n);
  }

  /** `user` is the name of the user, if there is one. */
  authenticated(result: AuthenticationResult, seconds: number, user: string | undefined): void {
    const { count, times } = this.#authentication[result];
    count.value++;
    this.#authenticationTimes.observe(times, seconds);
    if (user !== undefined) this.#users.at(kindOfUser(user)).value++;
  }

  authorized(result: AuthorizationResult, seconds: number): void {
    const { count, times } = this.#authorization[result];
    count.value++;
    this.#authorizationTimes.observe(times, seconds);
  }

  dropped(kind: 'readOnly' | 'mutating'): void {
    this.#dropped.at(kind).value++;
  }

  certificateValidFor(seconds: number): void {
    this.#certificates.observe(this.#certificateCell, seconds);
  }

  /** All metrics, for an exposition. */
  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [
      this.#requests,
      this.#durations,
      this.#sli,
      this.#sizes,
      this.#longRunning,
      this.#terminations,
      this.#aborts,
      this.#deprecated,
      this.#watchEvents,
      this.#watchSizes,
      this.#inflight,
      this.#dropped,
      this.#certificates,
      this.#handshakeErrors,
      this.#authentications,
      this.#authorizations,
      this.#authenticationTimes,
      this.#authorizationTimes,
      this.#users,
      this.#filters,
      this.#bodySizes,
    ];
  }
}

/** The stages of the pipeline that are timed, by the names of the filters of kube-apiserver. */
export type RequestFilter =
  | 'authentication'
  | 'audit'
  | 'impersonation'
  | 'constrainedimpersonation'
  | 'priorityandfairness'
  | 'authorization';

export interface WatchSeries {
  readonly events: Cell;
  readonly sizes: HistogramCell;
}

const AUTHENTICATIONS = ['success', 'failure', 'error'] as const;
const AUTHORIZATIONS = ['allowed', 'denied', 'no-opinion', 'error'] as const;
/** `failure`: no authenticator recognised the credentials; `error`: the credentials are invalid. */
export type AuthenticationResult = (typeof AUTHENTICATIONS)[number];
export type AuthorizationResult = (typeof AUTHORIZATIONS)[number];

/** The cells of each result. */
function outcomes<R extends string>(
  results: readonly R[],
  counts: CounterFamily,
  times: HistogramFamily,
): Readonly<Record<R, { readonly count: Cell; readonly times: HistogramCell }>> {
  const cells = results.map((result) => [result, { count: counts.at(result), times: times.at(result) }]);
  return Object.fromEntries(cells) as Record<R, { count: Cell; times: HistogramCell }>;
}

/** The few kinds of users that kube-apiserver distinguishes, so that no names of users are shown. */
function kindOfUser(name: string): string {
  if (KNOWN_USERS.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}

const KNOWN_USERS: ReadonlySet<string> = new Set([
  ...['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default'],
]);
