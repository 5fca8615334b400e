import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { metaOf } from './meta.js';
import { Bench, EVERYTHING } from './testing.js';

const DRY = { dryRun: true };
const TEMPLATE = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const OBJECTS: Readonly<Record<string, JsonObject>> = {
  pods: { apiVersion: 'v1', kind: 'Pod', ...TEMPLATE, metadata: { ...TEMPLATE.metadata, name: 'x' } },
  services: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'x' },
    spec: { type: 'NodePort', selector: { app: 'a' }, ports: [{ port: 80 }] },
  },
  'deployments.apps/v1': {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { selector: { matchLabels: { app: 'a' } }, template: TEMPLATE },
  },
  'horizontalpodautoscalers.autoscaling/v1': {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'x' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } },
  },
  events: {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'x' },
    involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' },
  },
};

const BINDING = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'x' }, target: { kind: 'Node', name: 'n' } };
const EVICTION = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'x' } };

/** Other keys that are written with the object, by its resource. */
const BELOW: Readonly<Record<string, readonly ((b: Bench) => Promise<JsonObject>)[]>> = {
  pods: [
    (b) => b.patch('pods./v1/status', ['default', 'x'], { status: { phase: 'Running' } }, 'merge', DRY),
    (b) => b.create('pods./v1/binding', 'default', BINDING, { ...DRY, name: 'x' }),
    (b) => b.create('pods./v1/eviction', 'default', EVICTION, { ...DRY, name: 'x' }),
  ],
  'deployments.apps/v1': [
    (b) => b.patch('deployments.apps/v1/scale', ['default', 'x'], { spec: { replicas: 5 } }, 'merge', DRY),
    (b) => b.patch('deployments.apps/v1/status', ['default', 'x'], { status: { replicas: 1 } }, 'merge', DRY),
  ],
};

describe('dry runs of every verb', () => {
  it.each(Object.entries(OBJECTS))(
    'have the response of a real request, but write neither object nor address: %s',
    async (what, o) => {
      const b = await Bench.open();
      const dry = async <T>(run: () => Promise<T>): Promise<T> => {
        const before = await b.keyspace.readIndex();
        const answer = await run();
        expect(await b.keyspace.readIndex()).toEqual(before);
        return answer;
      };

      expect(metaOf(await dry(() => b.create(what, 'default', o, DRY)))['name']).toBe('x');
      const made = await b.create(what, 'default', o);
      const labels = { dry: 'run' };
      const labelled = { ...made, metadata: { ...metaOf(made), labels } };
      expect(metaOf(await dry(() => b.update(what, 'default', labelled, DRY)))['labels']).toEqual(labels);
      const { apiVersion, kind } = made;
      const applied = { apiVersion: apiVersion!, kind: kind!, metadata: { name: 'x', labels } };
      for (const type of ['merge', 'strategic', 'apply'] as const)
        expect(metaOf(await dry(() => b.patch(what, ['default', 'x'], applied, type, DRY)))['labels']).toMatchObject(
          labels,
        );
      for (const write of BELOW[what] ?? []) await dry(() => write(b));
      for (const propagationPolicy of ['Background', 'Foreground', 'Orphan'] as const)
        await dry(() => b.delete(what, 'default', 'x', { ...DRY, propagationPolicy }));
      const options = { ...DRY, ignoreStoreReadError: false };
      const request = { target: b.target(what, 'default'), list: EVERYTHING, options };
      const { items } = await dry(() => b.registry.deleteCollection(request, b.context));
      expect(items.map((i) => i.name)).toContain('x');
      expect(await b.get(what, 'default', 'x')).toEqual(made);
    },
  );
});
