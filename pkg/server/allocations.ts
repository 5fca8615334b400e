import { type Cidr, cidrContains, type JsonObject, parseCidr, parseIp } from '../api/index.js';
import type { Cache } from '../cache/index.js';
import { NODE_PORT_PREFIX } from '../registry/index.js';
import { type Keyspace, prefixEnd } from '../storage/index.js';
import type { ScrapedMetric } from '../telemetry/index.js';

const IP_PREFIX = '/registry/ipaddresses/';
const RANGE_PREFIX = '/registry/servicecidrs/';

export interface AllocationParts {
  readonly cache: Pick<Cache, 'collection'>;
  readonly keyspace: Pick<Keyspace, 'range'>;
  readonly nodePorts: { readonly from: number; readonly to: number };
}

/** The gauges of the addresses and node ports of services, counted at a scrape with the names of kube-apiserver. */
export async function allocationGauges({ cache, keyspace, nodePorts }: AllocationParts): Promise<ScrapedMetric[]> {
  const addresses = objectsOf(cache, IP_PREFIX).map(({ key }) => parseIp(key.slice(IP_PREFIX.length)));
  const ranges = new Set(objectsOf(cache, RANGE_PREFIX).flatMap((o) => cidrsOf(o.value())));
  const counts = [...ranges].map((text) => {
    const cidr = parseCidr(text);
    if (cidr === undefined) return { cidr: text, allocated: 0, size: 0 };
    const allocated = addresses.filter((ip) => ip !== undefined && cidrContains(cidr, ip)).length;
    return { cidr: text, allocated, size: sizeOf(cidr) };
  });
  const ports = await keyspace.range({ start: NODE_PORT_PREFIX, end: prefixEnd(NODE_PORT_PREFIX) });
  const used = ports.kind === 'ok' ? ports.items.length : 0;
  return [
    gauge(
      'clusterip_allocator_allocated_ips',
      'Allocated addresses of services.',
      counts.map(({ cidr, allocated }) => ({ labels: { cidr }, value: allocated })),
    ),
    gauge(
      'clusterip_allocator_available_ips',
      'Addresses that services can still get.',
      counts.map(({ cidr, allocated, size }) => ({ labels: { cidr }, value: size - allocated })),
    ),
    gauge('nodeport_allocator_allocated_ports', 'Allocated node ports.', [{ labels: {}, value: used }]),
    gauge('nodeport_allocator_available_ports', 'Node ports that services can still get.', [
      { labels: {}, value: nodePorts.to - nodePorts.from + 1 - used },
    ]),
  ];
}

const objectsOf = (cache: AllocationParts['cache'], prefix: string) => [
  ...(cache.collection(prefix)?.snapshot().objects.range(prefix, prefixEnd(prefix)) ?? []),
];

const cidrsOf = (o: JsonObject): readonly string[] => {
  const cidrs = (o['spec'] as JsonObject | undefined)?.['cidrs'];
  return Array.isArray(cidrs) ? cidrs.map(String) : [];
};

/** The network address and, for IPv4, the broadcast address are not allocated. */
function sizeOf({ address, prefixLength }: Cidr): number {
  const isIpv4 = address.family === 4;
  return 2 ** ((isIpv4 ? 32 : 128) - prefixLength) - (isIpv4 ? 2 : 1);
}

const gauge = (name: string, help: string, values: ScrapedMetric['values']): ScrapedMetric => ({
  name: `kube_apiserver_${name}`,
  help,
  type: 'gauge',
  aggregator: 'sum',
  values,
});
