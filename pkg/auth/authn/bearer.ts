import type { Headers } from '../impersonate.js';
import { ANONYMOUS } from '../user.js';
import {
  type Authentication,
  type Authenticator,
  type Credentials,
  NONE,
  type TokenAuthenticator,
  type TokenRequest,
} from './authenticator.js';

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Longer tokens are refused without being read. The listener limits header lines before that. */
const TOKEN_LENGTH_MAX = 128 * 1024;

/**
 * Reads the bearer token of a request (RFC 6750, section 2.1). A header of another scheme, or without a token, counts
 * as no credentials. A token that no authenticator recognises is a failure, even if anonymous requests are allowed.
 */
export function bearerAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticate(credentials) {
      const { headers } = credentials;
      const text = headers['authorization'];
      const token = typeof text === 'string' ? bearerToken(text, credentials) : '';
      return token === '' ? NONE : authenticateToken(tokens, token, undefined, credentials);
    },
  };
}

/** The start of a WebSocket subprotocol that is a token. */
export const WEBSOCKET_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/**
 * Reads the bearer token that a browser passes as a WebSocket subprotocol, because it cannot set headers:
 * `base64url.bearer.authorization.k8s.io.<token in unpadded base64url>`.
 */
export function webSocketAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticate(credentials) {
      const { headers } = credentials;
      if (headers['sec-websocket-protocol'] === undefined || !isUpgrade(headers)) return NONE;
      let encoded = '';
      let others = 0;
      for (const protocol of credentials.lines('sec-websocket-protocol').flatMap((line) => line.split(','))) {
        const text = protocol.trim();
        if (!text.startsWith(WEBSOCKET_PREFIX)) others++;
        else if (encoded !== '') return { kind: 'failed', reason: 'multiple base64.bearer.authorization tokens' };
        else encoded = text.slice(WEBSOCKET_PREFIX.length);
      }
      if (encoded === '') return NONE;
      if (!/^[\w-]+$/.test(encoded)) return { kind: 'failed', reason: 'invalid base64.bearer.authorization token' };
      if (others === 0) return { kind: 'failed', reason: 'missing additional subprotocol' };
      return authenticateToken(tokens, Buffer.from(encoded, 'base64url').toString('utf8'), undefined, credentials);
    },
  };
}

const isUpgrade = (headers: Headers): boolean =>
  String(headers['upgrade'] ?? '')
    .toLowerCase()
    .includes('websocket');

function bearerToken(header: string, credentials: Pick<Credentials, 'warn'>): string {
  // Nearly every header has this form.
  if (header.startsWith('Bearer ')) {
    const rest = header.slice('Bearer '.length);
    if (rest !== '' && !/\s/.test(rest)) return rest;
  }
  const [scheme = '', token, ...further] = header.trim().split(' ');
  if (scheme.toLowerCase() !== 'bearer' || token === undefined) return '';
  if (token === '' && further.length > 0) credentials.warn(EXTRA_SPACE);
  return token;
}

const INVALID: Authentication = { kind: 'failed', reason: 'invalid bearer token' };

function authenticateToken(
  tokens: TokenAuthenticator,
  token: string,
  audiences?: readonly string[],
  request?: TokenRequest,
): Authentication | Promise<Authentication> {
  if (token.length > TOKEN_LENGTH_MAX) return INVALID;
  const found = tokens.authenticateToken(token, audiences, request);
  return found instanceof Promise ? found.then(orInvalid) : orInvalid(found);
}

function orInvalid(found: Authentication): Authentication {
  if (found.kind === 'authenticated') return found;
  return found.kind === 'none' ? INVALID : { kind: 'failed', reason: `[invalid bearer token, ${found.reason}]` };
}

/**
 * Authenticates a token for TokenReview, which treats it like a request header. A token that counts as absent in a
 * header (it begins with a space) is an anonymous request, if those are allowed.
 */
export async function reviewToken(
  tokens: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
  anonymous: boolean,
): Promise<Authentication> {
  const found = bearerToken(`Bearer ${token}`, { warn: () => {} });
  if (found === '') return anonymous ? { kind: 'authenticated', user: ANONYMOUS, audiences } : NONE;
  return authenticateToken(tokens, found, audiences);
}

/** Tokens without audiences are valid for those of the API server. */
export function forAudiences(own: readonly string[], tokens: TokenAuthenticator): TokenAuthenticator {
  return {
    authenticateToken(token, audiences = own, request) {
      const common = audiences === own ? own : audiences.filter((audience) => own.includes(audience));
      if (common.length === 0) return NONE;
      const within = (found: Authentication): Authentication =>
        found.kind === 'authenticated' ? { kind: found.kind, user: found.user, audiences: common } : found;
      const found = tokens.authenticateToken(token, undefined, request);
      return found instanceof Promise ? found.then(within) : within(found);
    },
  };
}
