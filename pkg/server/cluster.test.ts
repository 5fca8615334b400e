import { describe, expect, it } from 'vitest';
import { compile } from '../registry/index.js';
import { Bench } from '../registry/testing.js';
import { clusterOf } from './cluster.js';

const kindNamed = (plural: string, labels = ['a']) => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const names = { plural, singular: plural, kind: plural.toUpperCase(), listKind: `${plural}List`, categories: labels };
  const spec = { group: 'test.example.com', scope: 'Namespaced', names, versions: [version] };
  return compile(spec, names);
};

describe('an observer of the cluster', () => {
  it('is asked and told only about kinds that change', async () => {
    const { registry, world } = await Bench.open();
    const asked: string[] = [];
    const told: string[] = [];
    const following = clusterOf(registry, world).follow({
      of: ({ resource }) => {
        asked.push(resource);
        return resource !== 'others';
      },
      added: ({ resource }) => void told.push(`added ${resource}`),
      removed: ({ resource }) => void told.push(`removed ${resource}`),
      changed: () => {},
    });
    await following.caughtUp;
    asked.length = 0;
    await registry.changeKinds({ set: [kindNamed('things'), kindNamed('others')] });
    expect(asked.toSorted()).toEqual(['others', 'things']);
    await registry.changeKinds({ set: [kindNamed('things', ['b'])] });
    expect(asked.toSorted()).toEqual(['others', 'things', 'things']);
    await registry.changeKinds({
      remove: [
        { group: 'test.example.com', resource: 'things' },
        { group: 'test.example.com', resource: 'others' },
      ],
    });
    expect(asked).toHaveLength(3);
    expect(told).toEqual(['added things', 'added things', 'removed things']);
    following.stop();
  });
});

describe('a write of a controller', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };

  it('is refused without the version that it is based on, and conflicts with a newer one', async () => {
    const { registry, world } = await Bench.open();
    const cluster = clusterOf(registry, world);
    const resource = cluster.servedResources().find('', 'v1', 'configmaps')!;
    const place = { resource, namespace: 'default', name: 'm' };
    await cluster.create(resource, 'default', map);
    const read = (await cluster.get(place))!;
    await expect(cluster.replace(place, '', { ...map, data: { a: '1' } })).rejects.toThrow('no resourceVersion');
    const unversioned = { metadata: { resourceVersion: '' }, data: { a: '1' } };
    await expect(cluster.patch(place, '', unversioned)).rejects.toThrow('no resourceVersion');
    await cluster.replace(place, '', { ...read, data: { a: '1' } });
    await expect(cluster.replace(place, '', { ...read, data: { a: '2' } })).rejects.toMatchObject({
      status: { code: 409 },
    });
    expect((await cluster.get(place))!['data']).toEqual({ a: '1' });
  });

  it('deletes the objects of a collection that it has listed, and only if that is still due', async () => {
    const { registry, world } = await Bench.open();
    const cluster = clusterOf(registry, world);
    const resource = cluster.servedResources().find('', 'v1', 'configmaps')!;
    const place = { resource, namespace: 'default', name: 'm' };
    await cluster.create(resource, 'default', map);
    await expect(cluster.deleteCollection(resource, 'default', async () => false)).rejects.toMatchObject({
      status: { code: 409 },
    });
    // The object is replaced by another one of its name before it is deleted.
    const { uid, resourceVersion } = (await cluster.get(place))!['metadata'] as {
      uid: string;
      resourceVersion: string;
    };
    await cluster.deleteCollection(resource, 'default', async () => {
      await cluster.delete(place, { uid, resourceVersion });
      await cluster.create(resource, 'default', map);
      return true;
    });
    expect(await cluster.get(place)).toBeDefined();
    await cluster.deleteCollection(resource, 'default', async () => true);
    expect(await cluster.get(place)).toBeUndefined();
  });
});
