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
import type { StoredObject } from '../../cache/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, servedResource, splitKey } from '../observe.js';
import { controllerReference, isDeleting, isReady, labelsOf } from '../pods.js';
import { WorkQueue } from '../queue.js';
import { hasAddress, hostnameIn, isHeadless, podReference, podsOf, ServiceIndex, targetPortOf } from './services.js';
import {
  HEADLESS,
  isManagedBy,
  isOwnedBy,
  MANAGED_BY,
  pack,
  portsKey,
  recycle,
  SERVICE_NAME,
  SLICES,
  type SliceChanges,
} from './slices.js';
import { TriggerTimes, withTriggerTime } from './triggertime.js';
import { writeSlices } from './writeslices.js';

const NAME = 'endpointslice-controller';
const MANAGER = 'endpointslice-controller.k8s.io';
const ZONE = 'topology.kubernetes.io/zone';
const WORKERS = 5;
const RESERVED_LABELS: ReadonlySet<string> = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);

export interface SliceOptions {
  /** `--max-endpoints-per-slice`. */
  readonly endpointsMax: number;
}

/** Keeps the EndpointSlices of services with a selector. Garbage collection deletes the slices of a deleted service. */
export function endpointSliceController(context: ControllerContext, { endpointsMax }: SliceOptions): Controller {
  const { cluster, world, log } = context;
  const times = new TriggerTimes();
  /** Services with a pod on a node that does not exist yet. */
  const waiting = new Set<string>();
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
    nodes: (before) => {
      if (before !== undefined) return;
      for (const key of waiting) queue.add(key);
      waiting.clear();
    },
    [SLICES]: (before, after) => {
      for (const slice of [before, after]) {
        const name = slice?.labels()[SERVICE_NAME];
        if (slice === undefined || name === undefined || slice.labels()[MANAGED_BY] !== MANAGER) continue;
        if (services.has(slice.namespace, name)) queue.add(keyOf({ namespace: slice.namespace, name }));
      }
    },
  });

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, 'services', key)!;
    const service = await cluster.get(place);
    if (service === undefined) {
      times.delete(key);
      return;
    }
    const selector = objectAt(service, 'spec', 'selector');
    if (Object.keys(selector).length === 0 || textAt(service, 'spec', 'type') === 'ExternalName') return;
    const { namespace, name } = splitKey(key);
    const resource = servedResource(cluster.servedResources(), SLICES);
    if (resource === undefined) return;
    const present = [...cluster.known(resource, namespace)]
      .filter((slice) => slice.labels()[SERVICE_NAME] === name && slice.labels()[MANAGED_BY] === MANAGER)
      .map((slice) => slice.parse())
      .filter((slice) => isManagedBy(slice, MANAGER) && !isDeleting(slice));
    const pods = (await podsOf(context, namespace, selector)).filter(hasAddress);
    const time = times.next(key, service, pods);
    const families = addressTypesOf(service);
    const missing: string[] = [];
    for (const type of families) {
      const here = present.filter((slice) => textAt(slice, 'addressType') === type);
      const changes = recycle(changesOf(service, pods, { type, present: here, missing }));
      await writeSlices(context, { service, changes: annotated(changes, time), mayCreate: !isDeleting(service) });
    }
    const remove = present.filter((slice) => !families.includes(textAt(slice, 'addressType')));
    await writeSlices(context, { service, changes: { create: [], update: [], remove }, mayCreate: false });
    if (missing.length > 0) {
      waiting.add(key);
      throw new Error(`pods on nodes that do not exist: ${missing.slice(0, 5).join(', ')}`);
    }
  }

  function changesOf(
    service: JsonObject,
    pods: readonly JsonObject[],
    of: { readonly type: string; readonly present: readonly JsonObject[]; readonly missing: string[] },
  ): SliceChanges {
    const { uid } = metaOf(service);
    const groups = new Map<string, { readonly ports: readonly JsonObject[]; readonly endpoints: JsonObject[] }>();
    for (const pod of pods) {
      const ports = portsOf(service, pod);
      const group = groups.get(portsKey(ports)) ?? { ports, endpoints: [] };
      groups.set(portsKey(ports), group);
      const node = nodeOf(textAt(pod, 'spec', 'nodeName'));
      if (node === undefined && !boolAt(service, 'spec', 'publishNotReadyAddresses')) {
        of.missing.push(textAt(pod, 'metadata', 'name'));
        continue;
      }
      const endpoint = endpointOf(pod, service, { type: of.type, zone: node?.labels()[ZONE] ?? '' });
      if (listAt(endpoint, 'addresses').length > 0) group.endpoints.push(endpoint);
    }
    const owned = of.present.filter((slice) => isOwnedBy(slice, uid));
    const changes: SliceChanges = {
      create: [],
      update: [],
      remove: of.present.filter((slice) => !isOwnedBy(slice, uid)),
    };
    for (const [key, { ports, endpoints }] of groups) {
      const packed = pack({
        present: owned.filter((slice) => portsKey(objectsAt(slice, 'ports')) === key),
        endpoints,
        endpointsMax,
        empty: emptySlice(service, of.type, ports),
        labelsFor: (slice) => wrongLabels(slice, service),
      });
      changes.create.push(...packed.create);
      changes.update.push(...packed.update);
      changes.remove.push(...packed.remove);
    }
    changes.remove.push(...owned.filter((slice) => !groups.has(portsKey(objectsAt(slice, 'ports')))));
    if (of.present.length === changes.remove.length && changes.create.length === 0)
      keepPlaceholder(changes, emptySlice(service, of.type, []), service);
    return changes;
  }

  function nodeOf(name: string): StoredObject | undefined {
    const place = placeOf(cluster, 'nodes', name);
    return place === undefined ? undefined : cluster.knownOne(place);
  }

  return controllerOf(NAME, cluster, queue, observer);
}

/** A service without endpoints has one empty slice. */
function keepPlaceholder({ create, remove }: SliceChanges, empty: JsonObject, service: JsonObject): void {
  const [only] = remove;
  const fits =
    remove.length === 1 &&
    only !== undefined &&
    objectsAt(only, 'endpoints').length === 0 &&
    objectsAt(only, 'ports').length === 0 &&
    isOwnedBy(only, metaOf(service).uid) &&
    wrongLabels(only, service) === undefined;
  if (fits) remove.pop();
  else create.push(empty);
}

function annotated({ create, update, remove }: SliceChanges, time: string): SliceChanges {
  const annotate = (slice: JsonObject): JsonObject => {
    const metadata = objectAt(slice, 'metadata');
    return {
      ...slice,
      metadata: { ...metadata, annotations: withTriggerTime(objectAt(metadata, 'annotations'), time) },
    };
  };
  return { create: create.map(annotate), update: update.map(annotate), remove };
}

function addressTypesOf(service: JsonObject): readonly string[] {
  const families = listAt(service, 'spec', 'ipFamilies').map(String);
  if (families.length > 0) return families;
  const ip = textAt(service, 'spec', 'clusterIP');
  if (ip !== '' && ip !== 'None') return [ip.includes(':') ? 'IPv6' : 'IPv4'];
  return ['IPv4', 'IPv6'];
}

function portsOf(service: JsonObject, pod: JsonObject): readonly JsonObject[] {
  return objectsAt(service, 'spec', 'ports').flatMap((p) => {
    const port = targetPortOf(pod, p);
    if (port === undefined) return [];
    const appProtocol = textAt(p, 'appProtocol');
    const made: JsonObject = { name: textAt(p, 'name'), port, protocol: textAt(p, 'protocol') };
    return [appProtocol === '' ? made : { ...made, appProtocol }];
  });
}

function endpointOf(
  pod: JsonObject,
  service: JsonObject,
  { type, zone }: { readonly type: string; readonly zone: string },
): JsonObject {
  const serving = isReady(pod);
  const terminating = isDeleting(pod);
  const ready = boolAt(service, 'spec', 'publishNotReadyAddresses') || (serving && !terminating);
  const hostname = hostnameIn(pod, service);
  const nodeName = textAt(pod, 'spec', 'nodeName');
  return {
    addresses: [...addressesOf(pod, type)],
    conditions: { ready, serving, terminating },
    ...(hostname === '' ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: podReference(pod),
    ...(zone === '' ? {} : { zone }),
  };
}

export function addressesOf(pod: JsonObject, type: string): readonly string[] {
  return objectsAt(pod, 'status', 'podIPs').flatMap((entry) => {
    const ip = parseIp(textAt(entry, 'ip'));
    if (ip === undefined || (ip.family === 6) !== (type === 'IPv6')) return [];
    return [formatIp(ip)];
  });
}

function emptySlice(service: JsonObject, addressType: string, ports: readonly JsonObject[]): JsonObject {
  const { name, namespace } = metaOf(service);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: labelsFor(service),
      ownerReferences: [controllerReference(service)],
    },
    addressType,
    endpoints: [],
    ports: [...ports],
  };
}

function labelsFor(service: JsonObject): JsonObject {
  const labels = Object.entries(labelsOf(service)).filter(([key]) => !RESERVED_LABELS.has(key));
  return {
    ...Object.fromEntries(labels),
    ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
    [SERVICE_NAME]: metaOf(service).name,
    [MANAGED_BY]: MANAGER,
  };
}

function wrongLabels(slice: JsonObject, service: JsonObject): JsonObject | undefined {
  const wanted = labelsFor(service);
  return equalJson(wanted, labelsOf(slice)) ? undefined : wanted;
}
