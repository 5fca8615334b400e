import type { ResourceDeclaration } from '../../resource.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { defaultPolicy, validatePolicyStatus, validateValidatingPolicy } from './policies.js';
import { policyTable } from './policytables.js';

export const validatingAdmissionPolicy: ResourceDeclaration = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  kind: 'ValidatingAdmissionPolicy',
  versions: versions('admissionregistration', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  categories: ['api-extensions'],
  strategy: withStatus({
    anyFinalizers: true,
    unconditionalUpdate: false,
    defaults: defaultPolicy,
    validate: validateValidatingPolicy,
    validateUpdate: (o, _old, errors) => validateValidatingPolicy(o, errors),
  }),
  subresources: { status: statusSubresource({ validateUpdate: validatePolicyStatus }) },
  table: policyTable('validations'),
};
