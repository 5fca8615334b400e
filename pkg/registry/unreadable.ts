import { ApiError, errors, type GroupResourceName } from '../api/index.js';
import { NotReadable, type StoredObject, type UnreadableObject } from '../cache/index.js';
import type { Core } from './core.js';

/**
 * Errors for objects whose stored value cannot be decrypted or decoded, with the messages of kube-apiserver, which
 * depend on the kind of request.
 */

const ROOT = '/registry';

const faultOf = ({ fault, problem, revision }: UnreadableObject): string =>
  fault === 'decryption'
    ? `data from the storage is not transformable revision=0: ${problem}`
    : notDecodable(revision, problem);

const notDecodable = (revision: number, why: string): string => `object not decodable revision=${revision}: ${why}`;

const corrupt = (key: string, why: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;

/** The error of a write. kube-apiserver gives no reason for an object that it cannot decode. */
export const unreadableForWrite = (o: UnreadableObject): ApiError =>
  o.fault === 'decryption' ? errors.internal(faultOf(o)) : new ApiError(500, undefined, faultOf(o));

/** The error of a get or a delete. kube-apiserver shows the key without its root here. */
export const unreadableForRead = (o: UnreadableObject): ApiError =>
  errors.internal(corrupt(o.key.slice(ROOT.length), faultOf(o)));

/**
 * Refuses a read of the store, or a deletion, of an object that is in the cache and that the store can no longer decrypt. kube-apiserver
 * serves lists from its cache meanwhile, and updates save the object.
 */
export function refuseLost({ cache }: Pick<Core, 'cache'>, stored: StoredObject): void {
  const lost = cache.lost.of(stored);
  if (lost !== undefined) throw unreadableForRead(lost);
}

/** The error of a get or a delete of an object that can be decrypted but not parsed. */
export const undecodable = (key: string, revision: number, why: string): ApiError =>
  errors.internal(corrupt(key.slice(ROOT.length), notDecodable(revision, why)));

/** Objects named in one error. */
const CAUSES_MAX = 100;

/** The error of a list or a watch: one cause for each object. */
export function unreadableList({ group, resource }: GroupResourceName, objects: readonly UnreadableObject[]): ApiError {
  const shown = objects.slice(0, CAUSES_MAX);
  const messages = shown.map((o) => corrupt(o.key, faultOf(o)));
  const name = group === '' ? resource : `${resource}.${group}`;
  const more = objects.length > 1 ? ` (and ${shown.length - 1} more)` : '';
  const causes = shown.map((o, i) => ({
    reason: 'UnexpectedServerResponse',
    message: messages[i]!,
    field: o.key,
  }));
  const truncated = { reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' };
  return errors.storeRead(`failed to read one or more ${name} from the storage: ${messages[0]!}${more}`, {
    name: 'list',
    ...(group === '' ? {} : { group }),
    kind: resource,
    causes: objects.length >= CAUSES_MAX ? [...causes, truncated] : causes,
  });
}

/** Runs a read of history. An object in it that cannot be read is reported as in a list. */
export function readableHistory<T>(gr: GroupResourceName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof NotReadable ? unreadableList(gr, error.objects) : error;
  }
}
