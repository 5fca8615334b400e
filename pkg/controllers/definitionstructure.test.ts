import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { conditionOf } from './definition.js';
import { definitionStructure } from './definitionstructure.js';
import { openScene } from './testing/scene.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';
const KEY = '/registry/apiextensions.k8s.io/customresourcedefinitions/as.x.example';

const definition = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'as.x.example' },
  spec: {
    group: 'x.example',
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
    ],
    ...more,
  },
});

it('states why the schemas of a stored definition are not structural', async () => {
  const { bench, context, start, work } = await openScene();
  const created = await bench.create(DEFINITIONS, '', definition({}));
  await start(definitionStructure(context));
  const stored = async (o: JsonObject): Promise<unknown> => {
    const { metadata, status } = await bench.get(DEFINITIONS, '', 'as.x.example');
    const value = Buffer.from(JSON.stringify({ ...o, metadata, status: status ?? null }));
    await bench.keyspace.txn({ compares: [], ops: [{ kind: 'put', key: KEY, value }] });
    await work(3);
    const found = conditionOf(await bench.get(DEFINITIONS, '', 'as.x.example'), 'NonStructuralSchema');
    return found && [found['status'], found['reason'], found['message']];
  };
  expect(created['metadata']).toBeDefined();
  const at = 'spec.versions[0].schema.openAPIV3Schema.properties';
  const pattern = `${at}[p].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``;
  expect(await stored(definition({ p: { type: 'string', pattern: '(' } }))).toEqual(['True', 'Violations', pattern]);
  expect(await stored(definition({ p: {} }, { preserveUnknownFields: true }))).toEqual([
    'True',
    'Violations',
    `[spec.preserveUnknownFields: Invalid value: true: must be false, ${at}[p].type: Required value: must not be empty for specified object fields]`,
  ]);
  expect(await stored(definition({ p: { type: 'string', id: 'x' } }))).toEqual([
    'Unknown',
    'StructuralError',
    "failed to check validation schema for version v1: OpenAPIV3Schema 'id' is not supported",
  ]);
  expect(await stored(definition({ p: { type: 'string' } }))).toBeUndefined();
});
