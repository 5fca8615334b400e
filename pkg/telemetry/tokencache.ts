import { CounterFamily, HistogramFamily } from './series.js';

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const named = (rest: string, help: string) => ({ name: `authentication_token_cache_${rest}`, help });

/** The cache of authenticated tokens, with the names of kube-apiserver. Requests that wait for one fetch are each a miss. */
export class TokenCacheMetrics {
  readonly #requests = new CounterFamily(named('request_total', 'Tokens that were looked up in the cache.'), [
    'status',
  ]);
  readonly #durations = new HistogramFamily(
    named('request_duration_seconds', 'Time of a look-up in the cache, and of what it waited for.'),
    ['status'],
    DURATIONS,
  );
  readonly #fetches = new CounterFamily(named('fetch_total', 'Authentications of tokens that were not cached.'), [
    'status',
  ]);
  readonly #active = new CounterFamily(
    named('active_fetch_count', 'Authentications in progress, and requests that wait for them.'),
    ['status'],
    'gauge',
  );

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#requests, this.#durations, this.#fetches, this.#active];
  }

  looked(status: 'hit' | 'miss', seconds: number): void {
    this.#requests.at(status).value++;
    this.#durations.observe(this.#durations.at(status), seconds);
  }

  /** `blocked` are requests, `in_flight` the fetches that they wait for. */
  active(status: 'blocked' | 'in_flight', change: 1 | -1): void {
    this.#active.at(status).value += change;
  }

  fetched(status: 'ok' | 'error'): void {
    this.#fetches.at(status).value++;
  }
}
