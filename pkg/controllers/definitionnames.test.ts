import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import type { Bench } from '../registry/testing.js';
import { conditionOf } from './definition.js';
import { definitionNames } from './definitionnames.js';
import { openScene } from './testing/scene.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';
const APPROVED = 'api-approved.kubernetes.io';

const definition = (group: string, annotations: JsonObject, names: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${names['plural'] ?? 'as'}.${group}`, annotations },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A', ...names },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

it('states whether a definition in a group of the community is approved', async () => {
  const { bench, context, start, work } = await openScene();
  const url = 'https://github.com/kubernetes/kubernetes/pull/1';
  await bench.create(DEFINITIONS, '', definition('a.k8s.io', { [APPROVED]: url }));
  await bench.create(DEFINITIONS, '', definition('b.kubernetes.io', { [APPROVED]: 'unapproved, a trial' }));
  await bench.create(DEFINITIONS, '', definition('c.example', { [APPROVED]: url }));
  await start(definitionNames(context));
  await work(3);
  const approvals = async (): Promise<readonly unknown[]> =>
    (await bench.list(DEFINITIONS, '')).items
      .map((d) => conditionOf(d, 'KubernetesAPIApprovalPolicyConformant'))
      .map((c) => c && [c['status'], c['reason'], c['message']]);
  const bypassed = (why: string): readonly string[] => ['False', 'UnapprovedAnnotation', `not approved: "${why}"`];
  const approved = ['True', 'ApprovedAnnotation', `approved in ${url}`];
  expect(await approvals()).toEqual([approved, bypassed('unapproved, a trial'), undefined]);
  await bench.patch(DEFINITIONS, ['', 'as.a.k8s.io'], {
    metadata: { annotations: { [APPROVED]: 'unapproved again' } },
  });
  await work(3);
  expect(await approvals()).toEqual([bypassed('unapproved again'), bypassed('unapproved, a trial'), undefined]);
});

const condition = async (bench: Bench, name: string, type = 'NamesAccepted'): Promise<unknown> => {
  const found = conditionOf(await bench.get(DEFINITIONS, '', name), type);
  return found && [found['status'], found['reason'], found['message']];
};

it('names the last conflict, and all conflicts of short names', async () => {
  const { bench, context, start, work } = await openScene();
  await start(definitionNames(context));
  await bench.create(DEFINITIONS, '', definition('x.y', {}, { plural: 'cats', kind: 'Cat', shortNames: ['a', 'b'] }));
  await work(3);
  await bench.create(
    DEFINITIONS,
    '',
    definition('x.y', {}, { plural: 'dogs', kind: 'Dog', shortNames: ['b', 'c', 'a'] }),
  );
  await bench.create(DEFINITIONS, '', definition('x.y', {}, { plural: 'cows', kind: 'Cat' }));
  await work(3);
  const used = (n: string): string => `"${n}" is already in use`;
  expect(await condition(bench, 'dogs.x.y')).toEqual(['False', 'ShortNamesConflict', `[${used('b')}, ${used('a')}]`]);
  expect(await condition(bench, 'cows.x.y')).toEqual(['False', 'ListKindConflict', used('CatList')]);
  expect(await condition(bench, 'cows.x.y', 'Established')).toEqual([
    'False',
    'NotAccepted',
    'not all names are accepted',
  ]);
});

it('leaves conditions that a user has written until the names differ', async () => {
  const { bench, context, start, work } = await openScene();
  await start(definitionNames(context));
  await bench.create(DEFINITIONS, '', definition('x.y', {}));
  await work(3);
  await bench.patch(`${DEFINITIONS}/status`, ['', 'as.x.y'], { status: { conditions: null } });
  await work(3);
  expect(await condition(bench, 'as.x.y')).toBeUndefined();
  await bench.patch(DEFINITIONS, ['', 'as.x.y'], { spec: { names: { shortNames: ['a'] } } });
  await work(3);
  expect(await condition(bench, 'as.x.y')).toEqual(['True', 'NoConflicts', 'no conflicts found']);
  expect(await condition(bench, 'as.x.y', 'Established')).toEqual([
    'True',
    'InitialNamesAccepted',
    'the initial names have been accepted',
  ]);
});

it('establishes a definition by an update of its own', async () => {
  const seen: unknown[] = [];
  const { bench, context, start, work } = await openScene((cluster) => ({
    ...cluster,
    async patch(...args: Parameters<typeof cluster.patch>) {
      const done = await cluster.patch(...args);
      seen.push(await condition(bench, 'as.x.y'), await condition(bench, 'as.x.y', 'Established'));
      return done;
    },
  }));
  await start(definitionNames(context));
  await bench.create(DEFINITIONS, '', definition('x.y', {}));
  await work(3);
  const accepted = ['True', 'NoConflicts', 'no conflicts found'];
  expect(seen).toEqual([
    accepted,
    ['False', 'Installing', 'the initial names have been accepted'],
    accepted,
    ['True', 'InitialNamesAccepted', 'the initial names have been accepted'],
  ]);
});
