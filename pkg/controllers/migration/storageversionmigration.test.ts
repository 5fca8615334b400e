import { expect, it } from 'vitest';
import { errors, type JsonObject } from '../../api/index.js';
import { conditionsIn, metaIn, openScene } from '../testing/scene.js';
import { storageVersionMigrator } from './storageversionmigration.js';

const MIGRATIONS = 'storageversionmigrations.storagemigration.k8s.io/v1';

const migration = (name: string, resource: string): JsonObject => ({
  apiVersion: 'storagemigration.k8s.io/v1',
  kind: 'StorageVersionMigration',
  metadata: { name },
  spec: { resource: { group: '', resource } },
});

const map = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

it('writes every object once, and reports the end', async () => {
  const patched: string[] = [];
  const { bench, context, start, work } = await openScene((cluster) => ({
    ...cluster,
    patch: async (at, subresource, patch) => {
      patched.push(at.name);
      await cluster.patch(at, subresource, patch);
    },
  }));
  for (let i = 0; i < 20; i++) await bench.create('configmaps', 'default', map(`m${i}`));
  await start(storageVersionMigrator(context));
  await bench.create(MIGRATIONS, '', migration('m', 'configmaps'));
  await work(2);
  const done = await bench.get(MIGRATIONS, '', 'm');
  expect(conditionsIn(done)).toEqual({ Running: 'False', Succeeded: 'True' });
  expect((done['status'] as JsonObject)['resourceVersion']).toMatch(/^[1-9]\d*$/);
  expect(patched.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `m${i}`).toSorted());
});

it('continues after a temporary failure, and ends with a permanent one', async () => {
  let attempts = 0;
  let refused = false;
  const { bench, context, start, work } = await openScene((cluster) => ({
    ...cluster,
    patch: async (at, subresource, patch) => {
      if (at.resource.resource === 'configmaps' && ++attempts === 3) throw errors.internal('no leader');
      if (at.resource.resource === 'secrets' && refused)
        throw errors.forbidden({ group: '', resource: 'secrets' }, at.name, 'a webhook denies it');
      await cluster.patch(at, subresource, patch);
    },
  }));
  for (let i = 0; i < 5; i++) await bench.create('configmaps', 'default', map(`m${i}`));
  await bench.create('secrets', 'default', { ...map('s'), kind: 'Secret' });
  await start(storageVersionMigrator(context));
  await bench.create(MIGRATIONS, '', migration('a', 'configmaps'));
  await work(3);
  expect(conditionsIn(await bench.get(MIGRATIONS, '', 'a'))).toEqual({ Running: 'False', Succeeded: 'True' });
  refused = true;
  await bench.create(MIGRATIONS, '', migration('b', 'secrets'));
  await work(3);
  const failed = await bench.get(MIGRATIONS, '', 'b');
  expect(conditionsIn(failed)).toEqual({ Running: 'False', Failed: 'True' });
  expect(JSON.stringify(failed['status'])).toContain('1/1 not yet migrated');
});

it('waits for a resource that is not served, and then fails', async () => {
  const { bench, context, start, work } = await openScene();
  await start(storageVersionMigrator(context));
  await bench.create(MIGRATIONS, '', migration('m', 'nothings'));
  await work(20);
  expect(conditionsIn(await bench.get(MIGRATIONS, '', 'm'))).toEqual({ Running: 'True' });
  await work(60);
  expect(conditionsIn(await bench.get(MIGRATIONS, '', 'm'))).toEqual({ Running: 'False', Failed: 'True' });
});

it('leaves only the storage version of a definition, one migration after the other', async () => {
  const { bench, context, start, work } = await openScene();
  const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';
  const version = (name: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object' } },
  });
  await bench.create(DEFINITIONS, '', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.x.example' },
    spec: {
      group: 'x.example',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', true), version('v2', false)],
    },
  });
  await bench.patch(`${DEFINITIONS}/status`, ['', 'things.x.example'], { status: { storedVersions: ['v1', 'v2'] } });
  await start(storageVersionMigrator(context));
  const of = (name: string): JsonObject => ({
    ...migration(name, ''),
    spec: { resource: { group: 'x.example', resource: 'things' } },
  });
  await bench.create(MIGRATIONS, '', of('first'));
  await bench.create(MIGRATIONS, '', of('second'));
  await work(1);
  expect(conditionsIn(await bench.get(MIGRATIONS, '', 'second'))).toEqual({});
  expect(conditionsIn(await bench.get(DEFINITIONS, '', 'things.x.example'))).toMatchObject({
    StorageMigrating: 'True',
  });
  expect(metaIn(await bench.get(MIGRATIONS, '', 'first'))['name']).toBe('first');
});
