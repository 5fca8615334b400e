import type { World } from '../../base/index.js';
import { type Authentication, NONE, type TokenAuthenticator, type TokenRequest } from '../authn/authenticator.js';
import { tokenDigest } from '../authn/digest.js';
import { JwtAuthenticator, type JwtObserver } from './authenticator.js';
import type { IssuerConfig } from './config.js';
import type { Fetch, IssuerAccess } from './keys.js';
import { unverified } from './token.js';
import type { CompiledJwt } from './validate.js';

export interface JwtSetParts extends Omit<IssuerAccess, 'fetch'> {
  /** Creates the function that fetches from an issuer, with its certificate authority and egress. */
  readonly fetchOf: (issuer: IssuerConfig) => Fetch;
  readonly algorithms: readonly string[];
  readonly world: World;
  readonly observer: JwtObserver;
}

/** Milliseconds in which all issuers of a new configuration must be discovered. */
const DISCOVERY_PATIENCE = 60_000;

/** The JWT authenticators in use. The set is replaced as a whole when the configuration changes. */
export class JwtSet implements TokenAuthenticator {
  readonly #parts: JwtSetParts;
  /** By issuer: the name of an issuer is unique. */
  #members: ReadonlyMap<string, JwtAuthenticator> = new Map();

  constructor(parts: JwtSetParts) {
    this.#parts = parts;
  }

  /** Uses these authenticators from now on; each becomes active when its issuer is discovered. */
  use(compiled: readonly CompiledJwt[]): void {
    this.#replace(this.#made(compiled));
  }

  /**
   * Uses these authenticators when all their issuers are discovered, so that a reload does not reject tokens that were valid before. Throws
   * an Error with the reasons if that takes too long; the previous ones then stay.
   */
  async change(compiled: readonly CompiledJwt[]): Promise<void> {
    const next = this.#made(compiled);
    const { timers } = this.#parts.world;
    let cancel: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = timers.after(DISCOVERY_PATIENCE, resolve);
    });
    await Promise.race([late, Promise.all(next.map((one) => one.discovered))]);
    cancel();
    const problems = next.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    if (problems.length === 0) {
      this.#replace(next);
      return;
    }
    for (const one of next) one.close();
    throw new Error(`[${problems.join(', ')}, context deadline exceeded]`);
  }

  #made(compiled: readonly CompiledJwt[]): readonly JwtAuthenticator[] {
    const { fetchOf, algorithms, world, observer, readJson, pace } = this.#parts;
    return compiled.map((jwt) => {
      const access = { fetch: fetchOf(jwt.config.issuer), readJson, pace };
      return new JwtAuthenticator({ jwt, algorithms, access, world, observer });
    });
  }

  #replace(next: readonly JwtAuthenticator[]): void {
    this.close();
    this.#members = new Map(next.map((one) => [one.issuer, one]));
  }

  authenticateToken(
    token: string,
    _audiences?: readonly string[],
    request?: TokenRequest,
  ): Authentication | Promise<Authentication> {
    if (this.#members.size === 0) return NONE;
    const digest = tokenDigest(token, request);
    for (const one of this.#members.values()) {
      const known = one.known(digest);
      if (known !== undefined) return known;
    }
    const read = unverified(token);
    const member = read === undefined ? undefined : this.#members.get(read.issuer);
    return member === undefined ? NONE : member.verify(read!, digest);
  }

  close(): void {
    for (const one of this.#members.values()) one.close();
  }
}
