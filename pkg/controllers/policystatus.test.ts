import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { policyStatus } from './policystatus.js';
import { openScene } from './testing/scene.js';

const policy = (expression: string): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    validations: [{ expression }],
  },
});

it('writes the warnings of type checking once for each generation', async () => {
  const { bench, context, start, work } = await openScene();
  await start(policyStatus(context));
  await bench.create('validatingadmissionpolicies.admissionregistration.k8s.io/v1', '', policy('object.nope > 1'));
  await work();
  const status = async () =>
    (await bench.get('validatingadmissionpolicies.admissionregistration.k8s.io/v1', '', 'p'))['status'];
  expect(await status()).toMatchObject({
    observedGeneration: 1,
    typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0].expression' }] },
  });
  await bench.patch('validatingadmissionpolicies.admissionregistration.k8s.io/v1', ['', 'p'], {
    spec: { validations: [{ expression: "object.spec.nodeName != ''" }] },
  });
  await work();
  expect(await status()).toEqual({ observedGeneration: 2, typeChecking: {} });
});
