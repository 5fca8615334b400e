import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../api/index.js';
import { CLEANUP_FINALIZER, conditionOf } from './definition.js';
import { definitionCleanup } from './definitioncleanup.js';
import { metaIn, openScene } from './testing/scene.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';
const LEASES = 'leases.coordination.k8s.io/v1';
const NAME = 'leases.coordination.k8s.io';

/** A definition with the name of a kind that the server has anyway. */
const definition = (): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: NAME,
    finalizers: [CLEANUP_FINALIZER],
    annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' },
  },
  spec: {
    group: 'coordination.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'leases', kind: 'Lease' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

const lease = (name: string): JsonObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
});

describe('the cleanup of a definition', () => {
  it.each([
    ['False', 'NeverEstablished', 'resource was never established'],
    ['True', 'InstanceDeletionCompleted', 'removed all instances'],
  ])('of which Established is %s ends with %s', async (status, reason, message) => {
    const { bench, context, start, work } = await openScene();
    const made = definition();
    await bench.create(DEFINITIONS, '', { ...made, metadata: { ...metaIn(made), finalizers: ['a.b/c'] } });
    const established = { type: 'Established', status, reason: 'X', message: '' };
    await bench.patch(`${DEFINITIONS}/status`, ['', NAME], { status: { conditions: [established] } });
    await start(definitionCleanup(context));
    await bench.delete(DEFINITIONS, '', NAME);
    await work(3);
    const last = conditionOf(await bench.get(DEFINITIONS, '', NAME), 'Terminating');
    expect([last?.['status'], last?.['reason'], last?.['message']]).toEqual(['False', reason, message]);
  });

  it.each([
    ['', { type: 'object' }],
    [
      ' with integers beyond 2^53',
      { type: 'object', properties: { a: { type: 'integer', default: 9007199254740993n } } },
    ],
  ])('deletes the objects of a definition%s, and then releases it', async (_, openAPIV3Schema) => {
    const written: unknown[] = [];
    const { bench, context, start, work } = await openScene((cluster) => ({
      ...cluster,
      replace: (place, subresource, object) => {
        written.push([subresource, conditionOf(object, 'Terminating')?.['reason'], metaIn(object)['finalizers']]);
        return cluster.replace(place, subresource, object);
      },
    }));
    const made = definition();
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
    await bench.create(DEFINITIONS, '', { ...made, spec: { ...objectAt(made, 'spec'), versions } });
    await bench.create(LEASES, 'default', lease('a'));
    await start(definitionCleanup(context));
    await bench.delete(DEFINITIONS, '', NAME);
    await work(3);
    expect(written).toEqual([['status', 'NeverEstablished', []]]);
    expect((await bench.list(LEASES, 'default')).items).toEqual([]);
    expect((await bench.list(DEFINITIONS, '')).items).toEqual([]);
  });

  // The next leader has completed the deletion, and a user has created the definition and an object again.
  for (const [what, objects] of [
    ['the objects of', ['b']],
    ['the finalizer of', []],
  ] as const) {
    it(`leaves ${what} a new definition of the same name alone after the leadership was lost`, async () => {
      let replaced = false;
      const { bench, context, start, work } = await openScene((cluster) => ({
        ...cluster,
        deleteCollection: async (resource, namespace, isDue) => {
          if (!replaced) {
            replaced = true;
            await bench.delete(LEASES, 'default', 'a');
            await bench.patch(DEFINITIONS, ['', NAME], { metadata: { finalizers: null } });
            await bench.create(DEFINITIONS, '', definition());
            for (const name of objects) await bench.create(LEASES, 'default', lease(name));
          }
          await cluster.deleteCollection(resource, namespace, isDue).catch(() => {});
        },
      }));
      await bench.create(DEFINITIONS, '', definition());
      await bench.create(LEASES, 'default', lease('a'));
      await start(definitionCleanup(context));
      await bench.delete(DEFINITIONS, '', NAME);
      await work(3);
      expect(replaced).toBe(true);
      expect((await bench.list(LEASES, 'default')).items).toHaveLength(objects.length);
      expect(metaIn(await bench.get(DEFINITIONS, '', NAME))['finalizers']).toEqual([CLEANUP_FINALIZER]);
    });
  }
});
