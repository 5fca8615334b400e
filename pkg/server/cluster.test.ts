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
