import { expect, it } from 'vitest';
import { Bench, causesOf } from '../../testing.js';

it('a webhook reports its selectors before its client, and review versions last', async () => {
  const b = await Bench.open();
  const selector = { matchLabels: { 'a b': 'c' } };
  const webhook = {
    name: 'a',
    namespaceSelector: selector,
    objectSelector: selector,
    failurePolicy: 'odd',
    matchPolicy: 'odd',
    reinvocationPolicy: 'odd',
    timeoutSeconds: 0,
    clientConfig: {},
    rules: [{ operations: [] }],
    matchConditions: [{ name: '', expression: 'true' }],
    admissionReviewVersions: ['A'],
  };
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'a' },
    webhooks: [webhook],
  };
  const what = 'mutatingwebhookconfigurations.admissionregistration.k8s.io/v1';
  const found = await causesOf(b.create(what, '', configuration));
  expect([...new Set(found.map((c) => c.split(':')[0]!.replace('webhooks[0].', '')))]).toEqual([
    'name',
    'rules[0].operations',
    'rules[0].apiGroups',
    'rules[0].apiVersions',
    'rules[0].resources',
    'failurePolicy',
    'matchPolicy',
    'sideEffects',
    'timeoutSeconds',
    'namespaceSelector.matchLabels',
    'objectSelector.matchLabels',
    'reinvocationPolicy',
    'clientConfig',
    'matchConditions[0].name',
    'admissionReviewVersions[0]',
    'admissionReviewVersions',
  ]);
});
