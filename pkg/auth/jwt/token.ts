import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import { payloadOf } from '../tokens/jws.js';
import { statedIssuer } from '../tokens/members.js';

const WELL_KNOWN = '/.well-known/openid-configuration';

/** Returns the URL of an issuer's discovery document (OpenID Connect Discovery 1.0, section 4). */
export function discoveryUrlOf(issuer: string): string {
  return (issuer.endsWith('/') ? issuer.slice(0, -1) : issuer) + WELL_KNOWN;
}

/** A JWT in compact form, without verification of its signature. */
export interface Unverified {
  readonly text: string;
  /** The JSON of the claims. */
  readonly payload: string;
  /** The issuer that it states. */
  readonly issuer: string;
  readonly claims: JsonObject;
}

/** Google uses two issuer names (OpenID Connect Core 1.0, section 15.6.2). */
export const knownIssuer = (issuer: string): string =>
  issuer === 'accounts.google.com' ? 'https://accounts.google.com' : issuer;

/** Reads a token that a client sent. Returns undefined if its claims cannot be read. */
export function unverified(text: string): Unverified | undefined {
  const payload = payloadOf(text);
  const issuer = payload === undefined ? undefined : statedIssuer(payload);
  if (payload === undefined || issuer === undefined) return undefined;
  return { text, payload, issuer: knownIssuer(issuer), claims: JSON.parse(payload) as JsonObject };
}

/** Reads a token of any size, in steps. Returns undefined if its claims cannot be read. */
export async function unverifiedIn(
  text: string,
  readJson: (text: string) => Promise<JsonValue>,
): Promise<Unverified | undefined> {
  const payload = payloadOf(text);
  const claims = payload === undefined ? undefined : await readJson(payload).catch(() => undefined);
  if (payload === undefined || !isObject(claims)) return undefined;
  const { iss } = claims;
  return { text, payload, issuer: typeof iss === 'string' ? knownIssuer(iss) : '', claims };
}
