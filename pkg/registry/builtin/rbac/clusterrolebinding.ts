import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { bindingTable, defaultBinding } from './bindings.js';

export const clusterRoleBinding: ResourceDeclaration = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  kind: 'ClusterRoleBinding',
  versions: versions('rbac', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: { checksUpdateLikeNew: true, generation: 'none', createOnUpdate: true, defaults: defaultBinding },
  table: bindingTable,
};
