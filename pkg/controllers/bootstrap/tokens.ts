import { type JsonObject, parseTime, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';

/** Bootstrap tokens: Secrets in kube-system by which new nodes join a cluster. */

export const NAMESPACE = 'kube-system';
const TYPE = 'bootstrap.kubernetes.io/token';
const NAME_PREFIX = 'bootstrap-token-';

export const isTokenName = ({ namespace, name }: Pick<StoredObject, 'namespace' | 'name'>): boolean =>
  namespace === NAMESPACE && name.startsWith(NAME_PREFIX);

export const isToken = (secret: JsonObject): boolean => textAt(secret, 'type') === TYPE;

/** A field of a Secret as text; '' if it is absent. */
export const fieldOf = (secret: JsonObject, field: string): string =>
  Buffer.from(textAt(secret, 'data', field), 'base64').toString();

/** When a token ends, in milliseconds; infinite without an expiration, and the past with one that is not RFC 3339. */
export function endOf(secret: JsonObject): number {
  const text = fieldOf(secret, 'expiration');
  if (text === '') return Number.POSITIVE_INFINITY;
  return parseTime(text) ?? 0;
}

/** Tokens that sign have an id that agrees with their name, a secret, and the permission. */
export function signingTokenOf(secret: JsonObject, now: number): { id: string; secret: string } | undefined {
  const id = fieldOf(secret, 'token-id');
  const value = fieldOf(secret, 'token-secret');
  const fits = isToken(secret) && id !== '' && value !== '' && textAt(secret, 'metadata', 'name') === NAME_PREFIX + id;
  if (!fits || endOf(secret) <= now || fieldOf(secret, 'usage-bootstrap-signing') !== 'true') return undefined;
  return { id, secret: value };
}
