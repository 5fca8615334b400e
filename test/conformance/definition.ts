import type { JsonObject } from '../../pkg/api/index.js';
import type { Client } from '../e2e/client.js';
import type { Expression } from './statements/expressions.js';

const GROUP = 'expressions.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const THINGS = `/apis/${GROUP}/v1/things`;

/** A definition whose objects have the given fields. */
export const definitionOf = (properties: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Cluster',
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
    ],
  },
});

export const withRule = (schema: JsonObject, rule: string): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': [{ rule }],
});

/** A field of the definition for each expression. */
export const fieldsOf = (expressions: readonly Expression[]): JsonObject =>
  Object.fromEntries(expressions.map(({ schema, rule }, i) => [`f${i}`, withRule(schema, rule)]));

export const thing = (field: string, value: JsonObject[string]): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Thing',
  metadata: { name: 'rule' },
  [field]: value,
});

/** Asks whether a definition is valid. */
export const tryDefinition = (client: Client, properties: JsonObject): ReturnType<Client['ask']> =>
  client.ask(`${DEFINITIONS}?dryRun=All`, { body: definitionOf(properties) });

/** Creates the definition, and waits until it is served. */
export async function establish(client: Client, properties: JsonObject): Promise<void> {
  const made = await client.ask(DEFINITIONS, { body: definitionOf(properties) });
  if (made.status !== 201) throw new Error(made.body.toString());
  const end = performance.now() + 60_000;
  while ((await client.ask(THINGS)).status !== 200) {
    if (performance.now() > end) throw new Error('the definition is not served');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const removeDefinition = (client: Client): Promise<unknown> =>
  client.ask(`${DEFINITIONS}/things.${GROUP}`, { method: 'DELETE' });
