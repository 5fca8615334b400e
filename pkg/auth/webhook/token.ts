import { createHash } from 'node:crypto';
import { errors, isObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '../../api/index.js';
import { type Clock, ExpiringCache } from '../../base/index.js';
import type { ReviewClient } from '../../outbound/index.js';
import type { TokenCacheMetrics } from '../../telemetry/index.js';
import { type Authentication, NONE, type TokenAuthenticator } from '../authn/authenticator.js';
import type { UserInfo } from '../user.js';

export interface TokenWebhookConfig {
  /** The version of TokenReview. */
  readonly version: string;
  /** Milliseconds for which an outcome is cached; 0: not at all. */
  readonly cacheTime: number;
  /** Audiences of the API server, for a review without audiences. */
  readonly audiences: readonly string[];
}

export interface TokenWebhookParts {
  readonly clock: Clock;
  readonly metrics: TokenCacheMetrics;
  /** Called for failed calls. */
  readonly problem: (error: Error) => void;
}

const OUTCOMES_MAX = 4096;

/**
 * Authenticates bearer tokens that no other authenticator knows by calling a service. Outcomes are cached by the digest
 * of the token and the audiences; requests with the same token share one call. If the service does not respond the
 * request fails with 503, because the token may be valid.
 */
export class TokenWebhook implements TokenAuthenticator {
  readonly #client: ReviewClient;
  readonly #config: TokenWebhookConfig;
  readonly #clock: Clock;
  readonly #problem: (error: Error) => void;
  readonly #metrics: TokenCacheMetrics;
  readonly #known = new ExpiringCache<Authentication>(OUTCOMES_MAX);
  readonly #asking = new Map<string, Promise<Authentication>>();

  constructor(client: ReviewClient, config: TokenWebhookConfig, parts: TokenWebhookParts) {
    this.#client = client;
    this.#config = config;
    this.#clock = parts.clock;
    this.#problem = parts.problem;
    this.#metrics = parts.metrics;
  }

  authenticateToken(token: string, audiences = this.#config.audiences): Authentication | Promise<Authentication> {
    const key = createHash('sha256')
      .update(JSON.stringify([token, audiences]))
      .digest('base64');
    const began = this.#clock.monotonic();
    const known = this.#known.get(key, began);
    if (known !== undefined) {
      this.#metrics.looked('hit', 0);
      return known;
    }
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#fetch(token, audiences, key).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    this.#metrics.active('blocked', 1);
    return asking.finally(() => {
      this.#metrics.active('blocked', -1);
      this.#metrics.looked('miss', (this.#clock.monotonic() - began) / 1000);
    });
  }

  async #fetch(token: string, audiences: readonly string[], key: string): Promise<Authentication> {
    this.#metrics.active('in_flight', 1);
    let status: 'ok' | 'error' = 'error';
    try {
      const outcome = await this.#ask(token, audiences, key);
      if (outcome.kind !== 'failed') status = 'ok';
      return outcome;
    } finally {
      this.#metrics.active('in_flight', -1);
      this.#metrics.fetched(status);
    }
  }

  async #ask(token: string, audiences: readonly string[], key: string): Promise<Authentication> {
    const { version, cacheTime } = this.#config;
    const review: JsonObject = {
      kind: 'TokenReview',
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: {},
      spec: { token, ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) },
      status: { user: {} },
    };
    let found: JsonObject;
    try {
      found = await this.#client.post(review);
    } catch (error) {
      this.#problem(error as Error);
      throw errors.serviceUnavailable('the webhook that reviews tokens is not available');
    }
    const outcome = this.#outcome(objectAt(found, 'status'), audiences);
    // An error in a review may be over with the next one.
    if (cacheTime > 0 && outcome.kind !== 'failed') this.#known.set(key, outcome, this.#clock.monotonic() + cacheTime);
    return outcome;
  }

  #outcome(status: JsonObject, asked: readonly string[]): Authentication {
    const named = texts(status['audiences']);
    const valid = named.length > 0 ? named : this.#config.audiences;
    const common = asked.filter((audience) => valid.includes(audience));
    if (asked.length > 0 && common.length === 0) return NONE;
    if (status['authenticated'] !== true) {
      const reason = textAt(status, 'error');
      return reason === '' ? NONE : { kind: 'failed', reason };
    }
    return { kind: 'authenticated', user: userIn(objectAt(status, 'user')), audiences: common };
  }
}

function userIn(user: JsonObject): UserInfo {
  const uid = textAt(user, 'uid');
  const extra = user['extra'];
  return {
    name: textAt(user, 'username'),
    ...(uid === '' ? {} : { uid }),
    groups: texts(listAt(user, 'groups')),
    ...(isObject(extra)
      ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, texts(values)])) }
      : {}),
  };
}

const texts = (values: JsonValue | readonly JsonValue[] | undefined): readonly string[] =>
  Array.isArray(values) ? values.filter((v) => typeof v === 'string') : [];
