import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { reservedName, warnOfName } from './names.js';
import { defaultPolicy, validateMutatingPolicy } from './policies.js';
import { policyTable } from './policytables.js';

export const mutatingAdmissionPolicy: ResourceDeclaration<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicy> =
  {
    group: 'admissionregistration.k8s.io',
    resource: 'mutatingadmissionpolicies',
    singular: 'mutatingadmissionpolicy',
    kind: 'MutatingAdmissionPolicy',
    versions: versions('v1', 'v1beta1', 'v1alpha1'),
    storageVersion: 'v1',
    namespaced: false,
    categories: ['api-extensions'],
    strategy: {
      defaults: defaultPolicy,
      warn: warnOfName,
      create: {
        *validate(o, errors, context) {
          yield* validateMutatingPolicy(o, undefined, errors);
          reservedName(o, errors, context);
        },
      },
      update: {
        allowUnconditional: false,
        generation: 'spec',
        validate: validateMutatingPolicy,
      },
      compatibility: { anyFinalizers: true, checksUpdateLikeNew: true },
    },
    table: policyTable('mutations'),
  };
