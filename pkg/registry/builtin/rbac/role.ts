import { pathSegmentName } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { NAME_AND_CREATION } from '../table.js';
import { validateRole } from './validation.js';

export const role: ResourceDeclaration<shapes.RbacV1Role> = {
  group: 'rbac.authorization.k8s.io',
  resource: 'roles',
  singular: 'role',
  kind: 'Role',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    create: { validateName: pathSegmentName, validate: validateRole },
    update: { allowCreate: true, generation: 'none', validate: (o, _old, errors) => validateRole(o, errors) },
    compatibility: { checksUpdateLikeNew: true, noUnsafeDeletion: true },
  },
  table: NAME_AND_CREATION,
};
