import { equalJson, type JsonObject, type JsonValue, objectAt, textAt } from '../../api/index.js';
import type { Keyspace } from '../../storage/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';
import { liveServers, type ServerAddress, watchLiveServers } from './liveservers.js';

const NAME = 'kubernetes-service-controller';
const NAMESPACE = 'default';
const SERVICE = 'kubernetes';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const SERVICE_NAME = 'kubernetes.io/service-name';
const SLICES = 'endpointslices.discovery.k8s.io';
/** The names of the slices of servers on other ports. */
const FURTHER_SLICE = /^kubernetes-\d+$/;

export interface KubernetesServiceOptions {
  readonly keyspace: Keyspace;
  /** The Service `kubernetes`, created again if it is deleted. */
  readonly service: JsonObject;
  /** `--endpoint-reconciler-type` other than `none`. */
  readonly endpoints: boolean;
}

/**
 * Keeps the Service `default/kubernetes`, and its Endpoints and EndpointSlice with the addresses of the running API
 * servers. kube-apiserver assumes one port; here the servers on each port have their own subset and slice.
 */
export function kubernetesService(context: ControllerContext, options: KubernetesServiceOptions): Controller {
  const { cluster, world, log } = context;
  const { keyspace } = options;
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync: async (key) => {
      if (key === 'service') await keepService();
      else await keepEndpoints();
    },
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  let stopWatching: () => void = () => {};
  const ours = (namespace: string, name: string): boolean => namespace === NAMESPACE && name === SERVICE;

  const observer = observing({
    services: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      if (after === undefined && ours(namespace, name)) queue.add('service');
    },
    endpoints: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      if (options.endpoints && ours(namespace, name)) queue.add('endpoints');
    },
    [SLICES]: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      if (options.endpoints && (ours(namespace, name) || (namespace === NAMESPACE && FURTHER_SLICE.test(name))))
        queue.add('endpoints');
    },
  });

  async function keepService(): Promise<void> {
    const place = placeOf(cluster, 'services', `${NAMESPACE}/${SERVICE}`)!;
    if ((await cluster.get(place)) === undefined) await cluster.create(place.resource, NAMESPACE, options.service);
  }

  async function keepEndpoints(): Promise<void> {
    const servers = await liveServers(keyspace);
    // This server has registered itself, so an empty list means that it could not be read, or that the last server
    // stops.
    if (servers.length === 0) return;
    const groups = byPort(servers);
    await keep('endpoints', SERVICE, endpointsOf(groups), ['subsets']);
    for (const [i, group] of groups.entries())
      await keep(SLICES, i === 0 ? SERVICE : `${SERVICE}-${group.port}`, sliceOf(group, i === 0), [
        'addressType',
        'endpoints',
        'ports',
      ]);
    const kept = new Set(groups.slice(1).map(({ port }) => `${SERVICE}-${port}`));
    const slices = placeOf(cluster, SLICES, `${NAMESPACE}/${SERVICE}`)!;
    for (const slice of [...cluster.known(slices.resource, NAMESPACE)]) {
      if (!FURTHER_SLICE.test(slice.name) || kept.has(slice.name)) continue;
      const { uid, resourceVersion } = metaOf(slice.parse());
      await cluster.delete({ ...slices, name: slice.name }, { uid, resourceVersion });
    }
  }

  /** Creates or corrects an object: its labels, and the given fields. A slice gets no other labels than these. */
  async function keep(resource: string, name: string, wanted: JsonObject, fields: readonly string[]): Promise<void> {
    const place = placeOf(cluster, resource, `${NAMESPACE}/${name}`)!;
    const present = await cluster.get(place);
    if (present === undefined) {
      await cluster.create(place.resource, NAMESPACE, wanted);
      return;
    }
    const others = resource === SLICES ? {} : objectAt(present, 'metadata', 'labels');
    const labels = { ...others, ...objectAt(wanted, 'metadata', 'labels') };
    const same =
      equalJson(labels, objectAt(present, 'metadata', 'labels')) &&
      fields.every((field) => equalJson(present[field] ?? null, wanted[field] ?? null));
    if (same) return;
    if (wanted['addressType'] !== undefined && textAt(present, 'addressType') !== textAt(wanted, 'addressType')) {
      // The type of a slice is immutable.
      const { uid, resourceVersion } = metaOf(present);
      await cluster.delete(place, { uid, resourceVersion });
      await cluster.create(place.resource, NAMESPACE, wanted);
      return;
    }
    const metadata = { ...objectAt(present, 'metadata'), labels };
    await cluster.replace(place, '', { ...present, ...wanted, metadata });
  }

  const controller = controllerOf(NAME, cluster, queue, observer);
  return {
    name: NAME,
    get counts() {
      return controller.counts;
    },
    async start() {
      queue.add('service');
      if (options.endpoints) stopWatching = watchLiveServers(keyspace, world, () => queue.add('endpoints'));
      await controller.start();
    },
    stop() {
      stopWatching();
      controller.stop();
    },
  };
}

interface PortGroup {
  readonly port: number;
  readonly addresses: readonly string[];
}

function byPort(servers: readonly ServerAddress[]): readonly PortGroup[] {
  const groups = new Map<number, string[]>();
  for (const { address, port } of servers) groups.set(port, [...(groups.get(port) ?? []), address]);
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([port, addresses]) => ({ port, addresses: [...new Set(addresses)].sort() }));
}

const portOf = (port: number): JsonValue[] => [{ name: 'https', port, protocol: 'TCP' }];

function endpointsOf(groups: readonly PortGroup[]): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: SERVICE, namespace: NAMESPACE, labels: { [SKIP_MIRROR]: 'true' } },
    subsets: groups.map(({ port, addresses }) => ({ addresses: addresses.map((ip) => ({ ip })), ports: portOf(port) })),
  };
}

function sliceOf({ port, addresses }: PortGroup, first: boolean): JsonObject {
  const ipv6 = addresses.every((address) => address.includes(':'));
  const family = addresses.filter((address) => address.includes(':') === ipv6);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: first ? SERVICE : `${SERVICE}-${port}`,
      namespace: NAMESPACE,
      labels: { [SERVICE_NAME]: SERVICE },
    },
    addressType: ipv6 ? 'IPv6' : 'IPv4',
    endpoints: family.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: portOf(port),
  };
}
