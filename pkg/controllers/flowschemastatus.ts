import { formatTime, objectsAt, textAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const NAME = 'flow-schema-status-controller';
const GROUP = 'flowcontrol.apiserver.k8s.io';

/**
 * Milliseconds from a change of a schema to the check of its condition. A client that creates a schema and changes it at once meets no
 * write in between, as with kube-apiserver.
 */
const SETTLE_MS = 100;

/** Keeps the condition `Dangling` of every FlowSchema: whether its priority level does not exist. */
export function flowSchemaStatus({ cluster, world, log }: ControllerContext): Controller {
  /** The level of each schema, by name. */
  const schemas = new Map<string, string>();
  const queue = new WorkQueue({
    world,
    workers: 2,
    sync,
    failed: (key, error) => log(`${NAME}: will try again`, { flowSchema: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group !== GROUP) return;
    const { name } = (after ?? before)!;
    if (resource.resource === 'flowschemas') {
      if (after === undefined) schemas.delete(name);
      else {
        schemas.set(name, textAt(after.value(), 'spec', 'priorityLevelConfiguration', 'name'));
        queue.addAfter(name, SETTLE_MS);
      }
    } else if (before === undefined || after === undefined) {
      for (const [schema, level] of schemas) if (level === name) queue.add(schema);
    }
  }

  async function sync(name: string): Promise<void> {
    const resource = cluster.servedResources().find(GROUP, 'v1', 'flowschemas');
    const levels = cluster.servedResources().find(GROUP, 'v1', 'prioritylevelconfigurations');
    if (resource === undefined || levels === undefined) return;
    const schema = await cluster.get({ resource, namespace: '', name });
    if (schema === undefined) return;
    const level = textAt(schema, 'spec', 'priorityLevelConfiguration', 'name');
    const exists = (await cluster.get({ resource: levels, namespace: '', name: level })) !== undefined;
    const condition = exists
      ? {
          status: 'False',
          reason: 'Found',
          message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
        }
      : {
          status: 'True',
          reason: 'NotFound',
          message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" but there is no such object`,
        };
    const conditions = objectsAt(schema, 'status', 'conditions');
    const present = conditions.find((c) => textAt(c, 'type') === 'Dangling');
    if (textAt(present, 'status') === condition.status && textAt(present, 'message') === condition.message) return;
    const isTransition = textAt(present, 'status') !== condition.status;
    const since = formatTime(world.clock.now());
    const lastTransitionTime = isTransition ? since : textAt(present, 'lastTransitionTime');
    const { resourceVersion } = metaOf(schema);
    await cluster.apply({ resource, namespace: '', name }, 'status', {
      metadata: { resourceVersion },
      status: { conditions: [{ type: 'Dangling', ...condition, lastTransitionTime }] },
    });
  }

  return controllerOf(NAME, cluster, queue, { changed });
}
