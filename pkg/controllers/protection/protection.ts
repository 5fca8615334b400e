import type { JsonObject } from '../../api/index.js';
import type { Place } from '../cluster.js';
import type { Controller } from '../controller.js';
import { type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { type ChangeHandler, keyOf, observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';

const WORKERS = 2;

/** Objects that are not deleted while others use them. */
export interface Protection {
  /** The name of the controller. */
  readonly name: string;
  /** The protected resource, such as `volumeattributesclasses.storage.k8s.io`. */
  readonly resource: string;
  readonly finalizer: string;
  /** Called after a consistent read, for an object that is being deleted. */
  isUsed(object: JsonObject): boolean | Promise<boolean>;
  /** Observes changes of other resources that may end the use of an object; calls `look` with the key of the object. */
  watched(look: (key: string) => void): Readonly<Record<string, ChangeHandler>>;
  /** Called for each change of an object that is not being deleted. */
  alive?(object: JsonObject, place: Place): Promise<void>;
}

/** Adds a finalizer to each object of a resource, and removes it when the object is being deleted and nothing uses it. */
export function protectionController({ cluster, world, log }: ControllerContext, protection: Protection): Controller {
  const { name, resource, finalizer } = protection;
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => log(`${name}: will retry`, { key, error: String(error) }),
  });
  const mark = Buffer.from(`"${finalizer}"`);
  const deleting = Buffer.from('"deletionTimestamp":');
  const observer = observing({
    ...protection.watched((key) => queue.add(key)),
    [resource]: (_, after) => {
      if (after === undefined) return;
      const { json } = after;
      if (protection.alive !== undefined || !json.includes(mark) || json.includes(deleting)) queue.add(keyOf(after));
    },
  });

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, resource, key);
    const object = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || object === undefined) return;
    const { uid, resourceVersion, finalizers, deleting: isGoing } = metaOf(object);
    const has = finalizers.includes(finalizer);
    if (!isGoing) await protection.alive?.(object, place);
    // The finalizer exists while the object lives; without it a deleted object needs no work.
    if (has === !isGoing) return;
    if (isGoing && (await protection.isUsed(object))) return;
    const left = isGoing ? finalizers.filter((f) => f !== finalizer) : [...finalizers, finalizer];
    // The status that `alive` wrote has changed the version; the next round then adds the finalizer.
    await cluster.patch(place, '', {
      metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left },
    });
  }

  return controllerOf(name, cluster, queue, observer);
}
