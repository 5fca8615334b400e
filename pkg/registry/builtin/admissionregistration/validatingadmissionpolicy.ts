import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { reservedName, warnOfName } from './names.js';
import { defaultPolicy, validatePolicyStatus, validateValidatingPolicy } from './policies.js';
import { policyTable } from './policytables.js';

export const validatingAdmissionPolicy: ResourceDeclaration<shapes.AdmissionregistrationV1ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  kind: 'ValidatingAdmissionPolicy',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  categories: ['api-extensions'],
  strategy: withStatus({
    defaults: defaultPolicy,
    warn: warnOfName,
    create: {
      *validate(o, errors, context) {
        yield* validateValidatingPolicy(o, undefined, errors);
        reservedName(o, errors, context);
      },
    },
    update: { allowUnconditional: false, validate: validateValidatingPolicy },
    compatibility: { anyFinalizers: true, checksUpdateLikeNew: true },
  }),
  subresources: { status: statusAlone({ update: { validate: validatePolicyStatus } }) },
  table: policyTable('validations'),
};
