import type { World } from '../../base/index.js';
import { type Authentication, type TokenAuthenticator, tokenChain } from '../authn/authenticator.js';
import { JwtAuthenticator, type JwtObserver } from './authenticator.js';
import type { IssuerConfig } from './config.js';
import type { Fetch } from './keys.js';
import type { CompiledJwt } from './validate.js';

export interface JwtSetParts {
  /** Creates the function that fetches from an issuer, with its certificate authority and egress. */
  readonly fetchOf: (issuer: IssuerConfig) => Fetch;
  readonly algorithms: readonly string[];
  readonly world: World;
  readonly observer: JwtObserver;
}

/** The JWT authenticators in use. The set is replaced as a whole when the configuration changes. */
export class JwtSet implements TokenAuthenticator {
  readonly #parts: JwtSetParts;
  #members: readonly JwtAuthenticator[] = [];
  #chain: TokenAuthenticator = tokenChain([]);

  constructor(parts: JwtSetParts) {
    this.#parts = parts;
  }

  /**
   * Uses these authenticators from now on. They become active when each has tried to reach its issuer, so that a reload
   * does not reject tokens that were valid before. The previous authenticators then end.
   */
  async use(compiled: readonly CompiledJwt[]): Promise<void> {
    const { fetchOf, algorithms, world, observer } = this.#parts;
    const next = compiled.map(
      (jwt) => new JwtAuthenticator({ jwt, algorithms, fetch: fetchOf(jwt.config.issuer), world, observer }),
    );
    if (this.#members.length > 0) await Promise.all(next.map((one) => one.attempted));
    this.close();
    this.#members = next;
    this.#chain = tokenChain(next);
  }

  authenticateToken(token: string): Authentication | Promise<Authentication> {
    return this.#chain.authenticateToken(token);
  }

  close(): void {
    for (const one of this.#members) one.close();
  }
}
