import { formatMicroTime, type JsonObject, numberAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';

const LEASES = 'leases.coordination.k8s.io';
const NAMESPACE = 'kube-system';
const IDENTITY = 'apiserver.kubernetes.io/identity';
const COMPONENT = 'kube-apiserver';
const DURATION_SECONDS = 3600;
const RENEWAL_MILLISECONDS = 10_000;

export interface ServerIdentity {
  /** `apiserver-` and a hash that is the same after a restart. */
  readonly name: string;
  readonly hostname: string;
}

/**
 * Keeps the Lease in kube-system that identifies this API server. Returns a function that stops it; the Lease then
 * expires.
 */
export function keepIdentityLease(
  { cluster, world, log }: ControllerContext,
  { name, hostname }: ServerIdentity,
): () => void {
  const holderIdentity = `${name}_${world.random.uuid()}`;
  let busy = false;
  const renew = async (): Promise<void> => {
    const place = placeOf(cluster, LEASES, `${NAMESPACE}/${name}`);
    if (place === undefined) return;
    const renewTime = formatMicroTime(world.clock.now());
    const labels = { [IDENTITY]: COMPONENT, 'kubernetes.io/hostname': hostname };
    const spec = { holderIdentity, leaseDurationSeconds: DURATION_SECONDS, renewTime };
    const present = await cluster.get(place);
    if (present === undefined) {
      const metadata = { name, namespace: NAMESPACE, labels };
      await cluster.create(place.resource, NAMESPACE, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata,
        spec,
      });
      return;
    }
    const { resourceVersion } = metaOf(present);
    await cluster.patch(place, '', { metadata: { resourceVersion, labels }, spec });
  };
  const tick = (): void => {
    if (busy) return;
    busy = true;
    renew()
      .catch((error: unknown) => log('could not renew the identity lease of this API server', { error: String(error) }))
      .finally(() => {
        busy = false;
      });
  };
  tick();
  return world.timers.every(RENEWAL_MILLISECONDS, tick);
}

/** Deletes identity leases of API servers that have not renewed them for their whole duration. */
export function identityLeaseCollector({ cluster, world, log }: ControllerContext): Controller {
  const name = 'kube-apiserver-identity-lease-garbage-collector';
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (lease, error) => log(`${name}: will retry`, { lease, error: String(error) }),
  });

  function changed(before: StoredObject | undefined, after: StoredObject | undefined): void {
    // The next check of an existing lease is already scheduled.
    if (before !== undefined || after === undefined || after.namespace !== NAMESPACE) return;
    if (after.labels()[IDENTITY] === COMPONENT) queue.add(keyOf(after));
  }

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, LEASES, key);
    const lease = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || lease === undefined) return;
    const left = millisecondsLeft(lease, world.clock.now());
    if (left > 0) {
      queue.addAfter(key, left);
      return;
    }
    const { uid, resourceVersion } = metaOf(lease);
    await cluster.delete(place, { uid, resourceVersion });
  }

  return controllerOf(name, cluster, queue, observing({ [LEASES]: changed }));
}

function millisecondsLeft(lease: JsonObject, now: number): number {
  const renewed = Date.parse(textAt(lease, 'spec', 'renewTime'));
  if (Number.isNaN(renewed)) return 0;
  return renewed + numberAt(lease, 'spec', 'leaseDurationSeconds') * 1000 - now;
}
