import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../api/index.js';
import { configuration, keyed, open } from '../encryption/testing/keyspaces.js';
import { compile } from './custom/compile.js';
import { Bench, refusal } from './testing.js';

const KEY = '/registry/configmaps/default/';

async function put(b: Bench, key: string, value: JsonObject | string): Promise<void> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  await b.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.from(text) }] });
}

async function failure(request: Promise<unknown>): Promise<JsonObject> {
  const error = await request.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof ApiError)) throw new Error('expected an error');
  return error.status as unknown as JsonObject;
}

const corrupt = (key: string, revision: number, why: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=${revision}: ${why}`;

const END = "couldn't get version/kind; json parse error: unexpected end of JSON input";
const VERSION = 'no kind "ConfigMap" is registered for version "v7" in scheme "pkg/runtime/scheme.go:111"';

/** A namespace with a readable object `a` and two that cannot be decoded, `b` and `c`. */
async function withBroken(): Promise<{ b: Bench; broken: readonly [string, string] }> {
  const b = await Bench.open();
  await b.create('configmaps', 'default', { metadata: { name: 'a' } });
  await put(b, `${KEY}b`, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"');
  const first = b.registry.cache.applied;
  await put(b, `${KEY}c`, { apiVersion: 'v7', kind: 'ConfigMap', metadata: { name: 'c' } });
  return {
    b,
    broken: [corrupt(`${KEY}b`, first, END), corrupt(`${KEY}c`, b.registry.cache.applied, VERSION)],
  };
}

describe('objects that cannot be decoded', () => {
  it('fail the lists and watches that contain them, with one cause each', async () => {
    const { b, broken } = await withBroken();
    const causes = broken.map((message, i) => ({
      reason: 'UnexpectedServerResponse',
      message,
      field: `${KEY}${'bc'[i]}`,
    }));
    const expected = {
      code: 500,
      reason: 'StorageReadError',
      message: `failed to read one or more configmaps from the storage: ${broken[0]} (and 1 more)`,
      details: { name: 'list', kind: 'configmaps', causes },
    };
    expect(await failure(b.list('configmaps', 'default'))).toMatchObject(expected);
    expect(await failure(b.list('configmaps', ''))).toMatchObject(expected);
    expect(await failure(b.watch('configmaps', 'default'))).toMatchObject(expected);
    expect((await b.list('configmaps', 'kube-system')).items).toEqual([]);
  });

  it('fail requests for themselves only', async () => {
    const { b, broken } = await withBroken();
    const message = `Internal error occurred: ${broken[0].replace('/registry', '')}`;
    expect(await refusal(b.get('configmaps', 'default', 'b'))).toBe(`500 ${message}`);
    expect(await refusal(b.delete('configmaps', 'default', 'b'))).toBe(`500 ${message}`);
    const write = await failure(b.update('configmaps', 'default', { metadata: { name: 'b' } }));
    expect(write).toMatchObject({ code: 500, message: broken[0].split('AdditionalErrorMsg: ')[1] });
    expect(write).not.toHaveProperty('reason');
    expect(await refusal(b.create('configmaps', 'default', { metadata: { name: 'b' } }))).toMatch(/^409 /);
    expect(await b.get('configmaps', 'default', 'a')).toMatchObject({ metadata: { name: 'a' } });
  });

  it('are found at the start of a server, and are gone when they are removed', async () => {
    const { b } = await withBroken();
    const again = await b.reopen();
    expect(await refusal(again.list('configmaps', 'default'))).toMatch(/^500 failed to read one or more configmaps/);
    for (const name of ['b', 'c']) await again.delete('configmaps', 'default', name, { ignoreStoreReadError: true });
    expect((await again.list('configmaps', 'default')).items).toHaveLength(1);
  });

  it('include objects of a definition in a version that it no longer has', async () => {
    const b = await Bench.open();
    const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };
    const served = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const kind = compile({ group: 'x.example', scope: 'Namespaced', names, versions: served }, names);
    await put(b, '/registry/x.example/as/default/a', {
      apiVersion: 'x.example/v0',
      kind: 'A',
      metadata: { name: 'a' },
    });
    const at = b.registry.cache.applied;
    await b.registry.changeKinds({ set: [kind] });
    const why = 'request to convert CR from an invalid group/version: x.example/v0';
    expect(await refusal(b.list('as.x.example/v1', 'default'))).toBe(
      `500 failed to read one or more as.x.example from the storage: ${corrupt('/registry/x.example/as/default/a', at, why)}`,
    );
  });
});

describe('objects whose key was removed while the server runs', () => {
  const keys = (name: string): string => configuration([[['configmaps'], [keyed('aesgcm', [name, name])]]]);

  async function withLost(): Promise<Bench> {
    const own = await open(keys('old'), { reload: true });
    const b = await (await Bench.open()).over(own.encryption.keyspace);
    await b.create('namespaces', '', { metadata: { name: 'default' } });
    for (const name of ['a', 'b']) await b.create('configmaps', 'default', { metadata: { name } });
    own.file = keys('new');
    await own.encryption.reload();
    await b.registry.cache.readAgain();
    return b;
  }

  const lost =
    /^500 Internal error occurred: StorageError: corrupt object, Code: 7, Key: \/configmaps\/default\/a, .* no matching key was found/;

  it('fail reads of the store and deletions, and are served from memory, as in kube-apiserver', async () => {
    const b = await withLost();
    expect(await refusal(b.get('configmaps', 'default', 'a'))).toMatch(lost);
    expect(await refusal(b.delete('configmaps', 'default', 'a'))).toMatch(lost);
    expect((await b.list('configmaps', 'default')).items).toHaveLength(2);
    await b.create('configmaps', 'default', { metadata: { name: 'c' } });
    expect(await b.get('configmaps', 'default', 'c')).toMatchObject({ metadata: { name: 'c' } });
  });

  it('are saved by an update, also without changes', async () => {
    const b = await withLost();
    await b.update('configmaps', 'default', { metadata: { name: 'a' } });
    expect(await b.get('configmaps', 'default', 'a')).toMatchObject({ metadata: { name: 'a' } });
  });

  it('can be removed unsafely, unlike others', async () => {
    const b = await withLost();
    await b.update('configmaps', 'default', { metadata: { name: 'a' } });
    const unsafely = { ignoreStoreReadError: true };
    expect(await refusal(b.delete('configmaps', 'default', 'a', unsafely))).toMatch(/^409 .*decodable from storage/);
    await b.delete('configmaps', 'default', 'b', unsafely);
    expect(await refusal(b.get('configmaps', 'default', 'b'))).toMatch(/^404/);
  });
});
