import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';

const WELL_KNOWN = '/.well-known/openid-configuration';

/** Returns the URL of an issuer's discovery document (OpenID Connect Discovery 1.0, section 4). */
export function discoveryUrlOf(issuer: string): string {
  return (issuer.endsWith('/') ? issuer.slice(0, -1) : issuer) + WELL_KNOWN;
}

/** Returns the issuer in a token, without verification; undefined if the text is not a JWT. */
export function unverifiedIssuer(token: string): string | undefined {
  const claims = partOf(token, 1);
  return claims === undefined ? undefined : issuerOf(claims);
}

/** Google uses two issuer names (OpenID Connect Core 1.0, section 15.6.2). */
export function issuerOf({ iss }: JsonObject): string | undefined {
  return iss === 'accounts.google.com' ? 'https://accounts.google.com' : typeof iss === 'string' ? iss : undefined;
}

/**
 * Returns the header (0) or the claims (1) of a JWT in compact form, without verification; undefined if the text is not
 * a JWT.
 */
export function partOf(token: string, i: 0 | 1): JsonObject | undefined {
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const value = parseJson(Buffer.from(parts[i]!, 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
}

/** The value of a JSON text, or undefined. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
