import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { NAME_AND_CREATION } from '../table.js';

export const role: ResourceDeclaration = {
  group: 'rbac.authorization.k8s.io',
  resource: 'roles',
  singular: 'role',
  kind: 'Role',
  versions: versions('rbac', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: { checksUpdateLikeNew: true, generation: 'none', createOnUpdate: true },
  table: NAME_AND_CREATION,
};
