import type { World } from '../base/index.js';
import type { ControllerContext } from '../controllers/index.js';
import type { Registry } from '../registry/index.js';
import { ensureFlowControl } from './flowcontrol.js';

/** Milliseconds, as in kube-apiserver. */
const INTERVAL = 60_000;

/**
 * Creates again, each minute, what every cluster has and a user has deleted or changed: its namespaces, and the flow schemas and priority
 * levels that follow the server. Every peer does this; it writes only what differs. Returns the function that stops it.
 */
export function keepUp(registry: Registry, world: World, log: ControllerContext['log']): () => void {
  let isBusy = false;
  const ensure = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      await registry.ensureNamespaces();
      await ensureFlowControl(registry, world);
    } catch (error) {
      log('could not create the objects again that every cluster has; will retry', { error: String(error) });
    } finally {
      isBusy = false;
    }
  };
  return world.timers.every(INTERVAL, () => void ensure());
}
