import { type Cidr, cidrContains, type JsonObject, listAt, parseCidr, parseIp } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { type Condition, withCondition } from '../conditions.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, placeOf, servedResource } from '../observe.js';
import { WorkQueue } from '../queue.js';

const NAME = 'service-cidr-controller';
const SERVICE_CIDRS = 'servicecidrs.networking.k8s.io';
const ADDRESSES = 'ipaddresses.networking.k8s.io';
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const ALLOCATOR = 'ipallocator.k8s.io';
/** The time between the deletion of a range and its removal: allocators must have seen the deletion. */
const GRACE_MILLISECONDS = 10_000;

const READY: Condition = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
const TERMINATING: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
};

/**
 * Keeps the Ready condition of ServiceCIDRs, and keeps a range that is being deleted while services have addresses that
 * are in no other range.
 */
export function serviceCidrController({ cluster, world, log }: ControllerContext): Controller {
  const ranges = new Map<string, readonly Cidr[]>();
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  const observer = observing({
    [SERVICE_CIDRS]: (before, after) => {
      const { name } = (after ?? before)!;
      if (after === undefined) ranges.delete(name);
      else ranges.set(name, rangesOf(after.value()));
      queue.add(name);
      // Another range may contain its addresses now, or no longer.
      if (before === undefined || after === undefined) for (const other of ranges.keys()) queue.add(other);
    },
    [ADDRESSES]: (before, after) => {
      if (after !== undefined && before !== undefined) return;
      for (const name of holding((after ?? before)!)) queue.add(name);
    },
  });

  /** The names of the ranges that contain an allocated address. */
  function holding(address: StoredObject): readonly string[] {
    const ip = parseIp(address.name);
    if (ip === undefined || address.labels()[MANAGED_BY] !== ALLOCATOR) return [];
    return [...ranges].filter(([, cidrs]) => cidrs.some((cidr) => cidrContains(cidr, ip))).map(([name]) => name);
  }

  async function sync(name: string): Promise<void> {
    const place = placeOf(cluster, SERVICE_CIDRS, name);
    const range = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || range === undefined) return;
    const { deleting, finalizers, resourceVersion } = metaOf(range);
    if (!deleting) {
      if (!finalizers.includes(FINALIZER)) {
        await cluster.patch(place, '', { metadata: { resourceVersion, finalizers: [...finalizers, FINALIZER] } });
        return;
      }
      await keepCondition(READY);
      return;
    }
    if (await isNeeded(name, range)) {
      await keepCondition(TERMINATING);
      return;
    }
    const left = deletedAt(range) + GRACE_MILLISECONDS - world.clock.now();
    if (left > 0) queue.addAfter(name, left);
    else if (finalizers.includes(FINALIZER)) {
      const others = finalizers.filter((f) => f !== FINALIZER);
      await cluster.patch(place, '', {
        metadata: { resourceVersion, finalizers: others.length === 0 ? null : others },
      });
    }

    async function keepCondition(condition: Condition): Promise<void> {
      const before = listAt(range, 'status', 'conditions');
      const conditions = withCondition(range!, condition, world.clock.now());
      if (before.length === conditions.length && conditions.every((c, i) => c === before[i])) return;
      await cluster.patch(place!, 'status', { metadata: { resourceVersion }, status: { conditions: [...conditions] } });
    }
  }

  /** Reports whether an address of the range is in no other one. */
  async function isNeeded(name: string, range: JsonObject): Promise<boolean> {
    const others = [...ranges].filter(([other]) => other !== name).flatMap(([, cidrs]) => cidrs);
    const mine = rangesOf(range);
    if (mine.every((cidr) => others.some((other) => containsRange(other, cidr)))) return false;
    let n = 0;
    for (const address of cluster.known(servedResource(cluster.servedResources(), ADDRESSES)!, '')) {
      if (++n % 1000 === 0) await new Promise<void>((resolve) => void world.timers.after(0, resolve));
      const ip = parseIp(address.name);
      if (ip === undefined || address.labels()[MANAGED_BY] !== ALLOCATOR) continue;
      if (mine.some((cidr) => cidrContains(cidr, ip)) && !others.some((cidr) => cidrContains(cidr, ip))) return true;
    }
    return false;
  }

  return controllerOf(NAME, cluster, queue, observer);
}

const rangesOf = (o: JsonObject): readonly Cidr[] =>
  listAt(o, 'spec', 'cidrs').flatMap((text) => {
    const cidr = parseCidr(String(text));
    return cidr === undefined ? [] : [cidr];
  });

const containsRange = (outer: Cidr, inner: Cidr): boolean =>
  outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);

const deletedAt = (o: JsonObject): number => Date.parse(String((o['metadata'] as JsonObject)['deletionTimestamp']));
