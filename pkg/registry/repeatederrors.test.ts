import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench, causesOf } from './testing.js';

/** How often kube-apiserver 1.37.2 reports the same error of an update. */

const WRONG = { labels: { 'a b': 'c' }, finalizers: ['a b'], deletionGracePeriodSeconds: 5 };
const named = (apiVersion: string, kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});

/** The fields of the errors of `change`, after `object` was created. */
async function fields(b: Bench, what: string, object: JsonObject, change: JsonObject): Promise<readonly string[]> {
  const { name } = object['metadata'] as { readonly name: string };
  const kind = what.split('/').slice(0, 2).join('/');
  await b.create(kind, '', object);
  const found = await causesOf(b.patch(what, ['', name], change));
  return found.map((cause) => cause.split(':', 1)[0]!);
}

const RULES_OF_ALL = ['metadata.labels', 'metadata.finalizers'];
const RULES_OF_UPDATES = ['metadata.deletionGracePeriodSeconds', 'metadata.labels'];

const priorityClass = (): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'a' },
  value: 1,
});

it('kinds with declarative validation report it once', async () => {
  const b = await Bench.open();
  const change = { metadata: { ...WRONG, finalizers: ['a.io/b c'] } };
  expect(await fields(b, 'priorityclasses.scheduling.k8s.io/v1', priorityClass(), change)).toEqual([
    ...RULES_OF_ALL,
    'metadata.deletionGracePeriodSeconds',
  ]);
});

const SERVICE = { namespace: 'default', name: 'a' };
const apiService = (): JsonObject =>
  named('apiregistration.k8s.io/v1', 'APIService', 'v1.a.io', {
    group: 'a.io',
    version: 'v1',
    groupPriorityMinimum: 10,
    versionPriority: 10,
    service: SERVICE,
    insecureSkipTLSVerify: true,
  });

it('API services report it as often as their rules find it', async () => {
  const b = await Bench.open();
  const change = { metadata: { ...WRONG, generateName: 'A' }, spec: { versionPriority: -1 } };
  expect(await fields(b, 'apiservices.apiregistration.k8s.io/v1', apiService(), change)).toEqual([
    ...RULES_OF_ALL,
    ...RULES_OF_UPDATES,
    ...RULES_OF_UPDATES,
    'metadata.generateName',
    ...RULES_OF_ALL,
    'spec.versionPriority',
  ]);
});

it('the name of an API service is compared with its group version in each update', async () => {
  const b = await Bench.open();
  await b.create('apiservices.apiregistration.k8s.io/v1', '', apiService());
  const renamed = b.patch('apiservices.apiregistration.k8s.io/v1', ['', 'v1.a.io'], { spec: { group: 'b.io' } });
  expect(await causesOf(renamed)).toEqual([
    'metadata.name: Invalid value: "v1.a.io": must be `spec.version+"."+spec.group`: "v1.b.io"',
  ]);
});

const definition = (): JsonObject =>
  named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'as.a.io', {
    group: 'a.io',
    names: { plural: 'as', kind: 'A' },
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  });

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';

it('definitions report an error as often as found', async () => {
  const b = await Bench.open();
  const change = { metadata: WRONG, spec: { conversion: { strategy: 'Odd' } } };
  expect(await fields(b, DEFINITIONS, definition(), change)).toEqual([
    ...RULES_OF_ALL,
    ...RULES_OF_UPDATES,
    ...RULES_OF_UPDATES,
    'spec.conversion.strategy',
  ]);
});

it('definitions report a change of an immutable field once', async () => {
  const b = await Bench.open();
  const change = { spec: { group: 'b.io' } };
  expect(await fields(b, DEFINITIONS, definition(), change)).toEqual(['spec.group']);
});

it('a write of the status of a definition reports an error as often as found', async () => {
  const b = await Bench.open();
  expect(await fields(b, `${DEFINITIONS}/status`, definition(), { metadata: WRONG })).toEqual([
    ...RULES_OF_ALL,
    ...RULES_OF_UPDATES,
    ...RULES_OF_UPDATES,
  ]);
});
