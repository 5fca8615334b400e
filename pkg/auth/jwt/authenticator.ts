import type { JsonObject, JsonValue } from '../../api/index.js';
import type { World } from '../../base/index.js';
import type { Authentication } from '../authn/authenticator.js';
import { withAuthenticatedGroup } from '../user.js';
import { ClaimResolver } from './distributed.js';
import { type IssuerAccess, IssuerKeys } from './keys.js';
import { userOf } from './mapping.js';
import { discoveryUrlOf, issuerOf, type Unverified } from './token.js';
import type { CompiledJwt } from './validate.js';

/** Milliseconds for which an authenticated token is cached, as in kube-apiserver. Never beyond its expiry. */
const REMEMBERED = 10_000;
/** Maximum number of tokens in the cache of one authenticator. */
const REMEMBERED_MAX = 4096;
/** Seconds by which a token may be used before its `nbf`. */
const NOT_BEFORE_LEEWAY = 300;

/** Observes a JWT authenticator, for metrics and the log. */
export interface JwtObserver {
  /** A token was verified, not found in the cache. Seconds. */
  authenticated(issuer: string, succeeded: boolean, seconds: number): void;
  keysFetched(issuer: string, keySet: string | undefined): void;
  discovered(issuer: string, problem: string | undefined): void;
}

export interface JwtParts {
  readonly jwt: CompiledJwt;
  /** Algorithms that are accepted: those of `--oidc-signing-algs`, or all of `SIGNING_ALGORITHMS`. */
  readonly algorithms: readonly string[];
  readonly access: IssuerAccess;
  readonly world: World;
  readonly observer: JwtObserver;
}

/** Tokens of one OpenID Connect issuer. */
export class JwtAuthenticator {
  readonly #jwt: CompiledJwt;
  readonly #world: World;
  readonly #observer: JwtObserver;
  readonly #keys: IssuerKeys;
  readonly #resolver: ClaimResolver | undefined;
  /** By the SHA-256 of the token, oldest first. */
  readonly #known = new Map<string, { readonly until: number; readonly found: Authentication }>();

  constructor({ jwt, algorithms, access, world, observer }: JwtParts) {
    this.#jwt = jwt;
    this.#world = world;
    this.#observer = observer;
    const { url, discoveryURL } = jwt.config.issuer;
    const discoveryUrl = discoveryURL === '' ? discoveryUrlOf(url) : discoveryURL;
    this.#keys = new IssuerKeys({ issuer: url, discoveryUrl, algorithms }, access, world, {
      fetched: (text) => observer.keysFetched(url, text),
      discovered: (problem) => observer.discovered(url, problem),
    });
    const { claim } = jwt.config.claimMappings.groups;
    if (claim !== '') {
      const verifierOf = (issuer: string): IssuerKeys =>
        new IssuerKeys({ issuer, discoveryUrl: discoveryUrlOf(issuer), algorithms }, access, world, NOT_OBSERVED);
      this.#resolver = new ClaimResolver(claim, access, verifierOf, (token, keys, issuer) =>
        this.#verified(token, keys, issuer),
      );
    }
  }

  /** Why tokens cannot be verified yet, or undefined. */
  get problem(): string | undefined {
    return this.#keys.problem;
  }

  /** Resolves when the issuer is discovered. */
  get discovered(): Promise<void> {
    return this.#keys.discovered;
  }

  close(): void {
    this.#keys.close();
    this.#resolver?.close();
  }

  get issuer(): string {
    return this.#jwt.config.issuer.url;
  }

  /** The cached user of a token, given its digest. */
  known(digest: string): Authentication | undefined {
    const known = this.#known.get(digest);
    return known !== undefined && this.#world.clock.now() < known.until ? known.found : undefined;
  }

  /** Verifies a token of this issuer. */
  async verify(token: Unverified, digest: string): Promise<Authentication> {
    const { clock } = this.#world;
    const { url } = this.#jwt.config.issuer;
    const started = clock.monotonic();
    try {
      if (this.#keys.problem !== undefined) throw new Error('oidc: authenticator not initialized');
      const claims = await this.#verified(token, this.#keys, url).catch((error: Error) => {
        throw new Error(`oidc: verify token: ${error.message}`);
      });
      const whole = this.#resolver === undefined ? claims : await this.#resolver.expand(claims);
      const user = withAuthenticatedGroup(userOf(whole, this.#jwt));
      const found: Authentication = { kind: 'authenticated', user };
      const until = Math.min(clock.now() + REMEMBERED, Number(claims['exp']) * 1000);
      this.#known.delete(digest);
      this.#known.set(digest, { until, found });
      if (this.#known.size > REMEMBERED_MAX) this.#known.delete(this.#known.keys().next().value!);
      this.#observer.authenticated(url, true, (clock.monotonic() - started) / 1000);
      return found;
    } catch (error) {
      this.#observer.authenticated(url, false, (clock.monotonic() - started) / 1000);
      return { kind: 'failed', reason: (error as Error).message };
    }
  }

  /**
   * Returns the claims of a token after checking its signature, issuer, audience and time. Throws an Error with the
   * reason.
   */
  async #verified(token: Unverified, keys: IssuerKeys, issuer: string): Promise<JsonObject> {
    const { text, header, payload, claims } = token;
    if (header === undefined) throw new Error('oidc: malformed jwt');
    if (header['crit'] !== undefined) throw new Error('oidc: malformed jwt: critical headers are not supported');
    // Cheap checks come before the signature: they need no key and no request to the issuer.
    this.#checkClaims(claims, issuer);
    const algorithm = typeof header['alg'] === 'string' ? header['alg'] : '';
    const id = typeof header['kid'] === 'string' ? header['kid'] : '';
    // The verified bytes are the ones that were read.
    if ((await keys.verify(text, algorithm, id)) !== payload) throw new Error('oidc: malformed jwt');
    return claims;
  }

  #checkClaims(claims: JsonObject, issuer: string): void {
    const { audiences } = this.#jwt.config.issuer;
    if (issuerOf(claims) !== issuer)
      throw new Error(
        `oidc: id token issued by a different provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(claims['iss'] ?? '')}`,
      );
    const stated = claims['aud'];
    const named = typeof stated === 'string' ? [stated] : Array.isArray(stated) ? stated : [];
    if (!named.some((audience) => typeof audience === 'string' && audiences.includes(audience)))
      throw new Error(`oidc: expected audience in ${listOf(audiences)} got ${listOf(named)}`);
    const now = this.#world.clock.now() / 1000;
    const { exp, nbf } = claims;
    if (typeof exp !== 'number' || !(now <= exp))
      throw new Error(`oidc: token is expired (Token Expiry: ${timeOf(exp)})`);
    if (nbf !== undefined && !(typeof nbf === 'number' && now + NOT_BEFORE_LEEWAY >= nbf))
      throw new Error(`oidc: current time ${timeOf(now)} before the nbf (not before) time: ${timeOf(nbf)}`);
  }
}

const NOT_OBSERVED = { fetched: () => {}, discovered: () => {} };

const listOf = (values: readonly JsonValue[]): string => `[${values.map((v) => JSON.stringify(v)).join(' ')}]`;

function timeOf(seconds: JsonValue | undefined): string {
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString();
}
