import { createPublicKey, type KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import { isObject, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import type { Pace, World } from '../../base/index.js';

export const SIGNATURE_INVALID = 'failed to verify signature: failed to verify id token signature';

/** The response of an HTTP GET. */
export interface Fetched {
  readonly status: number;
  readonly body: string;
}

/** Fetches an https URL. Rejects if there is no response, or it is too large. `bearer`: '' for none. */
export type Fetch = (url: string, bearer: string) => Promise<Fetched>;

/** How issuers are asked, and how their documents are read: they may have any size and shape. */
export interface IssuerAccess {
  readonly fetch: Fetch;
  /** The value of a JSON text, read in steps. Rejects with the reason if it is no JSON, or exceeds a limit. */
  readonly readJson: (text: string) => Promise<JsonValue>;
  /** The pace of work that grows with the number of keys. */
  readonly pace: () => Pace;
}

/** A key of an issuer (RFC 7517). It is imported when a token needs it. */
class IssuerKey {
  /** '' if the key has no id. */
  readonly id: string;
  readonly #algorithm: string;
  readonly #parameters: JsonWebKey;
  #key: KeyObject | undefined;
  #isBroken = false;

  constructor(id: string, algorithm: string, parameters: JsonWebKey) {
    this.id = id;
    this.#algorithm = algorithm;
    this.#parameters = parameters;
  }

  /** Whether a signature by this algorithm may be of this key. */
  fits(algorithm: string): boolean {
    if (this.#algorithm !== '' && this.#algorithm !== algorithm) return false;
    const curve = CURVES[algorithm];
    return curve === undefined ? this.#parameters['kty'] === 'RSA' : this.#parameters['crv'] === curve;
  }

  /** The key, or undefined if its parameters are no key. */
  get(): KeyObject | undefined {
    if (this.#key === undefined && !this.#isBroken) {
      try {
        this.#key = createPublicKey({ key: this.#parameters, format: 'jwk' });
      } catch {
        this.#isBroken = true;
      }
    }
    return this.#key;
  }
}

/** The curves of the algorithms with elliptic curves. */
const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };
/** Keys of one issuer; further ones are ignored. A token without a key id is compared with all of them. */
const KEYS_MAX = 1_000;
/** Characters of a modulus of 16,384 bits, the largest one that OpenSSL computes with, and of any parameter of a curve. */
const PARAMETER_CHARACTERS_MAX = 2_732;
/** Characters of an exponent of 32 bits: a larger one makes each verification slow. */
const EXPONENT_CHARACTERS_MAX = 6;

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
  readonly #access: IssuerAccess;
  readonly #world: World;
  readonly #observer: KeySetObserver;
  #jwksUrl: string | undefined;
  #keys: readonly IssuerKey[] = [];
  #fetching: Promise<void> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #cancel: () => void = () => {};
  /** Why the issuer cannot be used yet; undefined after discovery. */
  problem: string | undefined;
  /** Settles when the first attempt to discover the issuer has ended. */
  readonly attempted: Promise<void>;
  /** Resolves when the issuer is discovered. */
  readonly discovered: Promise<void>;
  #isDiscovered: () => void = () => {};

  constructor(config: IssuerKeysConfig, access: IssuerAccess, world: World, observer: KeySetObserver) {
    this.#config = config;
    this.#access = access;
    this.#world = world;
    this.#observer = observer;
    this.problem = `oidc: authenticator for issuer ${JSON.stringify(config.issuer)} is not initialized`;
    this.discovered = new Promise((resolve) => {
      this.#isDiscovered = resolve;
    });
    this.attempted = this.#discover();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  async #discover(): Promise<void> {
    const { issuer, discoveryUrl } = this.#config;
    try {
      const { status, body } = await this.#access.fetch(discoveryUrl, '');
      if (status !== 200) throw new Error(`${status}: ${body.slice(0, 200)}`);
      const document = await this.#parsed(body, 'oidc: failed to decode provider discovery object');
      if (document['issuer'] !== issuer)
        throw new Error(
          `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(document['issuer'] ?? '')}`,
        );
      const url = document['jwks_uri'];
      if (typeof url !== 'string' || url === '') throw new Error('provider did not return JWKS URL');
      this.#jwksUrl = url;
      this.problem = undefined;
      this.#isDiscovered();
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
        `oidc: id token signed with unsupported algorithm, expected [${[...algorithms]
          .sort()
          .map((a) => JSON.stringify(a))
          .join(' ')}] got ${JSON.stringify(algorithm)}`,
      );
    const known = await this.#tryKeys(token, algorithm, id);
    if (known !== undefined) return known;
    await this.#refresh();
    const found = await this.#tryKeys(token, algorithm, id);
    if (found === undefined) throw new Error(SIGNATURE_INVALID);
    return found;
  }

  async #tryKeys(token: string, algorithm: string, id: string): Promise<string | undefined> {
    const pace = this.#access.pace();
    for (const candidate of this.#keys) {
      if ((id !== '' && candidate.id !== id) || !candidate.fits(algorithm)) continue;
      if (pace.spent()) await pace.yield();
      const key = candidate.get();
      if (key === undefined) continue;
      try {
        const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
        return Buffer.from(payload).toString('utf8');
      } catch {
        // Not signed by this key: try the next one.
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
      const { status, body } = await this.#access.fetch(this.#jwksUrl!, '');
      if (status !== 200) throw new Error(`oidc: get keys failed: ${status} ${body.slice(0, 200)}`);
      this.#keys = keysOf(await this.#parsed(body, 'oidc: failed to decode keys'));
      text = body;
    } catch (error) {
      throw new Error(`failed to verify signature: fetching keys ${(error as Error).message}`);
    } finally {
      if (!this.#closed) this.#observer.fetched(text);
    }
  }

  async #parsed(text: string, problem: string): Promise<JsonObject> {
    let value: JsonValue;
    try {
      value = await this.#access.readJson(text);
    } catch (error) {
      throw new Error(`${problem}: ${(error as Error).message}`);
    }
    if (!isObject(value)) throw new Error(`${problem}: not an object`);
    return value;
  }
}

/** Returns the asymmetric keys of a set that may be usable. Others, with an unsupported type or a size that no key has, are ignored. */
function keysOf(set: JsonObject): readonly IssuerKey[] {
  const keys = set['keys'];
  if (!Array.isArray(keys)) return [];
  const found: IssuerKey[] = [];
  for (const jwk of keys) {
    if (!isObject(jwk) || jwk['use'] === 'enc') continue;
    const text = (name: string): string => textAt(jwk, name);
    // Only public parameters are copied, so that a key published with its private half can also be used.
    const names = PARAMETERS[text('kty')];
    if (names === undefined) continue;
    if (names.some((name) => text(name) === '' || text(name).length > PARAMETER_CHARACTERS_MAX)) continue;
    if (text('e').length > EXPONENT_CHARACTERS_MAX) continue;
    const parameters = Object.fromEntries(names.map((name) => [name, text(name)]));
    found.push(new IssuerKey(text('kid'), text('alg'), parameters));
    if (found.length === KEYS_MAX) break;
  }
  return found;
}

const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = Object.assign(Object.create(null), {
  RSA: ['kty', 'n', 'e'],
  EC: ['kty', 'crv', 'x', 'y'],
});

type JsonWebKey = { [key: string]: unknown };
