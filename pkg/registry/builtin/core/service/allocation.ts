import {
  errors as apiErrors,
  type Cidr,
  cidrContains,
  FieldErrors,
  FieldPath,
  formatIp,
  type IpAddress,
  type JsonObject,
  parseCidr,
  parseIp,
} from '../../../../api/index.js';
import type { World } from '../../../../base/index.js';
import { type Revision, revision } from '../../../../base/index.js';
import type { Compare, Op } from '../../../../storage/index.js';
import type { Change, Reader, TxnPart, WriteContext } from '../../../resource.js';
import { listAt, nameOf, numberAt, objectsAt, textAt } from '../../access.js';
import type { ClusterConfig } from '../../cluster.js';
import { type Family, familyOf } from './families.js';
import {
  clusterIpsOf,
  familiesOf,
  hasClusterIp,
  NONE,
  nodePortOf,
  portsOf,
  protocolOf,
  type Service,
  specOf,
  wantsHealthCheckPort,
  wantsNodePorts,
} from './shape.js';

/**
 * Addresses and node ports are keys of their own, written in the same transaction as the service: `absent(key)` is what makes
 * an address unique on all peers, and a failed transaction allocates nothing. A cluster IP is an IPAddress
 * object, so that clients can list the owners of addresses.
 */
const IP_PREFIX = '/registry/ipaddresses/';
const RANGE_PREFIX = '/registry/servicecidrs/';
/** The ServiceCIDR with the ranges of the flags. */
const DEFAULT_RANGE = 'kubernetes';
export const NODE_PORT_PREFIX = '/registry/ranges/servicenodeports/';

/** The number of random attempts before a scan of the whole range. */
const RANDOM_TRIES = 16;

interface Draft {
  readonly compares: Compare[];
  readonly ops: Op[];
}

export function serviceReservation(
  cluster: ClusterConfig,
): (change: Change, store: Reader, context: WriteContext) => Promise<TxnPart> {
  const defaults = defaultRanges(cluster);
  return async (change, store, context) => {
    const draft: Draft = { compares: [], ops: [] };
    if (change.object !== undefined) {
      const ranges = (): Promise<readonly Cidr[]> => openRanges(defaults, store);
      await clusterIps(change.object, change.old, { ranges, store, context, draft });
      await nodePorts(change.object, change.old, cluster, { store, context, draft });
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

interface Work {
  readonly store: Reader;
  readonly context: WriteContext;
  readonly draft: Draft;
}

async function clusterIps(
  s: Service,
  old: Service | undefined,
  work: Work & { readonly ranges: () => Promise<readonly Cidr[]> },
): Promise<void> {
  if (!hasClusterIp(s) || clusterIpsOf(s)[0] === NONE) return;
  const held = new Set(old === undefined || !hasClusterIp(old) ? [] : clusterIpsOf(old));
  const ips = [...clusterIpsOf(s)];
  let known: readonly Cidr[] | undefined;
  for (const [i, family] of familiesOf(s).entries()) {
    const asked = ips[i];
    if (asked !== undefined && asked !== '' && held.has(asked)) continue;
    known ??= await work.ranges();
    const ranges = known.filter((range) => familyOfRange(range) === family);
    if (ranges.length === 0) continue;
    if (asked !== undefined && asked !== '') {
      await takeIp(s, asked, ranges, work);
      continue;
    }
    ips[i] = await freeIpOf(ranges, work);
    claimIp(s, ips[i]!, work);
  }
  const spec = specOf(s);
  spec['clusterIPs'] = ips;
  spec['clusterIP'] = ips[0] ?? '';
}

async function takeIp(s: Service, ip: string, ranges: readonly Cidr[], work: Work): Promise<void> {
  const parsed = parseIp(ip)!;
  let why: string | undefined;
  if (!ranges.some((range) => cidrContains(range, parsed)))
    why = 'the provided network does not match the current range';
  else if ((await work.store.get(IP_PREFIX + formatIp(parsed))) !== undefined) why = 'provided IP is already allocated';
  if (why !== undefined) {
    const errors = new FieldErrors().invalid(
      FieldPath.of('spec', 'clusterIPs'),
      [...clusterIpsOf(s)],
      `failed to allocate IP ${ip}: ${why}`,
    );
    throw apiErrors.invalid({ group: '', kind: 'Service' }, nameOf(s), errors.list);
  }
  claimIp(s, ip, work);
}

/** Returns a free address of the first range that has one. */
async function freeIpOf(ranges: readonly Cidr[], work: Work): Promise<string> {
  for (const range of ranges) {
    const ip = await freeIp(range, work);
    if (ip !== undefined) return ip;
  }
  throw apiErrors.internal('failed to allocate a serviceIP: range is full');
}

/**
 * Returns a free address of the range, or undefined. The lower part is reserved for static assignment: random addresses come from above
 * it first (KEP-3070: min(max(16, size/16), 256) addresses).
 */
async function freeIp(range: Cidr, work: Work): Promise<string | undefined> {
  const bits = BigInt((range.address.family === 4 ? 32 : 128) - range.prefixLength);
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

const ABSENT: Revision = revision(0);

/** Returns the IPAddress as stored, in the field order of its schema. */
function ipAddressObject(s: Service, ip: string, { world }: WriteContext): Buffer {
  const now = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  return Buffer.from(
    JSON.stringify({
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name: formatIp(parseIp(ip)!),
        uid: world.random.uuid(),
        creationTimestamp: now,
        labels: {
          'ipaddress.kubernetes.io/ip-family': familyOf(ip),
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: textAt(s, 'metadata', 'namespace'), name: nameOf(s) } },
    }),
  );
}

function randomInteger(world: World): bigint {
  let n = 0n;
  for (const byte of world.random.bytes(8)) n = (n << 8n) | BigInt(byte);
  return n;
}

async function nodePorts(s: Service, old: Service | undefined, cluster: ClusterConfig, work: Work): Promise<void> {
  const held = old === undefined ? new Set<number>() : heldPorts(old);
  const { from, to } = cluster.nodePorts;
  // protocols of one service may share a node port; within a protocol it is unique
  const mine = new Map<number, Set<string>>();
  for (const [i, port] of portsOf(s).entries()) {
    const asked = nodePortOf(port);
    const path = FieldPath.of('spec', 'ports').index(i).child('nodePort');
    if (asked !== 0) {
      const protocols = mine.get(asked);
      if (protocols?.has(protocolOf(port))) throw refused(s, path, asked, 'provided port is already allocated');
      if (protocols === undefined && !held.has(asked) && !work.context.dryRun)
        await takePort(s, asked, path, cluster, work);
      mine.set(asked, (protocols ?? new Set()).add(protocolOf(port)));
    } else if (wantsNodePorts(s)) {
      const sibling = portsOf(s).find(
        (p) =>
          nodePortOf(p) !== 0 &&
          numberAt(p, 'port') === numberAt(port, 'port') &&
          !mine.get(nodePortOf(p))?.has(protocolOf(port)),
      );
      if (sibling !== undefined && mine.has(nodePortOf(sibling))) {
        port['nodePort'] = nodePortOf(sibling);
        mine.get(nodePortOf(sibling))!.add(protocolOf(port));
        continue;
      }
      const free = await freePort(from, to, new Set([...mine.keys(), ...held]), work);
      claimPort(s, free, work);
      port['nodePort'] = free;
      mine.set(free, new Set([protocolOf(port)]));
    }
  }
  const spec = specOf(s);
  if (!wantsHealthCheckPort(s)) return;
  const asked = numberAt(spec, 'healthCheckNodePort');
  if (asked === 0) {
    const free = await freePort(from, to, new Set([...mine.keys(), ...held]), work);
    claimPort(s, free, work);
    spec['healthCheckNodePort'] = free;
  } else if (!held.has(asked) && !work.context.dryRun)
    await takePort(s, asked, FieldPath.of('spec', 'healthCheckNodePort'), cluster, work);
}

async function takePort(
  s: Service,
  port: number,
  path: FieldPath,
  { nodePorts: { from, to } }: ClusterConfig,
  work: Work,
): Promise<void> {
  if (port < from || port > to)
    throw refused(s, path, port, `provided port is not in the valid range. The range of valid ports is ${from}-${to}`);
  if ((await work.store.get(`${NODE_PORT_PREFIX}${port}`)) !== undefined)
    throw refused(s, path, port, 'provided port is already allocated');
  claimPort(s, port, work);
}

function refused(s: Service, path: FieldPath, port: number, why: string): Error {
  return apiErrors.invalid({ group: '', kind: 'Service' }, nameOf(s), new FieldErrors().invalid(path, port, why).list);
}

async function freePort(from: number, to: number, mine: ReadonlySet<number>, work: Work): Promise<number> {
  const size = to - from + 1;
  const isFree = async (port: number) =>
    !mine.has(port) &&
    !work.draft.compares.some((c) => c.key === `${NODE_PORT_PREFIX}${port}`) &&
    (await work.store.get(`${NODE_PORT_PREFIX}${port}`)) === undefined;
  for (let i = 0; i < RANDOM_TRIES; i++) {
    const port = from + Number(randomInteger(work.context.world) % BigInt(size));
    if (await isFree(port)) return port;
  }
  const taken = new Set(await work.store.keys(NODE_PORT_PREFIX));
  for (let port = from; port <= to; port++)
    if (!taken.has(`${NODE_PORT_PREFIX}${port}`) && (await isFree(port))) return port;
  throw apiErrors.internal('failed to allocate a nodePort: range is full');
}

function claimPort(s: Service, port: number, { draft }: Work): void {
  const key = `${NODE_PORT_PREFIX}${port}`;
  if (draft.compares.some((c) => c.key === key)) return;
  draft.compares.push({ key, modRevision: ABSENT });
  draft.ops.push({ kind: 'put', key, value: Buffer.from(`${textAt(s, 'metadata', 'namespace')}/${nameOf(s)}`) });
}

/** The node ports of a service, with that of its health checks. */
export function heldPorts(s: Service): Set<number> {
  const held = new Set(portsOf(s).map(nodePortOf));
  held.add(numberAt(s, 'spec', 'healthCheckNodePort'));
  held.delete(0);
  return held;
}

/** Releases what the old service held and the new one does not, in the same transaction. */
function release({ object, old }: Change, draft: Draft): void {
  if (old === undefined) return;
  const ips = new Set(object === undefined ? [] : clusterIpsOf(object));
  for (const ip of clusterIpsOf(old)) {
    if (ip !== NONE && ip !== '' && !ips.has(ip))
      draft.ops.push({ kind: 'delete', key: IP_PREFIX + formatIp(parseIp(ip)!) });
  }
  const ports = object === undefined ? new Set<number>() : heldPorts(object);
  for (const port of heldPorts(old))
    if (!ports.has(port)) draft.ops.push({ kind: 'delete', key: `${NODE_PORT_PREFIX}${port}` });
}
