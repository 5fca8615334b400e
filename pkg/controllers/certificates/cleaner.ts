import { type JsonObject, objectsAt, textAt } from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, placeOf } from '../observe.js';
import { timeOf } from '../pods.js';
import { WorkQueue } from '../queue.js';
import { REQUESTS } from './requests.js';

const NAME = 'certificatesigningrequest-cleaner-controller';
const HOUR = 3_600_000;
/** How long requests are kept after they were issued, denied or failed. */
const DECIDED = HOUR;
/** How long requests wait for a decision, and approved ones for their certificate. */
const PENDING = 24 * HOUR;

export interface CleanerOptions {
  /** Returns the end of a certificate (PEM), in milliseconds; undefined if it cannot be parsed. */
  expiryOf(certificate: string): number | undefined;
}

/** Deletes certificate requests that are no longer needed. */
export function cleanerController(
  { cluster, world, log }: ControllerContext,
  { expiryOf }: CleanerOptions,
): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { request: key, error: String(error) }),
  });

  async function sync(name: string): Promise<void> {
    const place = placeOf(cluster, REQUESTS, name);
    const request = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || request === undefined) return;
    const left = endOf(request) - world.clock.now();
    if (left > 0) {
      queue.addAfter(name, left);
      return;
    }
    const { uid, resourceVersion } = metaOf(request);
    await cluster.delete(place, { uid, resourceVersion });
  }

  /** Returns when a request may be deleted, in milliseconds. */
  function endOf(request: JsonObject): number {
    const conditions = objectsAt(request, 'status', 'conditions');
    const created = timeOf(textAt(request, 'metadata', 'creationTimestamp')) ?? world.clock.now();
    if (conditions.length === 0) return created + PENDING;
    const certificate = Buffer.from(textAt(request, 'status', 'certificate'), 'base64').toString();
    const ends = conditions.map((condition) => {
      const since = timeOf(textAt(condition, 'lastUpdateTime')) ?? Number.POSITIVE_INFINITY;
      const isApproval = textAt(condition, 'type') === 'Approved';
      return since + (isApproval && certificate === '' ? PENDING : DECIDED);
    });
    if (certificate !== '') ends.push(expiryOf(certificate) ?? Number.POSITIVE_INFINITY);
    const end = Math.min(...ends);
    return Number.isFinite(end) ? end : created + PENDING;
  }

  return controllerOf(NAME, cluster, queue, observing({ [REQUESTS]: (_, after) => after && queue.add(after.name) }));
}
