import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { policyBindingTable } from './policytables.js';

export const validatingAdmissionPolicyBinding: ResourceDeclaration = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  kind: 'ValidatingAdmissionPolicyBinding',
  versions: versions('admissionregistration', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  categories: ['api-extensions'],
  strategy: { generation: 'spec' },
  table: policyBindingTable,
};
