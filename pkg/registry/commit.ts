import { errors, type JsonObject } from '../api/index.js';
import { type Revision, revision } from '../base/index.js';
import { NotServed, type StoredObject } from '../cache/index.js';
import type { StoredForm } from '../codec/index.js';
import { type Compare, type KeyValue, type Op, prefixEnd } from '../storage/index.js';
import { inServedVersion } from './conversion.js';
import { type Core, collectionOf, refusal } from './core.js';
import { limits } from './limits.js';
import type { Answer } from './requests.js';
import type { Reader } from './resource.js';
import type { ServedResource } from './servedresources.js';

/** Commits transactions and builds the responses of writes. */

export type Committed =
  | { readonly kind: 'committed'; readonly revision: Revision }
  /** A comparison failed; the cache has the state that caused the failure. */
  | { readonly kind: 'conflict'; readonly key: string };

export async function commit(core: Core, compares: readonly Compare[], ops: readonly Op[]): Promise<Committed> {
  const result = await core.keyspace.txn({ compares, ops });
  switch (result.kind) {
    case 'committed':
      return result;
    case 'conflict':
      await seen(core, result.revision);
      return result;
    case 'refused':
      throw refusal(result.reason, result.message);
    case 'unknown':
      throw errors.timeout(`the outcome of the request is unknown: ${result.message}`);
  }
}

/** Waits until the cache has the state that caused the failed comparison, so that a retry does not use the old one. */
async function seen(core: Core, revision: Revision): Promise<void> {
  try {
    await core.cache.waitFor(revision, core.world.clock.monotonic() + limits.freshnessWait);
  } catch (e) {
    if (!(e instanceof NotServed)) throw e;
  }
}

export function putOp(core: Core, resource: ServedResource, key: string, value: Buffer): Op {
  const ttlSeconds = resource.strategy.storage?.ttlSeconds;
  return ttlSeconds === undefined
    ? { kind: 'put', key, value }
    : { kind: 'put', key, value, expiresAt: core.world.clock.now() + ttlSeconds * 1000 };
}

/**
 * Lets the cache use the object when its bytes are committed, so that it does not parse them. The object must not change any more if that
 * happens. Returns the function to call when the outcome is known.
 */
export function writing(core: Core, key: string, { bytes, isExact }: StoredForm, object: JsonObject): () => void {
  return isExact ? core.cache.ownWrites.begin(key, bytes, object) : nothing;
}

const nothing = (): void => {};

/** Returns the written object from the cache, or decodes the written bytes if the cache has a newer one. */
export function writtenAnswer(
  core: Core,
  resource: ServedResource,
  put: { readonly key: string; readonly value: Buffer; readonly at: Revision; readonly createRevision: Revision },
): Extract<Answer, { kind: 'stored' }> {
  const collection = collectionOf(core, resource);
  const current = collection.get(put.key);
  if (current?.revision === put.at) return { kind: 'stored', stored: current };
  const { key, value, createRevision } = put;
  return { kind: 'stored', stored: collection.restore({ key, value, modRevision: put.at, createRevision }) };
}

/** Returns an object in the storage version that is not stored (dry runs), in the version of the request. */
export function valueAnswer(resource: ServedResource, object: JsonObject): Answer {
  // With a remote converter, the conversion is the last step of the request and may take time.
  const value = resource.declaration.remote === undefined ? inServedVersion(resource, object) : object;
  return { kind: 'value', value };
}

/** Reports whether an encoded object equals the stored one, except for the resourceVersion. */
export function isUnchanged(stored: StoredObject, value: Buffer): boolean {
  // Writing the same object moves it to the current storage version.
  if (stored.stale) return false;
  const version = `"resourceVersion":"${stored.revision}",`;
  if (stored.length !== value.length + version.length) return false;
  const json = stored.json;
  const at = json.indexOf(version);
  return json.compare(value, 0, at, 0, at) === 0 && json.compare(value, at, value.length, at + version.length) === 0;
}

async function range(core: Core, prefix: string): Promise<readonly KeyValue[]> {
  const read = await core.keyspace.range({ start: prefix, end: prefixEnd(prefix) });
  if (read.kind !== 'ok') throw errors.internal(`cannot read ${prefix}`);
  return read.items;
}

/** Consistent reads of keys other than objects, for allocation. */
export function readerOf(core: Core): Reader {
  return {
    get: async (key) => {
      const read = await core.keyspace.range({ start: key, end: `${key}\u0000` });
      if (read.kind !== 'ok') throw errors.internal(`cannot read ${key}`);
      const kv = read.items[0];
      return kv === undefined ? undefined : { revision: revision(kv.modRevision), value: kv.value };
    },
    keys: async (prefix) => (await range(core, prefix)).map((kv) => kv.key),
    values: async (prefix) => (await range(core, prefix)).map((kv) => kv.value),
  };
}
