import { pathSegmentName } from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { NAME_AND_CREATION } from '../table.js';
import { validateClusterRole } from './validation.js';

export const clusterRole: ResourceDeclaration = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  singular: 'clusterrole',
  kind: 'ClusterRole',
  versions: versions('rbac', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    checksUpdateLikeNew: true,
    generation: 'none',
    createOnUpdate: true,
    validateName: pathSegmentName,
    validate: validateClusterRole,
    validateUpdate: (o, _old, errors) => validateClusterRole(o, errors),
  },
  table: NAME_AND_CREATION,
};
