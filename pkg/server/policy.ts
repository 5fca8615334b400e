import { bootstrapPolicy, reconcileBinding, reconcileRole } from '../auth/index.js';
import type { World } from '../base/index.js';
import type { Registry } from '../registry/index.js';
import { ensureObjects } from './ensure.js';

const GROUP = 'rbac.authorization.k8s.io';
const MANAGER = 'kube-apiserver';

/**
 * Creates the bootstrap roles and bindings, and reconciles existing ones. Every peer does so at its start, and
 * tolerates that another one is faster.
 */
export async function bootstrapRbac(registry: Registry, world: World): Promise<void> {
  const policy = bootstrapPolicy();
  for (const resource of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const) {
    const served = registry.servedResources.find(GROUP, 'v1', resource);
    if (served === undefined) continue;
    const reconcile = resource.endsWith('roles') ? reconcileRole : reconcileBinding;
    await ensureObjects({ registry, world, served, manager: MANAGER }, policy[resource], reconcile);
  }
}
