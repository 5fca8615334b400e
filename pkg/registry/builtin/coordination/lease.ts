import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateLease } from './validation.js';

export const lease: ResourceDeclaration = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  singular: 'lease',
  kind: 'Lease',
  versions: versions('coordination', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    anyFinalizers: true,
    validate: validateLease,
    validateUpdate: (o, _old, errors) => validateLease(o, errors),
    generation: 'none',
    createOnUpdate: true,
    unconditionalUpdate: false,
  },
  table: table([column('Holder', 'Who holds the lease.'), AGE], (o, now) => [
    textAt(o, 'spec', 'holderIdentity'),
    age(o, now),
  ]),
};
