import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** The value of an enumeration is printed as JSON, that of a plain string is quoted, as in kube-apiserver 1.37.2. */
async function shownIn(what: string, o: JsonObject, namespace = ''): Promise<readonly string[]> {
  const b = await Bench.open();
  const found = await causesOf(b.create(what, namespace, { metadata: { name: 'a' }, ...o }));
  return found.map((cause) => cause.split(': supported', 1)[0]!);
}

it('of webhooks', async () => {
  const rule = { operations: ['<&>'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '<' };
  const webhook = {
    name: 'a.b.c',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { url: 'https://a' },
    rules: [rule],
  };
  const what = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    webhooks: [webhook],
  };
  expect(await shownIn(what, configuration)).toEqual([
    'webhooks[0].rules[0].operations[0]: Unsupported value: "\\u003c\\u0026\\u003e"',
    'webhooks[0].rules[0].scope: Unsupported value: "\\u003c"',
  ]);
});

it('of services, whose type is reported after the affinity', async () => {
  const spec = { ports: [{ port: 1 }], sessionAffinity: '<', type: '<', trafficDistribution: '<' };
  expect(await shownIn('services', { apiVersion: 'v1', kind: 'Service', spec }, 'default')).toEqual([
    'spec.sessionAffinity: Unsupported value: "\\u003c"',
    'spec.type: Unsupported value: "\\u003c"',
    'spec.trafficDistribution: Unsupported value: "<"',
  ]);
});

it('of a role binding and the parameters of a class', async () => {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: '<', name: 'x' },
  };
  expect(await shownIn('clusterrolebindings.rbac.authorization.k8s.io', binding)).toEqual([
    'roleRef.kind: Unsupported value: "<"',
  ]);
  const spec = { controller: 'a.b/c', parameters: { kind: 'a', name: 'b', scope: '<' } };
  const ingressClass = { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', spec };
  expect(await shownIn('ingressclasses.networking.k8s.io', ingressClass)).toEqual([
    'spec.parameters.scope: Unsupported value: "<"',
  ]);
});
