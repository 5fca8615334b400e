import {
  cidrContains,
  formatIp,
  type JsonObject,
  listAt,
  objectAt,
  parseCidr,
  parseIp,
  textAt,
} from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, servedResource } from '../observe.js';
import { labelsOf } from '../pods.js';
import { WorkQueue } from '../queue.js';
import { eventRecorder } from '../recorder.js';

const NAME = 'ipallocator-repair-controller';
const ADDRESSES = 'ipaddresses.networking.k8s.io';
const SERVICE_CIDRS = 'servicecidrs.networking.k8s.io';
const FAMILY = 'ipaddress.kubernetes.io/ip-family';
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const ALLOCATOR = 'ipallocator.k8s.io';
/** An address without its service is kept for this time: its service may be about to be created. */
const ORPHAN_MILLISECONDS = 60_000;

/**
 * Keeps services and IPAddresses consistent. This server writes both in one transaction, so they differ only after a
 * user has changed an IPAddress, or after data of another server was restored.
 */
export function addressRepair(context: ControllerContext): Controller {
  const { cluster, world, log } = context;
  const record = eventRecorder(context, NAME);
  const queue = new WorkQueue({
    world,
    workers: 2,
    sync: (key) => (key.startsWith(SERVICE) ? syncService(key.slice(SERVICE.length)) : syncAddress(key)),
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  const observer = observing({
    services: (before, after) => {
      if (after === undefined) for (const ip of addressesOf(before!.value())) queue.add(ip);
      else queue.add(`${SERVICE}${keyOf(after)}`);
    },
    [ADDRESSES]: (before, after) => {
      const address = (after ?? before)!;
      queue.add(address.name);
      if (before !== undefined) queue.add(`${SERVICE}${parentOf(before)}`);
    },
  });

  async function syncService(key: string): Promise<void> {
    const place = placeOf(cluster, 'services', key);
    const service = place === undefined || place.name === '' ? undefined : await cluster.get(place);
    if (service === undefined) return;
    for (const ip of addressesOf(service)) {
      if (!isInRange(ip)) {
        const message = `Cluster IP [${familyOf(ip)}]: ${ip} is not within any configured Service CIDR; please recreate service`;
        record(service, { type: 'Warning', reason: 'ClusterIPOutOfRange', message });
        continue;
      }
      const at = placeOf(cluster, ADDRESSES, ip)!;
      const address = await cluster.get(at);
      // A service that was deleted between the two reads has released its address.
      const now = await cluster.get(place!);
      if (now === undefined || !addressesOf(now).includes(ip)) return;
      if (address === undefined) {
        const message = `Cluster IP [${familyOf(ip)}]: ${ip} is not allocated; repairing`;
        record(service, { type: 'Warning', reason: 'ClusterIPNotAllocated', message });
        await cluster.create(at.resource, '', addressFor(ip, service));
      } else if (!(await isRight(address, ip, service))) {
        const { uid, resourceVersion } = metaOf(address);
        await cluster.delete(at, { uid, resourceVersion });
        await cluster.create(at.resource, '', addressFor(ip, service));
      }
    }
  }

  /** Reports whether an IPAddress refers to the service, or to another one that also has the address. */
  async function isRight(address: JsonObject, ip: string, service: JsonObject): Promise<boolean> {
    const parent = objectAt(address, 'spec', 'parentRef');
    if (textAt(parent, 'group') !== '' || textAt(parent, 'resource') !== 'services') return false;
    const labels = labelsOf(address);
    if (labels[MANAGED_BY] !== ALLOCATOR || labels[FAMILY] !== familyOf(ip)) return false;
    const { namespace, name } = metaOf(service);
    if (textAt(parent, 'namespace') === namespace && textAt(parent, 'name') === name) return true;
    const key = `${textAt(parent, 'namespace')}/${textAt(parent, 'name')}`;
    const other = await cluster.get(placeOf(cluster, 'services', key)!);
    if (other === undefined || !addressesOf(other).includes(ip)) return false;
    const message = `Cluster IP [${familyOf(ip)}]:${ip} was assigned to multiple services; please recreate service`;
    record(service, { type: 'Warning', reason: 'ClusterIPAlreadyAllocated', message });
    return true;
  }

  async function syncAddress(name: string): Promise<void> {
    const place = placeOf(cluster, ADDRESSES, name);
    const address = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || address === undefined || labelsOf(address)[MANAGED_BY] !== ALLOCATOR) return;
    const parent = objectAt(address, 'spec', 'parentRef');
    const key = `${textAt(parent, 'namespace')}/${textAt(parent, 'name')}`;
    const isService = textAt(parent, 'group') === '' && textAt(parent, 'resource') === 'services';
    const service = isService ? await cluster.get(placeOf(cluster, 'services', key)!) : undefined;
    if (service !== undefined && addressesOf(service).includes(name)) return;
    const age = world.clock.now() - Date.parse(textAt(address, 'metadata', 'creationTimestamp'));
    if (isService && service === undefined && age < ORPHAN_MILLISECONDS) {
      queue.addAfter(name, ORPHAN_MILLISECONDS - age);
      return;
    }
    const message = `IPAddress: ${name} for Service ${key} ${service === undefined ? 'appears to have leaked' : 'has a wrong reference'}: cleaning up`;
    record(address, { type: 'Warning', reason: 'IPAddressNotAllocated', message });
    const { uid, resourceVersion } = metaOf(address);
    await cluster.delete(place, { uid, resourceVersion });
  }

  function isInRange(ip: string): boolean {
    const parsed = parseIp(ip);
    if (parsed === undefined) return false;
    for (const range of cluster.known(servedResource(cluster.servedResources(), SERVICE_CIDRS)!, ''))
      for (const text of listAt(range.value(), 'spec', 'cidrs')) {
        const cidr = parseCidr(String(text));
        if (cidr !== undefined && cidrContains(cidr, parsed)) return true;
      }
    return false;
  }

  return controllerOf(NAME, cluster, queue, observer);
}

const SERVICE = 'service ';

const familyOf = (ip: string): string => (ip.includes(':') ? 'IPv6' : 'IPv4');

/** The addresses of a service in canonical form. */
function addressesOf(service: JsonObject): readonly string[] {
  if (textAt(service, 'spec', 'type') === 'ExternalName') return [];
  return listAt(service, 'spec', 'clusterIPs').flatMap((ip) => {
    const parsed = parseIp(String(ip));
    return parsed === undefined ? [] : [formatIp(parsed)];
  });
}

function parentOf(address: StoredObject): string {
  const parent = objectAt(address.value(), 'spec', 'parentRef');
  return `${textAt(parent, 'namespace')}/${textAt(parent, 'name')}`;
}

function addressFor(ip: string, service: JsonObject): JsonObject {
  const { namespace, name } = metaOf(service);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: ip, labels: { [FAMILY]: familyOf(ip), [MANAGED_BY]: ALLOCATOR } },
    spec: { parentRef: { group: '', resource: 'services', namespace, name } },
  };
}
