import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

const NAME = 'x.static.k8s.io';
const rule = (more: JsonObject): JsonObject => ({
  operations: ['CREATE'],
  apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'],
  apiVersions: ['v1'],
  resources: ['tokenreviews', 'subjectaccessreviews'],
  ...more,
});
const configuration = (kind: string, name: string, rules: JsonObject[] = []): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  webhooks: [
    { name: 'a.b.c', clientConfig: { url: 'https://x' }, admissionReviewVersions: ['v1'], sideEffects: 'None', rules },
  ],
});
const policy = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: NAME },
  spec: { matchConstraints: { resourceRules: [rule({})] }, ...spec },
});

it.each<readonly [string, JsonObject]>([
  ['validatingwebhookconfigurations', configuration('ValidatingWebhookConfiguration', NAME)],
  ['mutatingwebhookconfigurations', configuration('MutatingWebhookConfiguration', NAME)],
  ['validatingadmissionpolicies', policy('ValidatingAdmissionPolicy', { validations: [{ expression: 'true' }] })],
  [
    'mutatingadmissionpolicies',
    policy('MutatingAdmissionPolicy', {
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' } }],
    }),
  ],
  [
    'validatingadmissionpolicybindings',
    { ...policy('ValidatingAdmissionPolicyBinding', {}), spec: { policyName: 'a', validationActions: ['Deny'] } },
  ],
  ['mutatingadmissionpolicybindings', { ...policy('MutatingAdmissionPolicyBinding', {}), spec: { policyName: 'a' } }],
])('%s do not have names of configurations in files', async (resource, o) => {
  const bench = await Bench.open();
  expect(await causesOf(bench.create(`${resource}.admissionregistration.k8s.io`, '', o))).toEqual([
    `metadata.name: Invalid value: "${NAME}": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]);
  const metadata = { name: 'x.static.example' };
  await bench.create(`${resource}.admissionregistration.k8s.io`, '', { ...o, metadata });
});

it('warns about rules that name reviews', async () => {
  const bench = await Bench.open();
  const rules = [
    rule({}),
    rule({ apiGroups: ['*'] }),
    rule({ resources: ['*'] }),
    rule({ apiGroups: ['example.com'] }),
  ];
  await bench.create(
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
    '',
    configuration('ValidatingWebhookConfiguration', 'w', rules),
  );
  expect(bench.warnings).toEqual([
    'webhooks[0].rules[0]: tokenreviews.authentication.k8s.io is excluded from admission webhooks; this rule will have no effect',
    'webhooks[0].rules[0]: subjectaccessreviews.authorization.k8s.io is excluded from admission webhooks; this rule will have no effect',
  ]);
});

it('names a missing version of parameters', async () => {
  const bench = await Bench.open();
  const o = policy('ValidatingAdmissionPolicy', {
    validations: [{ expression: 'true' }],
    paramKind: { apiVersion: 'g/', kind: 'K' },
  });
  const creating = bench.create('validatingadmissionpolicies.admissionregistration.k8s.io', '', {
    ...o,
    metadata: { name: 'v' },
  });
  expect(await causesOf(creating)).toEqual([
    'spec.paramKind.apiVersion: Invalid value: "g/": version must be specified',
  ]);
});
