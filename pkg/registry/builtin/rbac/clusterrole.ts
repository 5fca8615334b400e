import { pathSegmentName } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { NAME_AND_CREATION } from '../table.js';
import { validateClusterRole } from './validation.js';

export const clusterRole: ResourceDeclaration<shapes.RbacV1ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  singular: 'clusterrole',
  kind: 'ClusterRole',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    create: { validateName: pathSegmentName, validate: (o, errors) => validateClusterRole(o, errors) },
    update: {
      allowCreate: true,
      generation: 'none',
      validate: (o, old, errors) => validateClusterRole(o, errors, old),
    },
    compatibility: { checksUpdateLikeNew: true, noUnsafeDeletion: true },
  },
  table: NAME_AND_CREATION,
};
