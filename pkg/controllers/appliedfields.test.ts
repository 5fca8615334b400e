import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { clusterRoleAggregation } from './clusterroleaggregation.js';
import { flowSchemaStatus } from './flowschemastatus.js';
import { metaIn, openScene } from './testing/scene.js';

const FLOW = 'flowschemas.flowcontrol.apiserver.k8s.io/v1';
const ROLES = 'clusterroles.rbac.authorization.k8s.io/v1';

const appliedIn = (o: JsonObject): readonly JsonObject[] =>
  (metaIn(o)['managedFields'] as readonly JsonObject[]).filter((entry) => entry['operation'] === 'Apply');

it('applies the condition of a flow schema and leaves those of others', async () => {
  const { bench, context, start, work } = await openScene();
  const other = {
    type: 'Other',
    status: 'True',
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  };
  await bench.create(FLOW, '', {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: 'f' },
    spec: {
      priorityLevelConfiguration: { name: 'none' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
  });
  await bench.patch(`${FLOW}/status`, ['', 'f'], { status: { conditions: [other] } });
  await start(flowSchemaStatus(context));
  await work();
  const schema = await bench.get(FLOW, '', 'f');
  expect(schema['status']).toMatchObject({ conditions: [other, { type: 'Dangling', status: 'True' }] });
  expect(appliedIn(schema)).toMatchObject([
    { subresource: 'status', fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Dangling"}': {} } } } },
  ]);
});

it('applies the rules of an aggregated role', async () => {
  const { bench, context, start, work } = await openScene();
  const role = (name: string, more: JsonObject, labels: JsonObject = {}): JsonObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    ...more,
  });
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  await bench.create(ROLES, '', role('part', { rules }, { a: 'b' }));
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
  await bench.create(ROLES, '', role('whole', { aggregationRule, rules: [] }));
  await start(clusterRoleAggregation(context));
  await work();
  const whole = await bench.get(ROLES, '', 'whole');
  expect(whole).toMatchObject({ rules, aggregationRule });
  expect(appliedIn(whole)).toMatchObject([{ fieldsV1: { 'f:rules': {} } }]);
});
