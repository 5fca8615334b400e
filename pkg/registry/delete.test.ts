import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { finalizersAfter } from './delete.js';
import { Bench, drain, EVERYTHING, refusal } from './testing.js';

const metaOf = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;
const none = { dryRun: false, ignoreStoreReadError: false } as const;
const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe('deletion', () => {
  it.each([
    [[], {}, undefined, []],
    [['a/b'], { propagationPolicy: 'Foreground' }, undefined, ['a/b', 'foregroundDeletion']],
    [['a/b'], { propagationPolicy: 'Orphan' }, undefined, ['a/b', 'orphan']],
    [['orphan', 'a/b'], { propagationPolicy: 'Background' }, undefined, ['a/b']],
    [['orphan', 'a/b'], {}, undefined, ['orphan', 'a/b']],
    [['foregroundDeletion'], {}, 'Orphan', ['foregroundDeletion']],
    [['a/b'], {}, 'Orphan', ['a/b', 'orphan']],
    [['orphan'], { orphanDependents: false }, undefined, []],
    [[], { orphanDependents: true }, undefined, ['orphan']],
    [['orphan', 'a/b'], { propagationPolicy: 'Foreground' }, 'Unsupported', ['a/b']],
  ] as const)('finalizers %j with %j (default %s) become %j', (given, options, fallback, after) => {
    expect(finalizersAfter(given, { ...none, ...options }, fallback)).toEqual(after);
  });

  it.each<[string, string, JsonObject]>([
    ['storageclasses.storage.k8s.io/v1', '', { provisioner: 'p' }],
    ['csidrivers.storage.k8s.io/v1', '', { spec: {} }],
    ['csinodes.storage.k8s.io/v1', '', { spec: { drivers: [] } }],
    ['volumeattributesclasses.storage.k8s.io/v1', '', { driverName: 'd', parameters: { a: 'b' } }],
    ['deviceclasses.resource.k8s.io/v1', '', { spec: {} }],
    ['resourceclaims.resource.k8s.io/v1', 'default', { spec: {} }],
  ])('of one of %s returns the object', async (what, namespace, rest) => {
    const b = await Bench.open();
    const made = await b.create(what, namespace, { metadata: { name: 'n' }, ...rest });
    expect(await b.delete(what, namespace, 'n')).toEqual(made);
    expect(await refusal(b.get(what, namespace, 'n'))).toMatch(/^404 /);
  });

  it('is refused for the system priority classes', async () => {
    const b = await Bench.open();
    const classes = 'priorityclasses.scheduling.k8s.io/v1';
    for (const name of ['system-node-critical', 'system-cluster-critical'])
      expect(await refusal(b.delete(classes, '', name))).toBe(
        `403 priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
      );
    await b.create(classes, '', { metadata: { name: 'mine' }, value: 1 });
    expect(await b.delete(classes, '', 'mine')).toMatchObject({ status: 'Success' });
  });

  it('of an event does not wait for dependents, whatever the propagation policy', async () => {
    const b = await Bench.open();
    for (const propagationPolicy of ['Orphan', 'Foreground'] as const) {
      await b.create('events', 'default', { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } });
      expect(await b.delete('events', 'default', 'e', { propagationPolicy })).toMatchObject({ status: 'Success' });
      expect(await refusal(b.get('events', 'default', 'e'))).toMatch(/^404 /);
    }
  });

  it('gives a running pod its grace period, which can only be shortened', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', pod('p'));
    const w = await b.watch('pods', 'default', { resourceVersion: String(b.registry.cache.applied) });
    expect(metaOf(await b.delete('pods', 'default', 'p'))['deletionGracePeriodSeconds']).toBe(30);
    expect(
      metaOf(await b.delete('pods', 'default', 'p', { gracePeriodSeconds: 60 }))['deletionGracePeriodSeconds'],
    ).toBe(30);
    const shorter = await b.delete('pods', 'default', 'p', { gracePeriodSeconds: 5 });
    expect(metaOf(shorter)).toMatchObject({ deletionGracePeriodSeconds: 5, deletionTimestamp: '2030-01-01T00:00:05Z' });
    expect((await b.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 }))['kind']).toBe('Pod');
    expect(await refusal(b.get('pods', 'default', 'p'))).toMatch(/^404/);
    expect(drain(w).map((e) => `${e.type} ${metaOf(e.object)['deletionGracePeriodSeconds']}`)).toEqual([
      'MODIFIED 30',
      'MODIFIED 5',
      'MODIFIED 0',
      'DELETED 0',
    ]);
  });

  it('completes after a crash between marking and removing', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', pod('p'));
    const key = '/registry/pods/default/p';
    const read = await b.keyspace.range({ start: key, end: `${key}\u0000` });
    if (read.kind !== 'ok') throw new Error(read.kind);
    const marked = '"deletionTimestamp":"2030-01-01T00:00:00Z","deletionGracePeriodSeconds":0,"creationTimestamp"';
    const value = Buffer.from(read.items[0]!.value.toString().replace('"creationTimestamp"', marked));
    await b.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
    await b.delete('pods', 'default', 'p');
    expect(await refusal(b.get('pods', 'default', 'p'))).toMatch(/^404/);
  });

  it('keeps the generation of a definition, which has no grace period', async () => {
    const b = await Bench.open();
    await b.create('customresourcedefinitions.apiextensions.k8s.io', '', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.x.example' },
      spec: {
        group: 'x.example',
        scope: 'Cluster',
        names: { plural: 'as', kind: 'A' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const pending = metaOf(await b.delete('customresourcedefinitions.apiextensions.k8s.io', '', 'as.x.example'));
    expect(pending).toMatchObject({ generation: 1, deletionTimestamp: '2030-01-01T00:00:00Z' });
    expect(pending).not.toHaveProperty('deletionGracePeriodSeconds');
  });

  it('that is not finished is named by a request that creates the object again', async () => {
    const b = await Bench.open();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', finalizers: ['a.b/c'] } };
    await b.create('configmaps', 'default', object);
    expect(await refusal(b.create('configmaps', 'default', object))).toMatch(/^409 configmaps "a" already exists/);
    await b.delete('configmaps', 'default', 'a');
    const refused = /^409 object is being deleted: configmaps "a" already exists/;
    expect(await refusal(b.create('configmaps', 'default', object))).toMatch(refused);
    expect(await refusal(b.create('configmaps', 'default', object, { dryRun: true }))).toMatch(refused);
  });

  it('writes nothing if a pending deletion is requested again', async () => {
    const b = await Bench.open();
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', finalizers: ['x.example/hold'] } };
    await b.create('configmaps', 'default', held);
    const first = await b.delete('configmaps', 'default', 'a');
    b.world.advance(5_000);
    expect(await b.delete('configmaps', 'default', 'a')).toEqual(first);
    const policy = await b.delete('configmaps', 'default', 'a', { propagationPolicy: 'Foreground' });
    expect(metaOf(policy)['finalizers']).toEqual(['x.example/hold', 'foregroundDeletion']);
  });

  it('does not take an earlier deletion for the requested one', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', pod('p'));
    await b.delete('pods', 'default', 'p');
    const behind = await b.lagging();
    await b.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 });
    const uid = metaOf(await b.create('pods', 'default', pod('p')))['uid'];
    expect(metaOf(await behind.delete('pods', 'default', 'p'))).toMatchObject({ uid, deletionGracePeriodSeconds: 30 });
  });

  it.each([
    ['removes it', false],
    ['removes it, and creates another', true],
  ])('succeeds if who sees its mark %s before the request does', async (_name, again) => {
    const b = await Bench.open();
    const { uid } = metaOf(await b.create('pods', 'default', pod('p')));
    const { txn } = b.keyspace;
    const removal = vi.spyOn(b.keyspace, 'txn').mockImplementation(async (t) => {
      if (t.ops.some((op) => op.kind === 'delete')) {
        removal.mockRestore();
        await b.delete('pods', 'default', 'p');
        if (again) await b.create('pods', 'default', pod('p'));
      }
      return txn.call(b.keyspace, t);
    });
    expect(metaOf(await b.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 }))).toMatchObject({
      uid,
      deletionGracePeriodSeconds: 0,
    });
    const left = await b.list('pods', 'default', {});
    expect((left['items'] as JsonObject[]).map((o) => metaOf(o)['deletionTimestamp'])).toEqual(
      again ? [undefined] : [],
    );
  });

  it('removes an unreadable object only on request, and then ignores its finalizers', async () => {
    const b = await Bench.open();
    const key = '/registry/configmaps/default/broken';
    const value = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"broken","finalizers":["a/b"]');
    await b.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
    await b.list('configmaps', 'default', { labelSelector: 'none=of-it' }).catch(() => {});
    expect(await refusal(b.delete('configmaps', 'default', 'broken'))).toMatch(
      /^500 Internal error occurred: StorageError: corrupt object, Code: 7, Key: .configmaps.default.broken, /,
    );
    expect(await b.delete('configmaps', 'default', 'broken', { ignoreStoreReadError: true })).toMatchObject({
      status: 'Success',
    });
    expect(await refusal(b.delete('configmaps', 'default', 'broken'))).toMatch(/^404/);
  });

  it('checks preconditions', async () => {
    const b = await Bench.open();
    const made = await b.create('configmaps', 'default', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
    const uid = String(metaOf(made)['uid']);
    const resourceVersion = String(metaOf(made)['resourceVersion']);
    expect(await refusal(b.delete('configmaps', 'default', 'a', { preconditions: { uid: 'x' } }))).toMatch(
      /^409 .*UID in the precondition/,
    );
    expect(await refusal(b.delete('configmaps', 'default', 'a', { preconditions: { resourceVersion: '1' } }))).toMatch(
      /^409 .*ResourceVersion in the precondition/,
    );
    expect(await b.delete('configmaps', 'default', 'a', { preconditions: { uid, resourceVersion } })).toMatchObject({
      status: 'Success',
    });
  });

  it('releases allocations', async () => {
    const b = await Bench.open();
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { clusterIP: '10.96.9.9', ports: [{ port: 80 }] },
    };
    await b.create('services', 'default', service);
    const other = { ...service, metadata: { name: 't' } };
    expect(await refusal(b.create('services', 'default', other))).toMatch(/^422 .*provided IP is already allocated/);
    await b.delete('services', 'default', 's');
    expect(await refusal(b.create('services', 'default', other))).toBe('taken');
  });

  it('reports failed preconditions of definitions with the message of kube-apiserver', async () => {
    const b = await Bench.open();
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };
    await b.create('customresourcedefinitions.apiextensions.k8s.io', '', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.b.c' },
      spec: { group: 'b.c', scope: 'Cluster', names, versions },
    });
    const deleted = b.delete('customresourcedefinitions.apiextensions.k8s.io', '', 'as.b.c', {
      preconditions: { resourceVersion: '1' },
    });
    expect(await refusal(deleted)).toMatch(
      /^409 .* customresourcedefinitions.apiextensions.k8s.io "as.b.c": precondition failed: ResourceVersion in precondition: 1, /,
    );
  });

  it('reports failed preconditions of namespaces with the name of the resource', async () => {
    const b = await Bench.open();
    const made = await b.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    const { uid, resourceVersion } = made['metadata'] as { uid: string; resourceVersion: string };
    const refused = (preconditions: { uid?: string; resourceVersion?: string }): Promise<string> =>
      refusal(b.delete('namespaces', '', 'n', { preconditions }));
    const head = 'Operation cannot be fulfilled on namespaces "n": Precondition failed:';
    expect(await refused({ uid: 'x' })).toBe(`409 ${head} UID in precondition: x, UID in object meta: ${uid}`);
    expect(await refused({ uid, resourceVersion: '1' })).toBe(
      `409 ${head} ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
    );
  });

  it('deletes the listed objects', async () => {
    const b = await Bench.open();
    for (let i = 0; i < 40; i++)
      await b.create('configmaps', 'default', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `n${i}`, labels: { k: String(i % 2) } },
      });
    const target = b.target('configmaps', 'default');
    const result = await b.registry.deleteCollection(
      { target, list: { ...EVERYTHING, labelSelector: 'k=1' }, options: none },
      b.context,
    );
    expect(result.items).toHaveLength(20);
    expect((await b.list('configmaps', 'default')).items).toHaveLength(20);
  });

  it('warns once about the default propagation policy of jobs', async () => {
    const b = await Bench.open();
    const request = { target: b.target('jobs.batch/v1', 'default'), list: EVERYTHING, options: none };
    await b.registry.deleteCollection({ ...request, options: { ...none, propagationPolicy: 'Background' } }, b.context);
    expect(b.warnings).toEqual([]);
    await b.registry.deleteCollection(request, b.context);
    expect(b.warnings).toEqual([expect.stringContaining('child pods are preserved by default')]);
  });
});
