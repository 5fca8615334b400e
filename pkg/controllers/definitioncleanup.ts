import { cloneJson, isObject, type JsonObject, listAt, textAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { Kind, ServedResource } from '../registry/index.js';
import type { Place } from './cluster.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { CLEANUP_FINALIZER, type Condition, isDefinition, isTrue, placeOf, setCondition } from './definition.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const WORKERS = 4;
/** Milliseconds between checks whether objects with finalizers are gone. */
const RETRY_MILLISECONDS = 1000;

/**
 * Deletes all objects of a kind whose definition is being deleted, and removes the finalizer of the definition when
 * none is left.
 */
export function definitionCleanup(context: ControllerContext): Controller {
  const { cluster, world } = context;
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) =>
      context.log('definition cleanup controller: will retry', { definition: key, error: String(error) }),
  });

  function changed(resource: ServedResource, _before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (after !== undefined && isDefinition(resource) && after.json.includes(CLEANUP_FINALIZER)) queue.add(after.name);
  }

  async function sync(name: string): Promise<void> {
    const place = placeOf(context, name);
    const definition = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || definition === undefined) return;
    const meta = metaOf(definition);
    if (!meta.deleting || !meta.finalizers.includes(CLEANUP_FINALIZER)) return;
    /** The same definition as of now, while its deletion is not complete. The next leader may have completed it. */
    const now = async (): Promise<JsonObject | undefined> => {
      const found = await cluster.get(place);
      return found !== undefined && metaOf(found).uid === meta.uid && metaOf(found).deleting ? found : undefined;
    };
    const isEstablished = isTrue(definition, 'Established');
    if (isEstablished) await report(place, definition, IN_PROGRESS);
    const kind = cluster
      .servedResources()
      .kind(textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'plural'));
    if (kind !== undefined && (await empty(kind, async () => (await now()) !== undefined)) > 0) {
      queue.addAfter(name, RETRY_MILLISECONDS);
      return;
    }
    const current = await now();
    if (current === undefined) return;
    await release(place, current, isEstablished ? COMPLETED : NEVER_ESTABLISHED);
  }

  /** Deletes every object of the kind and returns how many are left. */
  async function empty(kind: Kind, isDue: () => Promise<boolean>): Promise<number> {
    const resource = kind.served[0];
    if (resource === undefined) return 0;
    const namespaces = new Set((await cluster.list(resource, '')).map((o) => metaOf(o).namespace));
    for (const namespace of namespaces) await cluster.deleteCollection(resource, namespace, isDue);
    return (await cluster.list(resource, '')).length;
  }

  async function report(place: Place, definition: JsonObject, condition: Condition): Promise<void> {
    const next = cloneJson(definition);
    if (setCondition(next, condition, world.clock.now())) await cluster.replace(place, 'status', next);
  }

  /** As in kube-apiserver, one write of the status has the condition and removes the finalizer. */
  async function release(place: Place, definition: JsonObject, condition: Condition): Promise<void> {
    const next = cloneJson(definition);
    setCondition(next, condition, world.clock.now());
    const meta = next['metadata'];
    if (isObject(meta)) meta['finalizers'] = listAt(meta, 'finalizers').filter((f) => f !== CLEANUP_FINALIZER);
    await cluster.replace(place, 'status', next);
  }

  return controllerOf('definition-cleanup-controller', cluster, queue, { changed });
}

const IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_ESTABLISHED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};
