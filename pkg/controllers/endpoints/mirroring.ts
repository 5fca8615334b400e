import {
  equalJson,
  formatIp,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  parseIp,
  textAt,
} from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, servedResource, splitKey } from '../observe.js';
import { controllerReference, isDeleting, labelsOf } from '../pods.js';
import { WorkQueue } from '../queue.js';
import { eventRecorder } from '../recorder.js';
import { endpointKey, MANAGED_BY, portsKey, recycle, SERVICE_NAME, SLICES, type SliceChanges } from './slices.js';
import { repacked } from './subsets.js';
import { TRIGGER_TIME } from './triggertime.js';
import { writeSlices } from './writeslices.js';

const NAME = 'endpointslice-mirroring-controller';
const MANAGER = 'endpointslicemirroring-controller.k8s.io';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const WORKERS = 5;

export interface MirroringOptions {
  /** `--mirroring-max-endpoints-per-subset`. */
  readonly addressesMax: number;
}

/** Mirrors the Endpoints of a Service without a selector, which users write, to EndpointSlices. */
export function mirroringController(context: ControllerContext, { addressesMax }: MirroringOptions): Controller {
  const { cluster, world, log } = context;
  const record = eventRecorder(context, NAME);
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  const add = (before: StoredObject | undefined, after: StoredObject | undefined): void =>
    queue.add(keyOf((after ?? before)!));
  const observer = observing({
    endpoints: add,
    services: add,
    [SLICES]: (before, after) => {
      for (const slice of [before, after]) {
        const name = slice?.labels()[SERVICE_NAME];
        if (slice !== undefined && name !== undefined && slice.labels()[MANAGED_BY] === MANAGER)
          queue.add(keyOf({ namespace: slice.namespace, name }));
      }
    },
  });

  async function sync(key: string): Promise<void> {
    const { namespace, name } = splitKey(key);
    const resource = servedResource(cluster.servedResources(), SLICES);
    if (resource === undefined) return;
    const endpoints = await cluster.get(placeOf(cluster, 'endpoints', key)!);
    const service = await cluster.get(placeOf(cluster, 'services', key)!);
    const present = [...cluster.known(resource, namespace)]
      .filter((slice) => slice.labels()[SERVICE_NAME] === name && slice.labels()[MANAGED_BY] === MANAGER)
      .map((slice) => slice.parse())
      .filter((slice) => !isDeleting(slice));
    const wanted = endpoints !== undefined && service !== undefined && isMirrored(endpoints, service);
    const changes = wanted ? recycle(changesOf(endpoints, present)) : { create: [], update: [], remove: [...present] };
    const owner = endpoints ?? service ?? present[0];
    if (owner === undefined) return;
    await writeSlices(context, { service: owner, changes, mayCreate: wanted && !isDeleting(endpoints) });
  }

  function changesOf(endpoints: JsonObject, present: readonly JsonObject[]): SliceChanges {
    const groups = groupsOf(endpoints);
    const changes: SliceChanges = { create: [], update: [], remove: [] };
    for (const [key, { ports, addressType, entries }] of groups) {
      const [first, ...rest] = present.filter((slice) => keyOfSlice(slice) === key);
      changes.remove.push(...rest);
      const made = sliceFor(endpoints, { ports, addressType, entries });
      if (first === undefined) changes.create.push(made);
      else if (!isMirror(first, made)) {
        const { name, uid, resourceVersion } = objectAt(first, 'metadata');
        const { generateName: _, ...metadata } = objectAt(made, 'metadata');
        changes.update.push({
          ...made,
          metadata: { ...metadata, name: name!, uid: uid!, resourceVersion: resourceVersion! },
        });
      }
    }
    changes.remove.push(...present.filter((slice) => !groups.has(keyOfSlice(slice))));
    return changes;
  }

  /** The endpoints by their ports and their family. */
  function groupsOf(endpoints: JsonObject): ReadonlyMap<string, Group> {
    const groups = new Map<string, Group>();
    let invalid = 0;
    let skipped = 0;
    for (const subset of repacked(objectsAt(endpoints, 'subsets'))) {
      const ports = objectsAt(subset, 'ports').map(slicePort);
      const addresses = [
        ...objectsAt(subset, 'addresses').map((address) => ({ address, ready: true })),
        ...objectsAt(subset, 'notReadyAddresses').map((address) => ({ address, ready: false })),
      ];
      let added = 0;
      for (const { address, ready } of addresses) {
        const ip = parseIp(textAt(address, 'ip'));
        if (ip === undefined) invalid++;
        else if (added >= addressesMax) skipped++;
        else {
          added++;
          const addressType = ip.family === 6 ? 'IPv6' : 'IPv4';
          const key = `${addressType} ${portsKey(ports)}`;
          const group = groups.get(key) ?? { ports, addressType, entries: [] };
          group.entries.push(endpointOf(address, formatIp(ip), ready));
          groups.set(key, group);
        }
      }
    }
    if (invalid > 0)
      record(endpoints, {
        type: 'Warning',
        reason: 'InvalidIPAddress',
        message: `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
      });
    if (skipped > 0)
      record(endpoints, {
        type: 'Warning',
        reason: 'TooManyAddressesToMirror',
        message: `A max of ${addressesMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      });
    return groups;
  }

  return controllerOf(NAME, cluster, queue, observer);
}

interface Group {
  readonly ports: readonly JsonObject[];
  readonly addressType: string;
  readonly entries: JsonObject[];
}

const keyOfSlice = (slice: JsonObject): string =>
  `${textAt(slice, 'addressType')} ${portsKey(objectsAt(slice, 'ports'))}`;

/** Services with a selector have their own slices, and some Endpoints are locks or belong to others. */
function isMirrored(endpoints: JsonObject, service: JsonObject): boolean {
  return (
    textAt(labelsOf(endpoints), SKIP_MIRROR) !== 'true' &&
    objectAt(endpoints, 'metadata', 'annotations')[LEADER] === undefined &&
    Object.keys(objectAt(service, 'spec', 'selector')).length === 0
  );
}

function slicePort(port: JsonObject): JsonObject {
  const appProtocol = textAt(port, 'appProtocol');
  return {
    name: textAt(port, 'name'),
    port: numberAt(port, 'port'),
    protocol: textAt(port, 'protocol'),
    ...(appProtocol === '' ? {} : { appProtocol }),
  };
}

function endpointOf(address: JsonObject, ip: string, ready: boolean): JsonObject {
  const hostname = textAt(address, 'hostname');
  const nodeName = textAt(address, 'nodeName');
  const target = address['targetRef'];
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === '' ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    ...(target === undefined ? {} : { targetRef: target }),
  };
}

function sliceFor(endpoints: JsonObject, { ports, addressType, entries }: Group): JsonObject {
  const { name, namespace } = metaOf(endpoints);
  const { [TRIGGER_TIME]: _, [LAST_APPLIED]: __, ...annotations } = objectAt(endpoints, 'metadata', 'annotations');
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labelsOf(endpoints), [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [controllerReference(endpoints)],
    },
    addressType,
    endpoints: entries,
    ports: [...ports],
  };
}

/** Reports whether a slice has the content of a new one. */
function isMirror(slice: JsonObject, made: JsonObject): boolean {
  const sorted = (of: JsonObject): JsonObject[] =>
    objectsAt(of, 'endpoints').toSorted((a, b) => (endpointKey(a) < endpointKey(b) ? -1 : 1));
  return (
    equalJson(labelsOf(slice), labelsOf(made)) &&
    equalJson(objectAt(slice, 'metadata', 'annotations'), objectAt(made, 'metadata', 'annotations')) &&
    equalJson(sorted(slice), sorted(made)) &&
    textAt(objectsAt(slice, 'metadata', 'ownerReferences')[0], 'uid') ===
      textAt(objectsAt(made, 'metadata', 'ownerReferences')[0], 'uid')
  );
}
