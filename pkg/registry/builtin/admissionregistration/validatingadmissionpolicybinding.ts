import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { reservedName, warnOfName } from './names.js';
import { defaultPolicyBinding, validateValidatingBinding } from './policies.js';
import { policyBindingTable } from './policytables.js';

export const validatingAdmissionPolicyBinding: ResourceDeclaration<shapes.AdmissionregistrationV1ValidatingAdmissionPolicyBinding> =
  {
    group: 'admissionregistration.k8s.io',
    resource: 'validatingadmissionpolicybindings',
    singular: 'validatingadmissionpolicybinding',
    kind: 'ValidatingAdmissionPolicyBinding',
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: false,
    categories: ['api-extensions'],
    strategy: {
      defaults: defaultPolicyBinding,
      create: {
        validate: (o, errors, context) => {
          validateValidatingBinding(o, errors);
          reservedName(o, errors, context);
        },
      },
      update: {
        allowUnconditional: false,
        generation: 'spec',
        validate: (o, _old, errors) => validateValidatingBinding(o, errors),
      },
      warn: warnOfName,
      compatibility: { anyFinalizers: true, checksUpdateLikeNew: true },
    },
    table: policyBindingTable,
  };
