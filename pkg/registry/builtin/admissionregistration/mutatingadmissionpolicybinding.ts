import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { reservedName, warnOfName } from './names.js';
import { defaultPolicyBinding, validateMutatingBinding } from './policies.js';
import { policyBindingTable } from './policytables.js';

export const mutatingAdmissionPolicyBinding: ResourceDeclaration<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicyBinding> =
  {
    group: 'admissionregistration.k8s.io',
    resource: 'mutatingadmissionpolicybindings',
    singular: 'mutatingadmissionpolicybinding',
    kind: 'MutatingAdmissionPolicyBinding',
    versions: versions('v1', 'v1beta1', 'v1alpha1'),
    storageVersion: 'v1',
    namespaced: false,
    categories: ['api-extensions'],
    strategy: {
      defaults: defaultPolicyBinding,
      create: {
        validate: (o, errors, context) => {
          validateMutatingBinding(o, errors);
          reservedName(o, errors, context);
        },
      },
      update: {
        allowUnconditional: false,
        generation: 'spec',
        validate: (o, _old, errors) => validateMutatingBinding(o, errors),
      },
      warn: warnOfName,
      compatibility: { anyFinalizers: true, checksUpdateLikeNew: true },
    },
    table: policyBindingTable,
  };
