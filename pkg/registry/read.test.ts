import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../api/index.js';
import { decodeContinue, encodeContinue } from './continuetoken.js';
import { hash } from './shards.js';
import { Bench, drain, refusal, type Seen } from './testing.js';

const map = (name: string, labels: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
});
const names = (list: { readonly items: readonly JsonObject[] }): string[] =>
  list.items.map((o) => String((o['metadata'] as JsonObject)['name']));
const metaOf = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;

const NOT_KNOWN = (label: string): string =>
  `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`;

describe('lists', () => {
  it('are pages of one state during concurrent writes', async () => {
    const b = await Bench.open();
    const write = fc.record({ name: fc.integer({ min: 0, max: 30 }), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(write, { maxLength: 4 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer(),
        async (rounds, limit, tag) => {
          const ns = `p${Math.abs(tag)}`;
          if (
            (await refusal(
              b.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }),
            )) !== 'taken'
          )
            return;
          const change = async ({ name, remove }: { name: number; remove: boolean }): Promise<void> => {
            const at = `n${String(name).padStart(2, '0')}`;
            if (remove) await refusal(b.delete('configmaps', ns, at));
            else await refusal(b.create('configmaps', ns, map(at)));
          };
          for (let i = 0; i < 15; i++) await change({ name: i * 2, remove: false });
          const whole = names(await b.list('configmaps', ns));
          const paged: string[] = [];
          let token = '';
          let version: unknown;
          let left = [...rounds];
          do {
            const page = await b.list('configmaps', ns, { limit, continue: token });
            paged.push(...names(page));
            version ??= metaOf(page)['resourceVersion'];
            expect(metaOf(page)['resourceVersion']).toBe(version);
            token = String(metaOf(page)['continue'] ?? '');
            if (token !== '') expect(metaOf(page)['remainingItemCount']).toBe(whole.length - paged.length);
            for (const w of left[0] ?? []) await change(w);
            left = left.slice(1);
          } while (token !== '');
          expect(paged).toEqual(whole);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('read any state in history, and fail with 410 if it was compacted', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', map('a'));
    const then = String(metaOf(await b.list('configmaps', 'default'))['resourceVersion']);
    await b.create('configmaps', 'default', map('b'));
    await b.delete('configmaps', 'default', 'a');
    const exact = { resourceVersion: then, resourceVersionMatch: 'Exact' };
    expect(names(await b.list('configmaps', 'default', exact))).toEqual(['a']);
    expect(names(await b.list('configmaps', 'default', { resourceVersion: then }))).toEqual(['b']);
    const first = await b.list('configmaps', 'default', { resourceVersion: then, limit: 1 });
    expect(names(first)).toEqual(['a']);
    await b.keyspace.compact(b.registry.cache.applied);
    expect(await refusal(b.list('configmaps', 'default', exact))).toBe(
      '410 The resourceVersion for the provided list is too old.',
    );
  });

  it('continue at the state of the first page, also if any version will do', async () => {
    const b = await Bench.open();
    for (const n of ['a', 'c']) await b.create('configmaps', 'default', map(n));
    const token = String(metaOf(await b.list('configmaps', 'default', { limit: 1 }))['continue']);
    await b.create('configmaps', 'default', map('d'));
    expect(names(await b.list('configmaps', 'default', { continue: token, resourceVersion: '0' }))).toEqual(['c']);
  });

  it.each([
    ['{"v":5,"rv":"x"}', 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    ['{"rv":true}', 'json: cannot unmarshal bool into Go struct field continueToken.rv of type int64'],
    ['{"rv":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
    [
      '{"rv":9223372036854775808}',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field continueToken.rv of type int64',
    ],
    ['{"start":{}}', 'json: cannot unmarshal object into Go struct field continueToken.start of type string'],
    ['{"v":null}', 'server does not recognize this encoded version '],
  ])('refuse the token %s', (token, why) => {
    const decode = () => decodeContinue(Buffer.from(token).toString('base64url'));
    expect(decode).toThrow(`invalid continue token: continue key is not valid: ${why}`);
  });

  it('accept tokens whose names have another case', () => {
    const token = Buffer.from('{"V":"meta.k8s.io/v1","RV":-1,"Start":"c1"}').toString('base64url');
    expect(decodeContinue(token)).toEqual({ revision: undefined, start: 'c1' });
  });

  it('return a new token for an inconsistent continuation when a token has expired', async () => {
    const b = await Bench.open();
    for (const n of ['a', 'b', 'c']) await b.create('configmaps', 'default', map(n));
    const page = await b.list('configmaps', 'default', { limit: 1 });
    const token = String(metaOf(page)['continue']);
    const { revision } = decodeContinue(token);
    // Enough writes that the snapshot in the cache is dropped, and then the history too.
    for (let i = 0; i < 6; i++) {
      await b.create('configmaps', 'default', map(`x${i}`));
      await b.list('configmaps', 'default', { limit: 1 });
    }
    await b.keyspace.compact(b.registry.cache.applied);
    try {
      await b.list('configmaps', 'default', { limit: 1, continue: token });
      expect.unreachable('the token was taken');
    } catch (e) {
      const { status } = e as ApiError;
      expect(status.code).toBe(410);
      const again = status.metadata.continue!;
      expect(decodeContinue(again)).toEqual({ revision: undefined, start: decodeContinue(token).start });
      expect(revision).toBeGreaterThan(0);
      expect(names(await b.list('configmaps', 'default', { continue: again }))).toEqual([
        'b',
        'c',
        ...[0, 1, 2, 3, 4, 5].map((i) => `x${i}`),
      ]);
    }
  });

  it('with a limit are of exactly their version, except of one object', async () => {
    const b = await Bench.open();
    const { resourceVersion } = metaOf(await b.create('configmaps', 'default', map('a')));
    await b.patch('configmaps', ['default', 'a'], { data: { k: 'new' } });
    const read = async (namespace: string, more: object) => {
      const { items } = await b.list('configmaps', namespace, { resourceVersion: String(resourceVersion), ...more });
      return items.map((o) => o['data']);
    };
    const fieldSelector = 'metadata.name=a';
    expect(await read('default', { limit: 1 })).toEqual([undefined]);
    expect(await read('', { limit: 1, fieldSelector })).toEqual([undefined]);
    expect(await read('default', { limit: 1, fieldSelector })).toEqual([{ k: 'new' }]);
    expect(await read('default', { resourceVersionMatch: 'Exact', fieldSelector })).toEqual([undefined]);
  });

  it('select by labels, fields and shards', async () => {
    const b = await Bench.open();
    for (const n of ['a', 'b', 'c', 'd']) await b.create('configmaps', 'default', map(n, { k: n < 'c' ? '1' : '2' }));
    const by = async (o: object): Promise<string[]> => names(await b.list('configmaps', 'default', o));
    expect(await by({ labelSelector: 'k=1' })).toEqual(['a', 'b']);
    expect(await by({ labelSelector: 'k notin (1)' })).toEqual(['c', 'd']);
    expect(await by({ fieldSelector: 'metadata.name=c' })).toEqual(['c']);
    expect(await by({ fieldSelector: 'metadata.name=' })).toEqual([]);
    expect(await by({ fieldSelector: 'metadata.namespace=other' })).toEqual([]);
    const half = "shardRange(object.metadata.uid, '0x0', '0x8000000000000000')";
    const other = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";
    expect([...(await by({ shardSelector: half })), ...(await by({ shardSelector: other }))].sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(await by({ shardSelector: `${half} || ${other}` })).toEqual(['a', 'b', 'c', 'd']);
    const at = hash(String(metaOf(await b.get('configmaps', 'default', 'a'))['uid']));
    const range = (from: bigint, to: bigint): string =>
      `shardRange(object.metadata.uid, '0x${from.toString(16)}', '0x${to.toString(16)}')`;
    expect(await by({ shardSelector: range(at, at + 1n) })).toEqual(['a']);
    expect(await by({ shardSelector: range(at - 1n, at) })).toEqual([]);
    expect(await refusal(by({ shardSelector: 'nonsense' }))).toMatch(/^400 invalid shard selector/);
    expect(await refusal(by({ fieldSelector: 'spec.x=1' }))).toBe(
      '400 "spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it.each([
    ['jobs.batch/v1', 'spec.x', 'field label "spec.x" not supported for Job'],
    ['replicasets.apps/v1', 'status.replicas', NOT_KNOWN('status.replicas')],
    ['persistentvolumeclaims', 'name', NOT_KNOWN('name')],
    [
      'resourceslices.resource.k8s.io/v1',
      'spec.x',
      'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x',
    ],
  ])('of %s refuse %s with the message of their kind', async (what, label, sentence) => {
    const b = await Bench.open();
    expect(
      await refusal(b.list(what, what.startsWith('resources') ? '' : 'default', { fieldSelector: `${label}=1` })),
    ).toBe(`400 ${sentence}`);
  });

  it('compute the published FNV-1a hashes', () => {
    expect(hash('')).toBe(0xcbf29ce484222325n);
    expect(hash('a')).toBe(0xaf63dc4c8601ec8cn);
    expect(hash('foobar')).toBe(0x85944171f73967e8n);
  });

  it('handle arbitrary continue tokens', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((s) => Buffer.from(s).toString('base64url')),
        ),
        (text) => {
          try {
            decodeContinue(text);
          } catch (e) {
            expect(e).toBeInstanceOf(ApiError);
            expect((e as ApiError).status.code).toBe(400);
          }
        },
      ),
    );
    const token = {
      revision: decodeContinue(encodeContinue({ revision: undefined, start: 'a/b' })).revision,
      start: 'a/b',
    };
    expect(decodeContinue(encodeContinue(token))).toEqual(token);
    for (const start of ['../x', 'a/', '.', 'a//b', 'a/./b'])
      expect(() => decodeContinue(encodeContinue({ revision: undefined, start }))).toThrow(`is not valid: ${start}`);
    expect(decodeContinue(encodeContinue({ revision: undefined, start: '/a' })).start).toBe('a');
    expect(() => decodeContinue(encodeContinue({ revision: undefined, start: '' }))).toThrow('encoded start key empty');
  });

  it('have a limit with any other spelling of version 0', async () => {
    const b = await Bench.open();
    for (const name of ['a', 'b']) await b.create('configmaps', 'default', map(name));
    const count = async (resourceVersion: string) =>
      (await b.list('configmaps', 'default', { resourceVersion, limit: 1 })).items.length;
    expect([await count('0'), await count('00')]).toEqual([2, 1]);
  });

  it('have a limit at version 0, too, if kube-apiserver does not cache the kind', async () => {
    const b = await Bench.open();
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    for (const name of ['a', 'b', 'c'])
      await b.create('events', 'default', { apiVersion: 'v1', kind: 'Event', metadata: { name }, involvedObject });
    const first = await b.list('events', 'default', { resourceVersion: '0', limit: 1 });
    const token = String(metaOf(first)['continue']);
    const second = await b.list('events', 'default', { resourceVersion: '0', limit: 1, continue: token });
    expect([first, second].map((page) => [page.items.length, metaOf(page)['remainingItemCount']])).toEqual([
      [1, 2],
      [1, 1],
    ]);
  });

  it('refuse invalid options', async () => {
    const b = await Bench.open();
    const say = (o: object): Promise<string> => refusal(b.list('configmaps', 'default', o));
    expect(await say({ resourceVersion: '0', resourceVersionMatch: 'Exact' })).toMatch(
      /^422 .*forbidden for resourceVersion "0"$/,
    );
    expect(await say({ resourceVersionMatch: 'Exact' })).toMatch(/^422/);
    expect(await say({ resourceVersion: 'x' })).toMatch(/^400 invalid resource version/);
    expect(await say({ sendInitialEvents: true })).toMatch(/^422 .*sendInitialEvents is forbidden for list$/);
    expect(await say({ continue: encodeContinue({ revision: undefined, start: 'a' }), resourceVersion: '5' })).toMatch(
      /^400/,
    );
  });
});

describe('watches', () => {
  it('from any revision, applied to the list at that revision, give the current list', async () => {
    const b = await Bench.open();
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('put', 'label', 'remove'),
      v: fc.constantFrom('1', '2'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.nat(),
        fc.constantFrom('', 'k=1'),
        async (steps, at, labelSelector) => {
          const versions: string[] = [];
          for (const s of steps) {
            if (s.what === 'put') await refusal(b.create('configmaps', 'default', map(s.name, { k: s.v })));
            else if (s.what === 'remove') await refusal(b.delete('configmaps', 'default', s.name));
            else await refusal(b.patch('configmaps', ['default', s.name], { metadata: { labels: { k: s.v } } }));
            versions.push(String(metaOf(await b.list('configmaps', 'default'))['resourceVersion']));
          }
          const from = versions[at % versions.length]!;
          const then = await b.list('configmaps', 'default', {
            resourceVersion: from,
            resourceVersionMatch: 'Exact',
            labelSelector,
          });
          const state = new Map(then.items.map((o) => [String(metaOf(o)['name']), metaOf(o)]));
          const stream = await b.watch('configmaps', 'default', { resourceVersion: from, labelSelector });
          for (const e of drain(stream)) {
            const m = metaOf(e.object);
            expect(state.has(String(m['name']))).toBe(e.type !== 'ADDED');
            if (e.type === 'DELETED') state.delete(String(m['name']));
            else state.set(String(m['name']), m);
          }
          stream.close();
          const now = await b.list('configmaps', 'default', { labelSelector });
          expect([...state].sort()).toEqual(now.items.map((o) => [String(metaOf(o)['name']), metaOf(o)]));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('begin with the existing objects and a bookmark', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', map('b'));
    await b.create('configmaps', 'default', map('a'));
    const stream = await b.watch('configmaps', 'default', { allowBookmarks: true });
    const seen = drain(stream);
    expect(seen.map((e) => `${e.type} ${metaOf(e.object)['name'] ?? ''}`)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK ']);
    expect(metaOf(seen[2]!.object)['annotations']).toEqual({ 'k8s.io/initial-events-end': 'true' });
    b.world.advance(61_000);
    expect(drain(stream)).toEqual([]);
    await b.create('secrets', 'default', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    // A consistent read waits until the cache has the write.
    await b.list('secrets', 'default');
    const later = drain(stream);
    expect(later.map((e) => e.type)).toEqual(['BOOKMARK']);
    expect(metaOf(later[0]!.object)).not.toHaveProperty('annotations');
    const silent = await b.watch('configmaps', 'default', { resourceVersion: '0' });
    expect(drain(silent).map((e) => e.type)).toEqual(['ADDED', 'ADDED']);
    const later2 = await b.watch('configmaps', 'default', {
      sendInitialEvents: false,
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(drain(later2)).toEqual([]);
    expect(await refusal(b.watch('configmaps', 'default', { sendInitialEvents: true }))).toMatch(/^422/);
  });

  it('that only the path requests have the options of a list, and no bookmark after the existing objects', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', map('a'));
    const watched = async (more: object, byPath = true): Promise<string> => {
      const options = { byPath, allowBookmarks: true, ...more };
      const types = drain(await b.watch('configmaps', 'default', options)).map(({ type }) => type);
      return types.join();
    };
    const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    expect(await watched({})).toBe('ADDED');
    expect(await watched({ resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' })).toBe('ADDED');
    expect(await watched({}, false)).toBe('ADDED,BOOKMARK');
    // Another spelling of version 0 is none that has defaults.
    expect(await watched({ resourceVersion: '00' }, false)).toBe('ADDED');
    expect(await watched({ ...initial, sendInitialEvents: false, resourceVersion: '00' }, false)).toBe('');
    expect(await refusal(watched({ ...initial, resourceVersion: '0' }))).toContain(
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
    expect(await refusal(watched({ resourceVersion: '0', resourceVersionMatch: 'Exact' }))).toMatch(/^422/);
  });

  it('of events end with 410 if their version is compacted, whatever the log has', async () => {
    const b = await Bench.open();
    const from = b.registry.cache.applied;
    for (let i = 0; i < 3; i++) await b.create('configmaps', 'default', map(`n${i}`));
    const { applied } = b.registry.cache;
    await b.keyspace.compact(applied);
    const watched = async (resource: string, after: number, more: object = {}): Promise<unknown[]> => {
      const stream = await b.watch(resource, 'default', { resourceVersion: String(after), ...more });
      return drain(stream).map((e) => (e.type === 'ERROR' ? `${e.object['code']} ${e.object['message']}` : e.type));
    };
    const tooOld = ['410 The resourceVersion for the provided watch is too old.'];
    expect(await watched('events', from)).toEqual(tooOld);
    expect(await watched('events', applied)).toEqual([]);
    const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    expect(await watched('events', from, initial)).toEqual([]);
    expect(await watched('configmaps', from)).toEqual(['ADDED', 'ADDED', 'ADDED']);
  });

  it('end with 410 if their version is compacted', async () => {
    const b = await Bench.open();
    const { cache } = b.registry;
    const from = cache.applied;
    for (let i = 0; i < 3; i++) await b.create('configmaps', 'default', map(`n${i}`));
    const second = await b.reopen();
    await b.keyspace.compact(cache.applied);
    const stream = await second.watch('configmaps', 'default', { resourceVersion: String(from) });
    const seen: Seen[] = [];
    for (let turn = 0; !stream.ended && turn < 1000; turn++) {
      seen.push(...drain(stream));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(seen.map((e) => `${e.type} ${e.object['code']} ${e.object['reason']}`)).toEqual(['ERROR 410 Expired']);
    expect(stream.ended).toBe(true);
  });
});
