import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench, drain, refusal } from './testing.js';

const map = (name: string, data: Record<string, string> = {}, meta: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...meta },
  data,
});

const nameOf = (o: JsonObject): string => String((o['metadata'] as JsonObject)['name']);
const metaOf = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;

describe('registry', () => {
  it('creates, reads, changes, lists, watches and deletes', async () => {
    const b = await Bench.open();
    const watching = await b.watch('configmaps', 'default');
    const made = await b.create('configmaps', 'default', map('a', { k: '1' }));
    expect(made).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { k: '1' } });
    expect(await b.get('configmaps', 'default', 'a')).toEqual(made);
    const changed = await b.update('configmaps', 'default', { ...made, data: { k: '2' } });
    expect(Number(metaOf(changed)['resourceVersion'])).toBeGreaterThan(Number(metaOf(made)['resourceVersion']));
    const patched = await b.patch('configmaps', ['default', 'a'], { data: { l: '3' } });
    expect(patched['data']).toEqual({ k: '2', l: '3' });
    const list = await b.list('configmaps', 'default');
    expect(list).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(list.items.map(nameOf)).toEqual(['a']);
    expect(list.items[0]).not.toHaveProperty('kind');
    expect(await b.delete('configmaps', 'default', 'a')).toMatchObject({ status: 'Success', details: { name: 'a' } });
    expect(drain(watching).map((e) => `${e.type} ${JSON.stringify(e.object['data'])}`)).toEqual([
      'ADDED {"k":"1"}',
      'MODIFIED {"k":"2"}',
      'MODIFIED {"k":"2","l":"3"}',
      'DELETED {"k":"2","l":"3"}',
    ]);
    expect(await refusal(b.get('configmaps', 'default', 'a'))).toBe('404 configmaps "a" not found');
  });

  it('writes nothing if nothing changes', async () => {
    const b = await Bench.open();
    const made = await b.create('configmaps', 'default', map('a', { k: '1' }));
    b.world.advance(5_000);
    expect(await b.update('configmaps', 'default', map('a', { k: '1' }))).toEqual(made);
    expect(await b.patch('configmaps', ['default', 'a'], { data: { k: '1' } })).toEqual(made);
  });

  it('refuses an update with an outdated version, and accepts one without a version', async () => {
    const b = await Bench.open();
    const made = await b.create('configmaps', 'default', map('a'));
    await b.patch('configmaps', ['default', 'a'], { data: { x: '1' } });
    expect(await refusal(b.update('configmaps', 'default', { ...made, data: { y: '1' } }))).toBe(
      '409 Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect((await b.update('configmaps', 'default', map('a', { z: '1' })))['data']).toEqual({ z: '1' });
  });

  it('requires an existing namespace', async () => {
    const b = await Bench.open();
    expect(await refusal(b.create('configmaps', 'nowhere', map('a')))).toBe('404 namespaces "nowhere" not found');
    await b.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } });
    await b.create('configmaps', 'x', map('a'));
    expect(await b.delete('namespaces', '', 'x')).toMatchObject({ status: { phase: 'Terminating' } });
    const forbidden = '"b-" is forbidden: unable to create new content in namespace x because it is being terminated';
    const generated = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'b-' } };
    expect(await refusal(b.create('configmaps', 'x', map('b')))).toMatch(/^403 .*because it is being terminated$/);
    expect(await refusal(b.create('configmaps', 'x', generated))).toBe(`403 configmaps ${forbidden}`);
    expect(await refusal(b.delete('namespaces', '', 'default'))).toMatch(/^403/);
  });

  it('keeps an object until its finalizers are removed', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', map('a', {}, { finalizers: ['example.com/x'] }));
    const held = await b.delete('configmaps', 'default', 'a');
    expect(metaOf(held)).toMatchObject({ deletionGracePeriodSeconds: 0, deletionTimestamp: expect.any(String) });
    expect(
      await refusal(
        b.patch('configmaps', ['default', 'a'], { metadata: { finalizers: ['example.com/x', 'example.com/y'] } }),
      ),
    ).toMatch(/no new finalizers can be added/);
    await b.patch('configmaps', ['default', 'a'], { metadata: { finalizers: null } });
    expect(await refusal(b.get('configmaps', 'default', 'a'))).toMatch(/^404/);
  });

  it('applies, and refuses to change fields of another manager', async () => {
    const b = await Bench.open();
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } };
    await b.patch('configmaps', ['default', 'a'], config, 'apply', { fieldManager: 'one' });
    const other = { ...config, data: { k: '2' } };
    expect(await refusal(b.patch('configmaps', ['default', 'a'], other, 'apply', { fieldManager: 'two' }))).toBe(
      '409 Apply failed with 1 conflict: conflict with "one": .data.k',
    );
    const forced = await b.patch('configmaps', ['default', 'a'], other, 'apply', { fieldManager: 'two', force: true });
    expect(forced['data']).toEqual({ k: '2' });
  });

  it('generates names, and other ones if they are in use', async () => {
    const b = await Bench.open();
    const names = new Set<string>();
    for (let i = 0; i < 20; i++)
      names.add(
        nameOf(
          await b.create('configmaps', 'default', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { generateName: 'g-' },
          }),
        ),
      );
    expect(names.size).toBe(20);
    for (const n of names) expect(n).toMatch(/^g-[a-z0-9]{5}$/);
  });

  it('dry runs change nothing', async () => {
    const b = await Bench.open();
    const dry = { dryRun: true };
    expect(metaOf(await b.create('configmaps', 'default', map('a'), dry))).not.toHaveProperty('resourceVersion');
    expect(await refusal(b.get('configmaps', 'default', 'a'))).toMatch(/^404/);
    const made = await b.create('configmaps', 'default', map('a'));
    expect(await refusal(b.create('configmaps', 'default', map('a'), dry))).toMatch(
      /^409 configmaps "a" already exists/,
    );
    expect((await b.update('configmaps', 'default', map('a', { k: '1' }), dry))['data']).toEqual({ k: '1' });
    await b.delete('configmaps', 'default', 'a', dry);
    expect(await b.get('configmaps', 'default', 'a')).toEqual(made);
  });

  it('dry runs on a lagging peer use the newest object', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', map('a', { k: '1' }));
    const behind = await b.lagging();
    await b.update('configmaps', 'default', map('a', { k: '2' }));
    const would = await behind.patch('configmaps', ['default', 'a'], { data: { l: '3' } }, 'merge', { dryRun: true });
    expect(would['data']).toEqual({ k: '2', l: '3' });
  });

  it('creates nothing in a namespace whose deletion a lagging peer has not seen', async () => {
    const b = await Bench.open();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
    await b.create('namespaces', '', namespace);
    const behind = await b.lagging();
    await b.patch('namespaces', ['', 'n'], { metadata: { labels: { changed: 'yes' } } });
    expect(await refusal(behind.create('configmaps', 'n', map('a')))).toBe('taken');
    const late = await b.lagging();
    await b.delete('namespaces', '', 'n');
    expect(await refusal(late.create('configmaps', 'n', map('b')))).toMatch(/^403 .*because it is being terminated/);
    const recreated = await b.lagging();
    await b.delete('configmaps', 'n', 'a');
    await b.update('namespaces/finalize', '', { ...(await b.get('namespaces', '', 'n')), spec: {} });
    expect(await refusal(recreated.create('configmaps', 'n', map('b')))).toMatch(/^40[34] /);
  });

  it('lets concurrent applies of the same new object succeed', async () => {
    const b = await Bench.open();
    const managers = ['x', 'y', 'z'];
    const apply = (m: string) =>
      b.patch('configmaps', ['default', 'a'], map('a', { [m]: m }), 'apply', { fieldManager: m });
    await Promise.all(managers.map(apply));
    const made = await b.get('configmaps', 'default', 'a');
    expect(made['data']).toEqual({ x: 'x', y: 'y', z: 'z' });
    const owners = metaOf(made)['managedFields'] as JsonObject[];
    expect(owners.map((o) => o['manager']).sort()).toEqual(managers);
  });

  it('does not own unset fields that are always written', async () => {
    const b = await Bench.open();
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'r',
    };
    const made = await b.create('events', 'default', event);
    expect(made).toMatchObject({ eventTime: null, firstTimestamp: null, source: {} });
    const [owner] = metaOf(made)['managedFields'] as JsonObject[];
    expect(Object.keys(owner!['fieldsV1'] as JsonObject)).toEqual(['f:involvedObject', 'f:reason']);
  });

  it('selects another port if two writers selected the same one, without a conflict', async () => {
    const b = await Bench.open();
    const names = ['a', 'b', 'c'];
    const service = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }] },
    });
    const made = await Promise.all(names.map((n) => b.create('services', 'default', service(n))));
    Object.assign(b.world.random, { bytes: (n: number) => new Uint8Array(n) });
    const changed = await Promise.all(
      made.map((o) =>
        b.update('services', 'default', { ...o, spec: { ...(o['spec'] as JsonObject), type: 'NodePort' } }),
      ),
    );
    const ports = changed.map((o) => ((o['spec'] as JsonObject)['ports'] as JsonObject[])[0]!['nodePort']);
    expect(new Set(ports).size).toBe(names.length);
  });

  it('scales through the Scale object', async () => {
    const b = await Bench.open();
    await b.create('deployments.apps/v1', 'default', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const scale = await b.get('deployments.apps/v1/scale', 'default', 'd');
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { selector: 'a=b' },
    });
    expect(await b.patch('deployments.apps/v1/scale', ['default', 'd'], { spec: { replicas: 5 } })).toMatchObject({
      spec: { replicas: 5 },
    });
    expect(await b.get('deployments.apps/v1', 'default', 'd')).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 5 },
    });
  });

  it('converts between the versions of a kind', async () => {
    const b = await Bench.open();
    await b.create('horizontalpodautoscalers.autoscaling/v1', 'default', {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        targetCPUUtilizationPercentage: 50,
      },
    });
    const v2 = await b.get('horizontalpodautoscalers.autoscaling/v2', 'default', 'h');
    expect(v2).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [{ type: 'Resource' }] } });
    const v1 = await b.list('horizontalpodautoscalers.autoscaling/v1', 'default');
    expect(v1).toMatchObject({
      apiVersion: 'autoscaling/v1',
      items: [{ spec: { targetCPUUtilizationPercentage: 50 } }],
    });
  });
});

describe('the generation', () => {
  it('of a kind without a spec changes with the desired state in any field', async () => {
    const b = await Bench.open();
    const template = { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const at = ['default', 't'] as const;
    await b.create('podtemplates', 'default', {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 't' },
      template,
    });
    const labelled = await b.patch('podtemplates', at, { metadata: { labels: { a: 'b' } } });
    expect(metaOf(labelled)['generation']).toBe(1);
    const changed = await b.patch('podtemplates', at, { template: { spec: { hostNetwork: true } } });
    expect(metaOf(changed)['generation']).toBe(2);
  });
});
