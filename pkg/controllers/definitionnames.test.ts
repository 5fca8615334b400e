import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { conditionOf } from './definition.js';
import { definitionNames } from './definitionnames.js';
import { openScene } from './testing/scene.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';
const APPROVED = 'api-approved.kubernetes.io';

const definition = (group: string, annotations: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `as.${group}`, annotations },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A' },
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
