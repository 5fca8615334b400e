import * as crypto from 'node:crypto';
import { createHash } from 'node:crypto';
import type { TokenRequest } from './authenticator.js';

/** Longer tokens are not kept with their connection. */
const KEPT_LENGTH_MAX = 4096;

/** A token and its digest. */
export interface DigestedToken {
  readonly token: string;
  readonly digest: string;
}

/**
 * Returns the SHA-256 of a token in base64. Tokens are looked up by it, so that the time of a lookup reveals nothing about them. The
 * connection of the request keeps the digest of its last token: clients send the same token with every request, and its comparison
 * reveals nothing to a client that does not know it.
 */
export function tokenDigest(token: string, request?: TokenRequest): string {
  const connection = request?.connection;
  const last = connection?.digested;
  if (last !== undefined && last.token === token) return last.digest;
  const digest = sha256(token);
  if (connection !== undefined && token.length <= KEPT_LENGTH_MAX) connection.digested = { token, digest };
  return digest;
}

/** One call where Node.js has it (20.12): it costs half of a hash object. */
const sha256: (text: string) => string =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'base64')
    : (text) => createHash('sha256').update(text).digest('base64');
