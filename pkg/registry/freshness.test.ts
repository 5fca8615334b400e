import { describe, expect, it } from 'vitest';
import type { ApiError, JsonObject } from '../api/index.js';
import { decodeContinue, encodeContinue } from './continuetoken.js';
import { limits } from './limits.js';
import { metaOf, text } from './meta.js';
import { Bench, drain, refusal } from './testing.js';

/** How recent the result of a read must be, shown on a lagging peer that receives newer state only on request. */

const map = (name: string, k: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { k },
});
const dataOf = (list: JsonObject & { readonly items: readonly JsonObject[] }): JsonObject[] =>
  list.items.map((o) => o['data'] as JsonObject);

const STREAMING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };

/** Returns the versions of the two config maps in `default` that a read sees, in order. */
type Read = (b: Bench, resourceVersion: string) => Promise<readonly JsonObject[]>;

const get: Read = async (b, version) => [
  (await b.get('configmaps', 'default', 'a', version))['data'] as JsonObject,
  (await b.get('configmaps', 'default', 'b', version))['data'] as JsonObject,
];
const list: Read = async (b, resourceVersion) => dataOf(await b.list('configmaps', 'default', { resourceVersion }));
const watch: Read = async (b, resourceVersion) => {
  const stream = await b.watch('configmaps', 'default', { ...STREAMING, resourceVersion });
  return drain(stream).map((e) => e.object['data'] as JsonObject);
};

const OLD = [{ k: 'old' }, { k: 'old' }];
const NEW = [{ k: 'new' }, { k: 'new' }];

/** Two config maps, a peer that knows only their first state, and the version of the second state. */
async function behindTwoMaps(): Promise<{ readonly b: Bench; readonly behind: Bench; readonly newest: string }> {
  const b = await Bench.open();
  for (const name of ['a', 'b']) await b.create('configmaps', 'default', map(name, 'old'));
  const behind = await b.lagging();
  await b.update('configmaps', 'default', map('a', 'new'));
  const last = await b.update('configmaps', 'default', map('b', 'new'));
  return { b, behind, newest: text(metaOf(last), 'resourceVersion') };
}

/** Returns the state of the promise after all pending callbacks have run. */
async function soFar<T>(pending: Promise<T>): Promise<T | 'waits'> {
  for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
  return Promise.race([pending, Promise.resolve('waits' as const)]);
}

describe('a read on a peer that lags', () => {
  it.each([
    ['a get', get],
    ['a list', list],
    ['a streaming list', watch],
  ])('is consistent without a version: %s', async (_name, read) => {
    const { behind } = await behindTwoMaps();
    expect(await read(behind, '')).toEqual(NEW);
  });

  it.each([
    ['a get', get],
    ['a list', list],
    ['a streaming list', watch],
  ])('returns the current state without waiting at version 0: %s', async (_name, read) => {
    const { behind } = await behindTwoMaps();
    expect(await read(behind, '0')).toEqual(OLD);
  });

  it.each([
    ['a get', get],
    ['a list', list],
    ['a streaming list', watch],
  ])('waits for its version, and returns no older state: %s', async (_name, read) => {
    const { behind, newest } = await behindTwoMaps();
    const pending = read(behind, newest);
    expect(await soFar(pending)).toBe('waits');
    await behind.keyspace.readIndex();
    expect(await pending).toEqual(NEW);
  });

  it.each([
    ['a get', get],
    ['a list', list],
  ])('times out if that version does not arrive: %s', async (_name, read) => {
    const { behind, newest } = await behindTwoMaps();
    const refused = refusal(read(behind, newest));
    await soFar(refused);
    behind.world.advance(limits.freshnessWait);
    expect(await refused).toMatch(/^504 Timeout: Too large resource version: /);
  });

  it('tells the client to retry, except a list of one object at exactly that version', async () => {
    const { behind, newest } = await behindTwoMaps();
    const exactly = { resourceVersion: newest, resourceVersionMatch: 'Exact' };
    const pending = [
      behind.list('configmaps', 'default', exactly),
      behind.list('configmaps', 'default', { ...exactly, fieldSelector: 'metadata.name=a' }),
      behind.list('configmaps', '', { ...exactly, fieldSelector: 'metadata.name=a' }),
      behind.list('configmaps', 'default', { resourceVersion: newest, fieldSelector: 'metadata.name=a' }),
    ].map((list) => list.catch((e: ApiError) => e.status.details?.retryAfterSeconds));
    await Promise.all(pending.map(soFar));
    behind.world.advance(limits.freshnessWait);
    expect(await Promise.all(pending)).toEqual([1, undefined, 1, 1]);
  });

  it('begins a streaming list that fails if that version does not arrive', async () => {
    const { behind, newest } = await behindTwoMaps();
    const pending = behind.watch('configmaps', 'default', {
      resourceVersion: newest,
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
    });
    await soFar(pending);
    behind.world.advance(limits.freshnessWait);
    const stream = await pending;
    const { payload, error } = stream.take(1)!;
    const event = JSON.parse(payload.toString()) as { type: string; object: { code: number } };
    expect([event.type, event.object.code, error, stream.take(1), stream.ended]).toEqual([
      'ERROR',
      504,
      true,
      undefined,
      true,
    ]);
  });

  it('tells the client of a streaming list to retry, as kube-apiserver does for kinds that it does not cache, too', async () => {
    const { behind, newest } = await behindTwoMaps();
    const from = { resourceVersion: newest, resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true };
    const pending = ['configmaps', 'events'].map((resource) => behind.watch(resource, 'default', from));
    await Promise.all(pending.map(soFar));
    behind.world.advance(limits.freshnessWait);
    const failures = (await Promise.all(pending)).map((stream) => JSON.parse(stream.take(1)!.payload.toString()));
    expect(failures.map((f) => f.object.details.retryAfterSeconds)).toEqual([1, 1]);
  });

  it('waits for the state of the first page, which another peer sent', async () => {
    const { b, behind } = await behindTwoMaps();
    const token = text(metaOf(await b.list('configmaps', 'default', { limit: 1 })), 'continue');
    const pending = behind.list('configmaps', 'default', { limit: 1, continue: token }).then(dataOf);
    expect(await soFar(pending)).toBe('waits');
    await behind.keyspace.readIndex();
    expect(await pending).toEqual([{ k: 'new' }]);
  });

  it('continues with the newest state if that of the first page was compacted', async () => {
    const { b, behind } = await behindTwoMaps();
    const token = text(metaOf(await b.list('configmaps', 'default', { limit: 1 })), 'continue');
    await b.update('configmaps', 'default', map('b', 'newer'));
    const inconsistent = encodeContinue({ revision: undefined, start: decodeContinue(token).start });
    expect(dataOf(await behind.list('configmaps', 'default', { limit: 1, continue: inconsistent }))).toEqual([
      { k: 'newer' },
    ]);
  });
});
