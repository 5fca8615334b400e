import { CounterFamily, HistogramFamily } from './series.js';

/** The outcome of reloading a configuration file after a change. */
export type ReloadStatus = 'success' | 'failure';

const LATENCIES = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Reloads of one of the configuration files, with kube-apiserver's names. */
class ReloadMetrics {
  readonly #total: CounterFamily;
  readonly #last: CounterFamily;
  readonly #info: CounterFamily;
  #shown: { value: number } | undefined;

  constructor(subsystem: string, what: string) {
    const name = (rest: string): string => `apiserver_${subsystem}_config_controller_${rest}`;
    this.#total = new CounterFamily(
      { name: name('automatic_reloads_total'), help: `Reloads of the ${what} configuration by status.` },
      ['status', 'apiserver_id_hash'],
    );
    this.#last = new CounterFamily(
      {
        name: name('automatic_reload_last_timestamp_seconds'),
        help: `Time of the last reload of the ${what} configuration by status.`,
      },
      ['status', 'apiserver_id_hash'],
      'gauge',
    );
    this.#info = new CounterFamily(
      { name: name('last_config_info'), help: `The hash of the ${what} configuration in force.` },
      ['apiserver_id_hash', 'hash'],
      'gauge',
    );
  }

  get families(): readonly CounterFamily[] {
    return [this.#total, this.#last, this.#info];
  }

  /** `now` in seconds since the epoch. */
  reloaded(status: ReloadStatus, server: string, now: number): void {
    this.#total.at(status, server).value++;
    this.#last.at(status, server).value = now;
  }

  inForce(server: string, hash: string): void {
    if (this.#shown !== undefined) this.#shown.value = 0;
    this.#shown = this.#info.at(server, hash);
    this.#shown.value = 1;
  }
}

/** Metrics of authentication and authorization, with the names of kube-apiserver. */
export class AccessMetrics {
  readonly authenticationFile = new ReloadMetrics('authentication', 'authentication');
  readonly authorizationFile = new ReloadMetrics('authorization', 'authorization');
  readonly #jwtLatency = new HistogramFamily(
    {
      name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
      help: 'Time to authenticate a JWT that is not remembered.',
    },
    ['result', 'jwt_issuer_hash'],
    LATENCIES,
  );
  readonly #keysFetched = new CounterFamily(
    {
      name: 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds',
      help: 'Time of the last fetch of keys by result and issuer.',
    },
    ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
    'gauge',
  );
  readonly #keySet = new CounterFamily(
    {
      name: 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info',
      help: 'The hash of the keys in use by issuer.',
    },
    ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'],
    'gauge',
  );
  readonly #decisions = new CounterFamily(
    {
      name: 'apiserver_authorization_decisions_total',
      help: 'Terminal decisions by type and name of the authorizer, and by decision.',
    },
    ['type', 'name', 'decision'],
  );
  readonly #evaluations = new CounterFamily(
    { name: 'apiserver_authorization_webhook_evaluations_total', help: 'Calls of authorization webhooks by result.' },
    ['name', 'result'],
  );
  readonly #durations = new HistogramFamily(
    { name: 'apiserver_authorization_webhook_duration_seconds', help: 'Time of calls of authorization webhooks.' },
    ['name', 'result'],
    DURATIONS,
  );
  readonly #failOpen = new CounterFamily(
    {
      name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
      help: 'Calls of authorization webhooks that failed and left the decision to the next authorizer.',
    },
    ['name', 'result'],
  );
  readonly #matchErrors = new CounterFamily(
    {
      name: 'apiserver_authorization_match_condition_evaluation_errors_total',
      help: 'Evaluations of match conditions of an authorizer that failed.',
    },
    ['type', 'name'],
  );
  readonly #matchExclusions = new CounterFamily(
    {
      name: 'apiserver_authorization_match_condition_exclusions_total',
      help: 'Requests that the match conditions of an authorizer excluded.',
    },
    ['type', 'name'],
  );
  readonly #matchTimes = new HistogramFamily(
    {
      name: 'apiserver_authorization_match_condition_evaluation_seconds',
      help: 'Time to evaluate the match conditions of an authorizer.',
    },
    ['type', 'name'],
    [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  );
  /** Hashes of the current key sets, by issuer. */
  readonly #shownKeys = new Map<string, { value: number }>();

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [
      ...this.authenticationFile.families,
      ...this.authorizationFile.families,
      this.#jwtLatency,
      this.#keysFetched,
      this.#keySet,
      this.#decisions,
      this.#evaluations,
      this.#durations,
      this.#failOpen,
      this.#matchErrors,
      this.#matchExclusions,
      this.#matchTimes,
    ];
  }

  jwtAuthenticated(issuerHash: string, succeeded: boolean, seconds: number): void {
    this.#jwtLatency.observe(this.#jwtLatency.at(succeeded ? 'success' : 'failure', issuerHash), seconds);
  }

  /** `keysHash` is undefined if the fetch failed. `now` in seconds since the epoch. */
  keysFetched(issuerHash: string, server: string, keysHash: string | undefined, now: number): void {
    this.#keysFetched.at(keysHash === undefined ? 'failure' : 'success', issuerHash, server).value = now;
    if (keysHash === undefined) return;
    const before = this.#shownKeys.get(issuerHash);
    if (before !== undefined) before.value = 0;
    const cell = this.#keySet.at(issuerHash, server, keysHash);
    cell.value = 1;
    this.#shownKeys.set(issuerHash, cell);
  }

  /** The counters of the decisions of one authorizer. Keep them: the lookup costs a string join. */
  decisions(type: string, name: string) {
    return { allowed: this.#decisions.at(type, name, 'allowed'), denied: this.#decisions.at(type, name, 'denied') };
  }

  webhookCalled(name: string, result: 'success' | 'error' | 'timeout', seconds: number): void {
    this.#evaluations.at(name, result).value++;
    this.#durations.observe(this.#durations.at(name, result), seconds);
  }

  webhookFailedOpen(name: string, result: string): void {
    this.#failOpen.at(name, result).value++;
  }

  conditionsEvaluated(name: string, outcome: 'matched' | 'excluded' | 'failed', seconds: number): void {
    this.#matchTimes.observe(this.#matchTimes.at('Webhook', name), seconds);
    if (outcome === 'excluded') this.#matchExclusions.at('Webhook', name).value++;
    if (outcome === 'failed') this.#matchErrors.at('Webhook', name).value++;
  }
}
