import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench } from '../registry/testing.js';
import { type ServedDefinitions, serveDefinitions } from './definitionserving.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const NAMES = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };

/** Serves the definitions of a peer. None of them has a webhook. */
const serve = (bench: Bench): ServedDefinitions =>
  serveDefinitions(bench.registry, () => {}, { world: bench.world } as never);

async function establish(b: Bench): Promise<void> {
  const made = await b.create(DEFINITIONS, '', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.x.example' },
    spec: {
      group: 'x.example',
      scope: 'Namespaced',
      names: NAMES,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
  const status: JsonObject = { acceptedNames: NAMES, storedVersions: ['v1'], conditions };
  await b.update(`${DEFINITIONS}/v1/status`, '', { ...made, status });
}

it('serves a definition whose events all arrive at once, as on a peer that lags', async () => {
  const b = await Bench.open();
  const behind = await b.lagging();
  const definitions = serve(behind);
  await definitions.ready;
  await establish(b);
  await behind.registry.cache.fresh(behind.world.clock.monotonic() + 1_000);
  await definitions.settled();
  expect(behind.registry.servedResources.find('x.example', 'v1', 'as')).toBeDefined();
  definitions.stop();
});
