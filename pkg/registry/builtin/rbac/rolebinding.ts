import { pathSegmentName } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { bindingTable, defaultBinding } from './bindings.js';
import { sameRole, validateBinding } from './validation.js';

const validate = validateBinding(['Role', 'ClusterRole'], true);

export const roleBinding: ResourceDeclaration<shapes.RbacV1RoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  resource: 'rolebindings',
  singular: 'rolebinding',
  kind: 'RoleBinding',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    defaults: defaultBinding,
    create: { validateName: pathSegmentName, validate },
    update: {
      allowCreate: true,
      generation: 'none',
      validate: (o, old, errors) => {
        validate(o, errors);
        sameRole(o, old, errors);
      },
    },
    compatibility: { checksUpdateLikeNew: true, noUnsafeDeletion: true },
  },
  table: bindingTable,
};
