import { type GroupResourceName, type JsonObject, textAt } from '../api/index.js';

/** One change of an object that an authenticator or authorizer observes. `object` is undefined after its deletion. */
export interface FollowedChange {
  readonly resource: GroupResourceName;
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject | undefined;
  /**
   * Reports whether the text of the stored JSON contains this: cheaper than reading `object`, which is parsed on first
   * use.
   */
  mentions(text: string): boolean;
}

export interface ObjectIdentity {
  readonly uid: string;
  readonly deletedAt: number | undefined;
}

/**
 * The stored objects that decisions depend on. The composition root implements it with the cache. Objects are in their
 * storage version.
 */
export interface AuthObjects {
  get(resource: GroupResourceName, namespace: string, name: string): JsonObject | undefined;
  /** The uid and deletionTimestamp (milliseconds since the epoch) of an object. Parsed values are cached. */
  identity(resource: GroupResourceName, namespace: string, name: string): ObjectIdentity | undefined;
  /**
   * Reports every current object of `resources`, and then each change as soon as this peer applies it, in order and
   * synchronously. Returns the function that stops it.
   */
  follow(resources: readonly GroupResourceName[], changed: (change: FollowedChange) => void): () => void;
  /**
   * Confirms that this peer knows every write acknowledged up to `CURRENCY_MILLISECONDS_MAX` ago. Synchronous
   * (undefined) while a recent confirmation holds. Rejects with an `ApiError` if the peer cannot reach the leader: no
   * decision is based on an old state.
   */
  current(): Promise<void> | undefined;
}

/**
 * The maximum age of the confirmed state behind a decision. A revoked permission ends on every peer within this time.
 */
export const CURRENCY_MILLISECONDS_MAX = 500;

export function identityOf(object: JsonObject): ObjectIdentity {
  const deleted = Date.parse(textAt(object, 'metadata', 'deletionTimestamp'));
  return { uid: textAt(object, 'metadata', 'uid'), deletedAt: Number.isNaN(deleted) ? undefined : deleted };
}
