import type { JsonObject } from '../../../api/index.js';
import { CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS } from './bindings.js';
import { CLUSTER_ROLES } from './clusterroles.js';
import { CONTROLLER_ROLES } from './controllerroles.js';
import { ROLES } from './roles.js';
import { bindingObject, roleObject } from './spec.js';

/** The roles and bindings of every cluster, by resource. Built anew at each call. */
export interface BootstrapPolicy {
  readonly clusterroles: readonly JsonObject[];
  readonly clusterrolebindings: readonly JsonObject[];
  readonly roles: readonly JsonObject[];
  readonly rolebindings: readonly JsonObject[];
}

export function bootstrapPolicy(): BootstrapPolicy {
  return {
    clusterroles: [...CLUSTER_ROLES, ...CONTROLLER_ROLES].map(roleObject),
    clusterrolebindings: CLUSTER_ROLE_BINDINGS.map(bindingObject),
    roles: ROLES.map(roleObject),
    rolebindings: ROLE_BINDINGS.map(bindingObject),
  };
}

export { type Reconciliation, reconcileBinding, reconcileRole } from './reconcile.js';
