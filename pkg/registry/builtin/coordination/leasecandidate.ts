import { isConfigMapKey } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateCandidate, validateCandidateUpdate } from './validation.js';

export const leaseCandidate: ResourceDeclaration<shapes.CoordinationV1beta1LeaseCandidate> = {
  group: 'coordination.k8s.io',
  resource: 'leasecandidates',
  singular: 'leasecandidate',
  kind: 'LeaseCandidate',
  versions: versions('v1beta1', 'v1alpha2'),
  storageVersion: 'v1beta1',
  namespaced: true,
  strategy: {
    create: { validateName: isConfigMapKey, validate: validateCandidate },
    update: { allowCreate: true, allowUnconditional: false, generation: 'none', validate: validateCandidateUpdate },
    compatibility: { anyFinalizers: true },
  },
  table: table(
    [
      column('LeaseName', 'The lease that the candidate applies for.'),
      column('BinaryVersion', 'Version of the candidate.'),
      column('EmulationVersion', 'Version that the candidate behaves as.'),
      AGE,
    ],
    (o, now) => [
      textAt(o, 'spec', 'leaseName'),
      textAt(o, 'spec', 'binaryVersion'),
      textAt(o, 'spec', 'emulationVersion'),
      age(o, now),
    ],
  ),
};
