import type { Headers } from '../impersonate.js';
import { type UserInfo, withAuthenticatedGroup } from '../user.js';
import type { ClientCertificate } from './certificate.js';
import type { DigestedToken } from './digest.js';

/** The request in which a token is used. */
export interface TokenRequest {
  readonly connection: CredentialConnection;
  /** Adds a `Warning: 299` header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event, before it is known whether there will be one. */
  annotateCredential(key: string, value: string): void;
}

/** The credentials of a request. */
export interface Credentials extends TokenRequest {
  readonly headers: Headers;
  /** Returns the values of a header that may occur in several lines, one for each line. */
  lines(name: string): readonly string[];
  /** The decoded path, for anonymous access by path. */
  readonly path: string;
}

/** The connection of a request. Authenticators cache on it the result of checking its certificate. */
export interface CredentialConnection {
  certificate(): ClientCertificate | undefined;
  /** Set by the certificate and request header authenticators; undefined until the certificate was first checked. */
  identity: unknown;
  /** The last bearer token, for `tokenDigest`. */
  digested: DigestedToken | undefined;
}

export type Authentication =
  | Authenticated
  /** The request has no credentials that this authenticator reads. */
  | { readonly kind: 'none' }
  /** The request has credentials of this kind, and they are not valid. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface Authenticated {
  readonly kind: 'authenticated';
  readonly user: UserInfo;
  /** Audiences for which the credential is valid, if it names any: those of the API server for which it was issued. */
  readonly audiences?: readonly string[];
}

/** Authenticates a request. Synchronous if the result is in memory. */
export interface Authenticator {
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>;
}

/**
 * Authenticates a bearer token. `audiences` are the requested ones (TokenReview); by default those of the API server.
 * `request` gets the warnings and annotations of this use.
 */
export interface TokenAuthenticator {
  authenticateToken(
    token: string,
    audiences?: readonly string[],
    request?: TokenRequest,
  ): Authentication | Promise<Authentication>;
}

export const NONE: Authentication = { kind: 'none' };

/**
 * Calls each authenticator in order. The first that recognises the user decides; the user then becomes a member of
 * `system:authenticated`. Failed credentials do not stop the chain, but the result is a failure if no authenticator recognises the user.
 */
export function authenticatorChain(chain: readonly Authenticator[]): Authenticator {
  return { authenticate: (credentials) => firstOf(chain, (a) => a.authenticate(credentials), 0, undefined) };
}

/** The same for bearer tokens. A token that no authenticator recognises gives `none`. */
export function tokenChain(chain: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    authenticateToken: (token, audiences, request) =>
      firstOf(chain, (a) => a.authenticateToken(token, audiences, request), 0, undefined),
  };
}

function firstOf<T>(
  chain: readonly T[],
  ask: (one: T) => Authentication | Promise<Authentication>,
  start: number,
  failure: string | undefined,
): Authentication | Promise<Authentication> {
  for (let i = start; i < chain.length; i++) {
    const found = ask(chain[i]!);
    if (found instanceof Promise) {
      const before = failure;
      return found.then((f) =>
        f.kind === 'authenticated' ? recognised(f) : firstOf(chain, ask, i + 1, worst(before, f)),
      );
    }
    if (found.kind === 'authenticated') return recognised(found);
    failure = worst(failure, found);
  }
  return failure === undefined ? NONE : { kind: 'failed', reason: failure };
}

const worst = (before: string | undefined, found: Authentication): string | undefined =>
  found.kind === 'failed' ? (before === undefined ? found.reason : `${before}; ${found.reason}`) : before;

function recognised(found: Authenticated): Authenticated {
  const user = withAuthenticatedGroup(found.user);
  return user === found.user ? found : { ...found, user };
}
