import { at, cloneJson, equalJson, type JsonObject, listAt, textAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { headOf, type ServedResource, sameSchemas, structuralViolations } from '../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { conditionOf, isDefinition, placeOf, setCondition } from './definition.js';
import { WorkQueue } from './queue.js';

const TYPE = 'NonStructuralSchema';

/**
 * States in a condition why the schemas of a CustomResourceDefinition are not structural, if it was stored by a release that allowed that.
 * A definition that is written now has structural schemas, so at the start only those are checked that preserve unknown fields or that have
 * the condition already, and later those whose schemas change: the schemas of hundreds of definitions are not parsed for nothing.
 */
export function definitionStructure(context: ControllerContext): Controller {
  const { cluster, world } = context;
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) =>
      context.log('definition structure controller: will retry', { name: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (!isDefinition(resource) || after === undefined) return;
    const { head } = headOf(after);
    const isSuspect = at(head, 'spec', 'preserveUnknownFields') === true || conditionOf(head, TYPE) !== undefined;
    if (isSuspect || (before !== undefined && !sameSchemas(before, after))) queue.add(after.name);
  }

  async function sync(name: string): Promise<void> {
    const place = placeOf(context, name);
    const read = place && (await cluster.get(place));
    if (place === undefined || read === undefined) return;
    const definition: JsonObject = { ...read, status: cloneJson(read['status'] ?? {}) };
    const former = listAt(read, 'status', 'conditions');
    const found = structuralViolations(definition);
    if (found !== undefined) setCondition(definition, { type: TYPE, ...found }, world.clock.now());
    const conditions = listAt(definition, 'status', 'conditions').filter(
      (c) => found !== undefined || textAt(c as JsonObject, 'type') !== TYPE,
    );
    if (equalJson(former, conditions)) return;
    const [uid, resourceVersion] = ['uid', 'resourceVersion'].map((f) => textAt(definition, 'metadata', f));
    await cluster.patch(place, 'status', {
      metadata: { uid: uid!, resourceVersion: resourceVersion! },
      status: { conditions },
    });
  }

  return controllerOf('definition-structure-controller', cluster, queue, { changed });
}
