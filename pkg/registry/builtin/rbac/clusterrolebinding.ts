import { pathSegmentName } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { bindingTable, defaultBinding } from './bindings.js';
import { sameRole, validateBinding } from './validation.js';

const validate = validateBinding(['ClusterRole'], false);

export const clusterRoleBinding: ResourceDeclaration<shapes.RbacV1ClusterRoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  kind: 'ClusterRoleBinding',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
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
