import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { bindingTable, defaultBinding } from './bindings.js';

export const roleBinding: ResourceDeclaration = {
  group: 'rbac.authorization.k8s.io',
  resource: 'rolebindings',
  singular: 'rolebinding',
  kind: 'RoleBinding',
  versions: versions('rbac', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: { checksUpdateLikeNew: true, generation: 'none', createOnUpdate: true, defaults: defaultBinding },
  table: bindingTable,
};
