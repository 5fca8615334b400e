import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { AGE, age, table } from '../table.js';

export const serviceAccount: ResourceDeclaration = {
  group: '',
  resource: 'serviceaccounts',
  singular: 'serviceaccount',
  kind: 'ServiceAccount',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['sa'],
  strategy: { checksUpdateLikeNew: true, generation: 'none', returnsDeleted: true },
  table: table([AGE], (o, now) => [age(o, now)]),
};
