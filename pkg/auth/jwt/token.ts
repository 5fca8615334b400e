import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';

const WELL_KNOWN = '/.well-known/openid-configuration';

/** Returns the URL of an issuer's discovery document (OpenID Connect Discovery 1.0, section 4). */
export function discoveryUrlOf(issuer: string): string {
  return (issuer.endsWith('/') ? issuer.slice(0, -1) : issuer) + WELL_KNOWN;
}

/** The header and the claims of a JWT in compact form, without verification. */
export interface Unverified {
  readonly text: string;
  /** The JSON of the claims. */
  readonly payload: string;
  readonly header: JsonObject | undefined;
  readonly claims: JsonObject;
}

/** Google uses two issuer names (OpenID Connect Core 1.0, section 15.6.2). */
export function issuerOf({ iss }: JsonObject): string | undefined {
  return iss === 'accounts.google.com' ? 'https://accounts.google.com' : typeof iss === 'string' ? iss : undefined;
}

/** Reads a token that a client sent. Returns undefined if its claims cannot be read. */
export function unverified(text: string): Unverified | undefined {
  const parts = partsOf(text);
  const claims = parts === undefined ? undefined : parseJson(parts[1]);
  return isObject(claims) ? { text, payload: parts![1], header: objectOf(parseJson(parts![0])), claims } : undefined;
}

/** Reads a token of any size, in steps. Returns undefined if its claims cannot be read. */
export async function unverifiedIn(
  text: string,
  readJson: (text: string) => Promise<JsonValue>,
): Promise<Unverified | undefined> {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const [head, payload] = parts;
  const claims = await readJson(payload).catch(() => undefined);
  if (!isObject(claims)) return undefined;
  return { text, payload, header: objectOf(await readJson(head).catch(() => undefined)), claims };
}

function partsOf(token: string): readonly [string, string] | undefined {
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const [header, claims] = parts.map((part) => Buffer.from(part, 'base64url').toString('utf8'));
  return [header!, claims!];
}

const objectOf = (value: JsonValue | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** The value of a JSON text, or undefined. */
function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
