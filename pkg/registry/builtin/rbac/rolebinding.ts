import { pathSegmentName } from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { bindingTable, defaultBinding } from './bindings.js';
import { sameRole, validateBinding } from './validation.js';

const validate = validateBinding(['Role', 'ClusterRole'], true);

export const roleBinding: ResourceDeclaration = {
  group: 'rbac.authorization.k8s.io',
  resource: 'rolebindings',
  singular: 'rolebinding',
  kind: 'RoleBinding',
  versions: versions('rbac', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    checksUpdateLikeNew: true,
    generation: 'none',
    createOnUpdate: true,
    validateName: pathSegmentName,
    validate,
    validateUpdate: (o, old, errors) => {
      validate(o, errors);
      sameRole(o, old, errors);
    },
    defaults: defaultBinding,
  },
  table: bindingTable,
};
