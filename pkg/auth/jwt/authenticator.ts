import type { JsonObject } from '../../api/index.js';
import type { World } from '../../base/index.js';
import type { Authentication } from '../authn/authenticator.js';
import { readJws } from '../tokens/jws.js';
import { comparedSeconds, integerOf, timeText } from '../tokens/numericdate.js';
import { withAuthenticatedGroup } from '../user.js';
import { ClaimResolver } from './distributed.js';
import { type IdToken, idTokenOf } from './idtoken.js';
import { type IssuerAccess, IssuerKeys, SIGNATURE_INVALID } from './keys.js';
import { userOf } from './mapping.js';
import { discoveryUrlOf, knownIssuer, type Unverified } from './token.js';
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
      const until = Math.min(clock.now() + REMEMBERED, comparedSeconds(readIdToken(token.payload).expiry) * 1000);
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
    const { text, payload, claims } = token;
    // Cheap checks come before the signature: they need no key and no request to the issuer.
    this.#checkClaims(readIdToken(payload), issuer);
    const jws = readJws(text);
    if (typeof jws === 'string') throw new Error(`oidc: malformed jwt: ${jws}`);
    if (jws.extension !== undefined) throw new Error(SIGNATURE_INVALID);
    // The verified bytes are the ones that were read.
    if ((await keys.verify(jws.text, jws.algorithm, jws.keyId)) !== payload) throw new Error('oidc: malformed jwt');
    return claims;
  }

  #checkClaims({ issuer: stated, audiences: named, expiry, notBefore }: IdToken, issuer: string): void {
    const { audiences } = this.#jwt.config.issuer;
    if (knownIssuer(stated) !== issuer)
      throw new Error(
        `oidc: id token issued by a different provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(stated)}`,
      );
    if (!named.some((audience) => audiences.includes(audience)))
      throw new Error(`oidc: expected audience in ${listOf(audiences)} got ${listOf(named)}`);
    const now = this.#world.clock.now() / 1000;
    if (!(now <= comparedSeconds(expiry)))
      throw new Error(`oidc: token is expired (Token Expiry: ${timeText(expiry)})`);
    if (notBefore !== undefined && !(now + NOT_BEFORE_LEEWAY >= comparedSeconds(notBefore)))
      throw new Error(
        `oidc: current time ${timeText(integerOf(now))} before the nbf (not before) time: ${timeText(notBefore)}`,
      );
  }
}

function readIdToken(payload: string): IdToken {
  try {
    return idTokenOf(payload);
  } catch (error) {
    throw new Error(`oidc: failed to unmarshal claims: ${(error as Error).message}`);
  }
}

const NOT_OBSERVED = { fetched: () => {}, discovered: () => {} };

const listOf = (values: readonly string[]): string => `[${values.map((v) => JSON.stringify(v)).join(' ')}]`;
