import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { defaultPolicy, validateMutatingPolicy } from './policies.js';
import { policyTable } from './policytables.js';

export const mutatingAdmissionPolicy: ResourceDeclaration = {
  group: 'admissionregistration.k8s.io',
  resource: 'mutatingadmissionpolicies',
  singular: 'mutatingadmissionpolicy',
  kind: 'MutatingAdmissionPolicy',
  versions: versions('admissionregistration', 'v1', 'v1beta1', 'v1alpha1'),
  storageVersion: 'v1beta1',
  namespaced: false,
  categories: ['api-extensions'],
  strategy: {
    anyFinalizers: true,
    unconditionalUpdate: false,
    defaults: defaultPolicy,
    validate: validateMutatingPolicy,
    validateUpdate: (o, _old, errors) => validateMutatingPolicy(o, errors),
    generation: 'spec',
  },
  table: policyTable('mutations'),
};
