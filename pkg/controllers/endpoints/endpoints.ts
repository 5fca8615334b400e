import {
  boolAt,
  equalJson,
  formatIp,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  parseIp,
  textAt,
} from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, splitKey } from '../observe.js';
import { isDeleting, isReady, labelsOf } from '../pods.js';
import { WorkQueue } from '../queue.js';
import { eventRecorder } from '../recorder.js';
import { hasAddress, hostnameIn, isHeadless, podReference, podsOf, ServiceIndex, targetPortOf } from './services.js';
import { HEADLESS } from './slices.js';
import { type AddressOnPort, repacked, subsetsOf } from './subsets.js';
import { TriggerTimes, withTriggerTime } from './triggertime.js';
import { isNamespaceEnding } from './writeslices.js';

const NAME = 'endpoints-controller';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
/** The maximum number of addresses in an Endpoints object. */
const ADDRESSES_MAX = 1000;
const WORKERS = 5;

/** Keeps the Endpoints of services with a selector, for clients that do not know EndpointSlices. */
export function endpointsController(context: ControllerContext): Controller {
  const { cluster, world, log } = context;
  const times = new TriggerTimes();
  const record = eventRecorder(context, MANAGER);
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  const services = new ServiceIndex((key, milliseconds) => {
    if (milliseconds === 0) queue.add(key);
    else queue.addAfter(key, milliseconds);
  });
  const observer = observing({
    services: (before, after) => services.service(before, after),
    pods: (before, after) => services.pod(before, after),
    endpoints: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      // Also Endpoints that a service left behind while no controller ran.
      if (services.has(namespace, name) || after?.labels()[MANAGED_BY] === MANAGER)
        queue.add(keyOf({ namespace, name }));
    },
  });

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, 'endpoints', key)!;
    const service = await cluster.get(placeOf(cluster, 'services', key)!);
    const present = await cluster.get(place);
    if (service === undefined) {
      times.delete(key);
      if (present === undefined || textAt(labelsOf(present), MANAGED_BY) !== MANAGER) return;
      const { uid, resourceVersion } = metaOf(present);
      await cluster.delete(place, { uid, resourceVersion });
      return;
    }
    const selector = objectAt(service, 'spec', 'selector');
    if (Object.keys(selector).length === 0 || textAt(service, 'spec', 'type') === 'ExternalName') return;
    const pods = await podsOf(context, splitKey(key).namespace, selector);
    const time = times.next(key, service, pods);
    const { subsets, truncated } = withinCapacity(subsetsOf(entriesOf(service, pods)));
    const labels = labelsFor(service);
    if (present !== undefined && isCurrent(present, { subsets, labels, truncated })) return;
    const { [OVER_CAPACITY]: _, ...kept } = objectAt(present, 'metadata', 'annotations');
    const annotations = withTriggerTime(truncated ? { ...kept, [OVER_CAPACITY]: 'truncated' } : kept, time);
    const { namespace, name } = place;
    try {
      if (present === undefined)
        await cluster.create(place.resource, namespace, {
          apiVersion: 'v1',
          kind: 'Endpoints',
          metadata: { name, namespace, labels, annotations },
          subsets: [...subsets],
        });
      else
        await cluster.replace(place, '', {
          ...present,
          metadata: { ...objectAt(present, 'metadata'), labels, annotations },
          subsets: [...subsets],
        });
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      const [reason, what] =
        present === undefined
          ? ['FailedToCreateEndpoint', `create endpoint for service ${key}`]
          : ['FailedToUpdateEndpoint', `update endpoint ${key}`];
      record(present ?? service, { type: 'Warning', reason, message: `Failed to ${what}: ${String(error)}` });
      throw error;
    }
  }

  return controllerOf(NAME, cluster, queue, observer);
}

function entriesOf(service: JsonObject, pods: readonly JsonObject[]): readonly AddressOnPort[] {
  const all = boolAt(service, 'spec', 'publishNotReadyAddresses');
  const ports = objectsAt(service, 'spec', 'ports');
  return pods.flatMap((pod): readonly AddressOnPort[] => {
    if (!hasAddress(pod) || (isDeleting(pod) && !all)) return [];
    const address = addressOf(pod, service);
    if (address === undefined) return [];
    const ready = all || isReady(pod);
    if (ports.length === 0)
      return textAt(service, 'spec', 'clusterIP') === 'None' ? [{ address, port: undefined, ready }] : [];
    return ports.flatMap((servicePort) => {
      const port = targetPortOf(pod, servicePort);
      return port === undefined ? [] : [{ address, port: portOf(servicePort, port), ready }];
    });
  });
}

function portOf(servicePort: JsonObject, port: number): JsonObject {
  const name = textAt(servicePort, 'name');
  const appProtocol = textAt(servicePort, 'appProtocol');
  return {
    ...(name === '' ? {} : { name }),
    port,
    protocol: textAt(servicePort, 'protocol'),
    ...(appProtocol === '' ? {} : { appProtocol }),
  };
}

/** The address of a pod in the first family of a service; undefined if it has none. */
function addressOf(pod: JsonObject, service: JsonObject): JsonObject | undefined {
  const families = listAt(service, 'spec', 'ipFamilies');
  const clusterIp = textAt(service, 'spec', 'clusterIP');
  const v6 = families.length > 0 ? families[0] === 'IPv6' : clusterIp.includes(':');
  const known = objectsAt(pod, 'status', 'podIPs').map((entry) => textAt(entry, 'ip'));
  const ips = known.length > 0 ? known : [textAt(pod, 'status', 'podIP')];
  const ip = ips.map(parseIp).find((parsed) => parsed !== undefined && (parsed.family === 6) === v6);
  if (ip === undefined) return undefined;
  const hostname = hostnameIn(pod, service);
  const nodeName = textAt(pod, 'spec', 'nodeName');
  return {
    ip: formatIp(ip),
    ...(hostname === '' ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: podReference(pod),
  };
}

function labelsFor(service: JsonObject): JsonObject {
  const { [HEADLESS]: _, ...labels } = labelsOf(service);
  return { ...labels, ...(isHeadless(service) ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: MANAGER };
}

interface Wanted {
  readonly subsets: readonly JsonObject[];
  readonly labels: JsonObject;
  readonly truncated: boolean;
}

function isCurrent(present: JsonObject, { subsets, labels, truncated }: Wanted): boolean {
  const isMarked = textAt(present, 'metadata', 'annotations', OVER_CAPACITY) === 'truncated';
  return (
    isMarked === truncated &&
    equalJson(labelsOf(present), labels) &&
    equalJson([...repacked(objectsAt(present, 'subsets'))], [...subsets])
  );
}

/** Drops addresses above the capacity: first those that are not ready, and from each subset in proportion. */
function withinCapacity(subsets: readonly JsonObject[]): { subsets: readonly JsonObject[]; truncated: boolean } {
  const count = (field: string): number => subsets.reduce((n, s) => n + objectsAt(s, field).length, 0);
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')];
  if (ready + notReady <= ADDRESSES_MAX) return { subsets, truncated: false };
  const readyMax = Math.min(ready, ADDRESSES_MAX);
  const cut = cutter(ready, readyMax);
  const cutNotReady = cutter(notReady, ADDRESSES_MAX - readyMax);
  const made = subsets.map((subset): JsonObject => {
    const { addresses: _, notReadyAddresses: __, ...rest } = subset;
    const kept = cut(objectsAt(subset, 'addresses'));
    const keptNotReady = cutNotReady(objectsAt(subset, 'notReadyAddresses'));
    return {
      ...(kept.length === 0 ? {} : { addresses: [...kept] }),
      ...(keptNotReady.length === 0 ? {} : { notReadyAddresses: [...keptNotReady] }),
      ...rest,
    };
  });
  return {
    subsets: made.filter((s) => s['addresses'] !== undefined || s['notReadyAddresses'] !== undefined),
    truncated: true,
  };
}

/** Keeps `most` of `all` items in several lists. */
function cutter(all: number, most: number): (list: readonly JsonObject[]) => readonly JsonObject[] {
  let left = most;
  return (list) => {
    const kept = list.slice(0, Math.min(left, all === 0 ? 0 : Math.ceil((list.length * most) / all)));
    left -= kept.length;
    return kept;
  };
}
