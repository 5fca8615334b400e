import {
  errors as apiErrors,
  type Cidr,
  cidrContains,
  FieldErrors,
  FieldPath,
  formatIp,
  formatTime,
  type IpAddress,
  type JsonObject,
  maskIp,
  parseCidr,
  parseIp,
} from '../../../../api/index.js';
import { updateManagedFields } from '../../../../patch/index.js';
import { kindSchema } from '../../../../schema/index.js';
import type { Change, Reader, TxnPart, WriteContext } from '../../../resource.js';
import { listAt, nameOf, objectsAt, textAt } from '../../access.js';
import type { ClusterConfig } from '../../cluster.js';
import { ABSENT, allocationMetrics, type Draft, RANDOM_TRIES, randomInteger, type Work } from './draft.js';
import { type Family, familyOf } from './families.js';
import { releaseNodePorts, reserveNodePorts } from './nodeports.js';
import { clusterIpsOf, familiesOf, hasClusterIp, NONE, type Service, specOf } from './shape.js';

/**
 * Addresses and node ports are keys of their own, written in the same transaction as the service: `absent(key)` is what makes
 * an address unique on all peers, and a failed transaction allocates nothing. A cluster IP is an IPAddress
 * object, so that clients can list the owners of addresses.
 */
const IP_PREFIX = '/registry/ipaddresses/';
const RANGE_PREFIX = '/registry/servicecidrs/';
/** The ServiceCIDR with the ranges of the flags. */
const DEFAULT_RANGE = 'kubernetes';
const IP_ADDRESS = { group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress' };
const IP_ADDRESS_VERSION = `${IP_ADDRESS.group}/${IP_ADDRESS.version}`;

export function serviceReservation(
  cluster: ClusterConfig,
): (change: Change, store: Reader, context: WriteContext) => Promise<TxnPart> {
  const defaults = defaultRanges(cluster);
  return async (change, store, context) => {
    const draft: Draft = { compares: [], ops: [] };
    if (change.object !== undefined) {
      const ranges = (): Promise<readonly Cidr[]> => openRanges(defaults, store);
      await clusterIps(change.object, change.old, { ranges, store, context, draft });
      await reserveNodePorts(change.object, change.old, cluster, { store, context, draft });
    }
    release(change, draft);
    return draft;
  };
}

function defaultRanges(cluster: ClusterConfig): ReadonlyMap<Family, Cidr> {
  const defaults = new Map<Family, Cidr>();
  for (const text of cluster.serviceIpRanges) {
    const cidr = parseCidr(text);
    if (cidr === undefined) throw new Error(`--service-cluster-ip-range: ${text} is not a range of addresses`);
    defaults.set(familyOfRange(cidr), cidr);
  }
  return defaults;
}

/** The families that have a range by the flags, the default first. */
export const configuredFamilies = (cluster: ClusterConfig): readonly Family[] => [...defaultRanges(cluster).keys()];

const familyOfRange = ({ address }: Cidr): Family => (address.family === 6 ? 'IPv6' : 'IPv4');

/**
 * The ranges from which addresses are allocated now: those of the flags, unless the ServiceCIDR `kubernetes` is being deleted, and
 * then those of further ServiceCIDRs that are ready.
 */
async function openRanges(defaults: ReadonlyMap<Family, Cidr>, store: Reader): Promise<readonly Cidr[]> {
  const objects = (await store.values(RANGE_PREFIX)).map(
    (bytes) => JSON.parse(Buffer.from(bytes).toString()) as JsonObject,
  );
  const isClosing = (o: JsonObject): boolean => textAt(o, 'metadata', 'deletionTimestamp') !== '';
  const first = objects.find((o) => nameOf(o) === DEFAULT_RANGE);
  const further = objects.filter((o) => o !== first && !isClosing(o) && isReady(o));
  const named = further.flatMap((o) => listAt(o, 'spec', 'cidrs')).map((text) => parseCidr(String(text)));
  return [
    ...(first !== undefined && isClosing(first) ? [] : defaults.values()),
    ...named.filter((cidr) => cidr !== undefined),
  ];
}

const isReady = (o: JsonObject): boolean =>
  objectsAt(o, 'status', 'conditions').some((c) => textAt(c, 'type') === 'Ready' && textAt(c, 'status') === 'True');

async function clusterIps(
  s: Service,
  old: Service | undefined,
  work: Work & { readonly ranges: () => Promise<readonly Cidr[]> },
): Promise<void> {
  if (!hasClusterIp(s) || clusterIpsOf(s)[0] === NONE) return;
  // The addresses of the families that it had do not change; validation says so.
  const settled = old === undefined || !hasClusterIp(old) ? 0 : familiesOf(old).length;
  const ips = [...clusterIpsOf(s)];
  let known: readonly Cidr[] | undefined;
  for (const [i, family] of familiesOf(s).entries()) {
    if (i < settled) continue;
    const asked = ips[i];
    known ??= await work.ranges();
    const ranges = known.filter((range) => familyOfRange(range) === family);
    if (ranges.length === 0) continue;
    if (asked !== undefined && asked !== '') {
      await takeIp(s, asked, ranges, work);
      continue;
    }
    ips[i] = await freeIpOf(ranges, work);
    if (isNameless(s, work)) throw notAllocated(s, '', namelessParent(ips[i]!));
    claimIp(s, ips[i]!, work);
  }
  const spec = specOf(s);
  spec['clusterIPs'] = ips;
  spec['clusterIP'] = ips[0] ?? '';
}

/** The network address and, for IPv4, the broadcast address of a range are not allocated. */
function allocates(range: Cidr, ip: IpAddress): boolean {
  if (!cidrContains(range, ip)) return false;
  const offset = ip.value - ((range.address.value >> hostBits(range)) << hostBits(range));
  return offset > 0n && (ip.family === 6 || offset < (1n << hostBits(range)) - 1n);
}

const hostBits = ({ address, prefixLength }: Cidr): bigint => BigInt((address.family === 4 ? 32 : 128) - prefixLength);

async function takeIp(s: Service, ip: string, ranges: readonly Cidr[], work: Work): Promise<void> {
  const parsed = parseIp(ip)!;
  let why: string | undefined;
  const { clock } = work.context.world;
  const began = clock.monotonic();
  const range = ranges.find((r) => allocates(r, parsed));
  if (range === undefined) why = outside(ip, ranges, work);
  // A dry run does not look for the address among those allocated, as in kube-apiserver.
  else if (!work.context.dryRun && (await work.store.get(IP_PREFIX + formatIp(parsed))) !== undefined)
    why = 'provided IP is already allocated';
  else if (isNameless(s, work)) why = namelessParent(ip);
  // An address outside the ranges is no failed allocation, as in kube-apiserver.
  if (why !== undefined) {
    if (range !== undefined) allocationMetrics(work)?.addressRefused(showCidr(range), 'static');
    throw notAllocated(s, ` ${ip}`, why);
  }
  allocationMetrics(work)?.addressAllocated(showCidr(range!), 'static', clock.monotonic() - began);
  claimIp(s, ip, work);
}

/** A service without a name cannot be the parent of an IPAddress. In a dry run, none is made. */
const isNameless = (s: Service, { context }: Work): boolean => nameOf(s) === '' && !context.dryRun;

const namelessParent = (ip: string): string =>
  `IPAddress.networking.k8s.io "${ip}" is invalid: spec.parentRef.name: Required value`;

function notAllocated(s: Service, ip: string, why: string): Error {
  const ips = clusterIpsOf(s);
  const errors = new FieldErrors().invalid(
    FieldPath.of('spec', 'clusterIPs'),
    ips.length === 0 ? [''] : [...ips],
    `failed to allocate IP${ip}: ${why}`,
  );
  return apiErrors.invalid({ group: '', kind: 'Service' }, nameOf(s), errors.list);
}

/** A dry run of kube-apiserver asks the allocator of one range, whose error names it. */
const outside = (ip: string, [first]: readonly Cidr[], { context }: Work): string =>
  context.dryRun && first !== undefined
    ? `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${showCidr(first)}`
    : 'the provided network does not match the current range';

/** The form of a range in metrics and errors. */
const showCidr = ({ address, prefixLength }: Cidr): string => `${formatIp(address)}/${prefixLength}`;

/** Returns a free address of the first range that has one. */
async function freeIpOf(ranges: readonly Cidr[], work: Work): Promise<string> {
  const { clock } = work.context.world;
  for (const range of ranges) {
    const began = clock.monotonic();
    const ip = await freeIp(range, work);
    if (ip !== undefined) {
      allocationMetrics(work)?.addressAllocated(showCidr(range), 'dynamic', clock.monotonic() - began);
      return ip;
    }
    allocationMetrics(work)?.addressRefused(showCidr(range), 'dynamic');
  }
  throw apiErrors.internal('failed to allocate a serviceIP: range is full');
}

/**
 * Returns a free address of the range, or undefined. The lower part is reserved for static assignment: random addresses come from above
 * it first (KEP-3070: min(max(16, size/16), 256) addresses).
 */
async function freeIp(range: Cidr, work: Work): Promise<string | undefined> {
  // A dry run shows the network address, as in kube-apiserver.
  if (work.context.dryRun) return formatIp(maskIp(range.address, range.prefixLength));
  const bits = hostBits(range);
  // the network address and, for IPv4, the broadcast address are not allocated
  const size = (1n << bits) - (range.address.family === 4 ? 2n : 1n);
  const first = range.address.value + 1n;
  const sixteenth = size / 16n;
  const reserved = size <= 16n ? 0n : sixteenth < 16n ? 16n : sixteenth > 256n ? 256n : sixteenth;
  const address = (offset: bigint): string =>
    formatIp({ family: range.address.family, value: first + offset } as IpAddress);
  for (let i = 0; i < RANDOM_TRIES; i++) {
    const ip = address(reserved + (randomInteger(work.context.world) % (size - reserved)));
    if (!(await isTaken(ip, work))) return ip;
  }
  const taken = new Set(await work.store.keys(IP_PREFIX));
  for (const [from, to] of [
    [reserved, size],
    [0n, reserved],
  ] as const) {
    for (let offset = from; offset < to && offset - from <= BigInt(taken.size); offset++) {
      const ip = address(offset);
      if (!taken.has(IP_PREFIX + ip) && !(await isTaken(ip, work))) return ip;
    }
  }
  return undefined;
}

async function isTaken(ip: string, work: Work): Promise<boolean> {
  const key = IP_PREFIX + ip;
  return work.draft.compares.some((c) => c.key === key) || (await work.store.get(key)) !== undefined;
}

function claimIp(s: Service, ip: string, { context, draft }: Work): void {
  const key = IP_PREFIX + formatIp(parseIp(ip)!);
  draft.compares.push({ key, modRevision: ABSENT });
  draft.ops.push({ kind: 'put', key, value: ipAddressObject(s, ip, context) });
}

/** Returns the IPAddress as stored, in the field order of its schema. The server itself owns its fields, as in kube-apiserver. */
function ipAddressObject(s: Service, ip: string, { world }: WriteContext): Buffer {
  const now = world.clock.now();
  const object: JsonObject = {
    kind: IP_ADDRESS.kind,
    apiVersion: IP_ADDRESS_VERSION,
    metadata: {
      name: formatIp(parseIp(ip)!),
      uid: world.random.uuid(),
      creationTimestamp: formatTime(now),
      labels: {
        'ipaddress.kubernetes.io/ip-family': familyOf(ip),
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: textAt(s, 'metadata', 'namespace'), name: nameOf(s) } },
  };
  const { schema } = kindSchema(IP_ADDRESS)!;
  const resource = { schema, apiVersion: IP_ADDRESS_VERSION, kind: IP_ADDRESS.kind, subresource: '' };
  updateManagedFields({ resource, live: undefined, object, manager: 'kube-apiserver', now });
  return Buffer.from(JSON.stringify(object));
}

/** Releases what the old service held and the new one does not, in the same transaction. */
function release({ object, old }: Change, draft: Draft): void {
  if (old === undefined) return;
  const ips = new Set(object === undefined ? [] : clusterIpsOf(object));
  for (const ip of clusterIpsOf(old)) {
    if (ips.has(ip)) continue;
    // None, an empty text, and what a stored service has that is no address were never allocated.
    const parsed = parseIp(ip);
    if (parsed !== undefined) draft.ops.push({ kind: 'delete', key: IP_PREFIX + formatIp(parsed) });
  }
  releaseNodePorts(object, old, draft);
}
