import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateLease } from './validation.js';

export const lease: ResourceDeclaration<shapes.CoordinationV1Lease> = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  singular: 'lease',
  kind: 'Lease',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    create: { validate: validateLease },
    update: {
      allowCreate: true,
      allowUnconditional: false,
      generation: 'none',
      validate: (o, _old, errors) => validateLease(o, errors),
    },
    compatibility: { anyFinalizers: true },
  },
  table: table([column('Holder', 'Who holds the lease.'), AGE], (o, now) => [
    textAt(o, 'spec', 'holderIdentity'),
    age(o, now),
  ]),
};
