import { expect, it } from 'vitest';
import { Bench, causesOf } from '../../testing.js';

it('a policy without a name has no audit annotations', async () => {
  const b = await Bench.open();
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: {},
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
      auditAnnotations: [{ key: 'a b', valueExpression: '"x"' }],
    },
  };
  const resource = 'validatingadmissionpolicies.admissionregistration.k8s.io';
  expect(await causesOf(b.create(resource, '', policy))).toEqual([
    'metadata.name: Required value: name or generateName is required',
    'spec.auditAnnotations[0].key: Invalid value: "a b": requires metadata.name be non-empty',
  ]);
});
