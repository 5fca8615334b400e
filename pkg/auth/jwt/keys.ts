import { createPublicKey, type KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { World } from '../../base/index.js';

/** The response of an HTTP GET. */
export interface Fetched {
  readonly status: number;
  readonly body: string;
}

/** Fetches an https URL. Rejects if there is no response, or it is too large. `bearer`: '' for none. */
export type Fetch = (url: string, bearer: string) => Promise<Fetched>;

/** A key of an issuer (RFC 7517). */
interface IssuerKey {
  readonly id: string;
  /** '' if the key has no id. */
  readonly algorithm: string;
  readonly key: KeyObject;
}

/** Observes the key set of an issuer. */
export interface KeySetObserver {
  /** `text` is the received key set; undefined if the fetch failed. */
  fetched(text: string | undefined): void;
  /** The last attempt to reach the issuer, for health checks and the log. */
  discovered(problem: string | undefined): void;
}

/** Milliseconds between attempts to discover an issuer that does not respond. */
const DISCOVERY_PERIOD = 10_000;
/** Milliseconds between two fetches of keys, so that tokens with invented key ids do not flood the issuer. */
const REFRESH_PERIOD = 1_000;

export interface IssuerKeysConfig {
  readonly issuer: string;
  /** The URL of the discovery document. */
  readonly discoveryUrl: string;
  /** Algorithms that tokens may be signed with. */
  readonly algorithms: readonly string[];
}

/**
 * The public keys of an issuer, found by OpenID Connect Discovery 1.0. Discovery begins at once and is repeated until
 * it succeeds. Keys are fetched when a token needs them: the first time, and again when no known key matches.
 */
export class IssuerKeys {
  readonly #config: IssuerKeysConfig;
  readonly #fetch: Fetch;
  readonly #world: World;
  readonly #observer: KeySetObserver;
  #jwksUrl: string | undefined;
  #keys: readonly IssuerKey[] = [];
  #fetching: Promise<void> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #cancel: () => void = () => {};
  /** Why the issuer cannot be used yet; undefined after discovery. */
  problem: string | undefined = 'not initialized';
  /** Settles when the first attempt to discover the issuer has ended. */
  readonly attempted: Promise<void>;

  constructor(config: IssuerKeysConfig, fetch: Fetch, world: World, observer: KeySetObserver) {
    this.#config = config;
    this.#fetch = fetch;
    this.#world = world;
    this.#observer = observer;
    this.attempted = this.#discover();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  async #discover(): Promise<void> {
    const { issuer, discoveryUrl } = this.#config;
    try {
      const { status, body } = await this.#fetch(discoveryUrl, '');
      if (status !== 200) throw new Error(`${status}: ${body.slice(0, 200)}`);
      const document = parsed(body, 'oidc: failed to decode provider discovery object');
      if (document['issuer'] !== issuer)
        throw new Error(
          `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(document['issuer'] ?? '')}`,
        );
      const url = document['jwks_uri'];
      if (typeof url !== 'string' || url === '') throw new Error('provider did not return JWKS URL');
      this.#jwksUrl = url;
      this.problem = undefined;
    } catch (error) {
      this.problem = (error as Error).message;
      if (!this.#closed)
        this.#cancel = this.#world.timers.after(DISCOVERY_PERIOD, () => {
          void this.#discover();
        });
    }
    if (!this.#closed) this.#observer.discovered(this.problem);
  }

  /**
   * Returns the payload of a token after verifying its signature with a key of the issuer. Throws an Error with the
   * reason. `algorithm` and `id` are those in the token's header.
   */
  async verify(token: string, algorithm: string, id: string): Promise<string> {
    const { algorithms } = this.#config;
    if (!algorithms.includes(algorithm))
      throw new Error(
        `oidc: id token signed with unsupported algorithm, expected [${algorithms.map((a) => JSON.stringify(a)).join(' ')}] got ${JSON.stringify(algorithm)}`,
      );
    const known = await this.#tryKeys(token, algorithm, id);
    if (known !== undefined) return known;
    await this.#refresh();
    const found = await this.#tryKeys(token, algorithm, id);
    if (found === undefined) throw new Error('failed to verify signature: failed to verify id token signature');
    return found;
  }

  async #tryKeys(token: string, algorithm: string, id: string): Promise<string | undefined> {
    for (const { id: keyId, algorithm: own, key } of this.#keys) {
      if ((id !== '' && keyId !== id) || (own !== '' && own !== algorithm)) continue;
      try {
        const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
        return Buffer.from(payload).toString('utf8');
      } catch {
        // Not signed by this key, or the key is of another type: try the next one.
      }
    }
    return undefined;
  }

  async #refresh(): Promise<void> {
    const now = this.#world.clock.monotonic();
    if (this.#fetching === undefined) {
      if (now - this.#fetchedAt < REFRESH_PERIOD) return;
      this.#fetchedAt = now;
      this.#fetching = this.#fetchKeys().finally(() => {
        this.#fetching = undefined;
      });
    }
    await this.#fetching;
  }

  async #fetchKeys(): Promise<void> {
    let text: string | undefined;
    try {
      const { status, body } = await this.#fetch(this.#jwksUrl!, '');
      if (status !== 200) throw new Error(`oidc: get keys failed: ${status} ${body.slice(0, 200)}`);
      this.#keys = keysOf(parsed(body, 'oidc: failed to decode keys'));
      text = body;
    } catch (error) {
      throw new Error(`failed to verify signature: fetching keys ${(error as Error).message}`);
    } finally {
      if (!this.#closed) this.#observer.fetched(text);
    }
  }
}

/** Returns the usable asymmetric keys of a set. Others, with an unsupported type or curve, are ignored. */
function keysOf(set: JsonObject): readonly IssuerKey[] {
  const keys = set['keys'];
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((jwk) => {
    if (!isObject(jwk) || jwk['use'] === 'enc' || (jwk['kty'] !== 'RSA' && jwk['kty'] !== 'EC')) return [];
    try {
      // Only public parameters are copied, so that a key published with its private half can also be used.
      const { kty, n, e, crv, x, y } = jwk as Record<string, string>;
      const parameters = kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y };
      const key = createPublicKey({ key: parameters as JsonWebKey, format: 'jwk' });
      const text = (name: string): string => (typeof jwk[name] === 'string' ? (jwk[name] as string) : '');
      return [{ id: text('kid'), algorithm: text('alg'), key }];
    } catch {
      return [];
    }
  });
}

type JsonWebKey = { [key: string]: unknown };

function parsed(text: string, problem: string): JsonObject {
  let value: JsonValue | undefined;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Error(`${problem}: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new Error(`${problem}: not an object`);
  return value;
}
