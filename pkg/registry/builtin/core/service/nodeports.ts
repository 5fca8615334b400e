import { errors as apiErrors, FieldErrors, FieldPath } from '../../../../api/index.js';
import { nameOf, numberAt, textAt } from '../../access.js';
import type { ClusterConfig } from '../../cluster.js';
import { ABSENT, allocationMetrics, type Draft, RANDOM_TRIES, randomInteger, type Work } from './draft.js';
import {
  mayHaveNodePorts,
  nodePortOf,
  portsOf,
  protocolOf,
  type Service,
  specOf,
  wantsHealthCheckPort,
  wantsNodePorts,
} from './shape.js';

/** The keys of node ports in use; the value is `namespace/name` of the service. */
export const NODE_PORT_PREFIX = '/registry/ranges/servicenodeports/';

const keyOf = (port: number): string => `${NODE_PORT_PREFIX}${port}`;

const IN_USE = 'provided port is already allocated';

/** What a dry run returns for its first node port, as in kube-apiserver: it reserves nothing and does not look for a free one. */
const FIRST_OF_DRY_RUN = 32769;

interface Ports {
  readonly service: Service;
  /** Ports that the service names or holds already: none of them is chosen for another of its ports. */
  readonly named: ReadonlySet<number>;
  readonly range: ClusterConfig['nodePorts'];
}

/** Reserves the node ports of one write, for a service that may be invalid. Those of the old service stay reserved until the write is committed. */
class Reservation {
  private readonly mine: number[] = [];
  private readonly ports: Ports;
  private readonly work: Work;

  constructor(ports: Ports, work: Work) {
    this.ports = ports;
    this.work = work;
  }

  /** Reserves a port that the client chose. */
  async take(port: number, path: FieldPath): Promise<void> {
    const why = await this.refusal(port);
    if (why !== undefined) {
      this.allocations?.portRefused('static');
      throw refused(this.ports.service, path, port, why);
    }
    this.allocations?.portAllocated('static');
    this.claim(port);
  }

  /** Reserves a free port and returns it. */
  async next(): Promise<number> {
    const port = this.work.context.dryRun ? this.pretended() : await this.free();
    this.allocations?.portAllocated('dynamic');
    this.claim(port);
    return port;
  }

  private get allocations() {
    return allocationMetrics(this.work);
  }

  private async refusal(port: number): Promise<string | undefined> {
    if (this.mine.includes(port)) return IN_USE;
    if (this.work.context.dryRun) return undefined;
    const { from, to } = this.ports.range;
    if (port < from || port > to)
      return `provided port is not in the valid range. The range of valid ports is ${from}-${to}`;
    return (await this.work.store.get(keyOf(port))) === undefined ? undefined : IN_USE;
  }

  private pretended(): number {
    return this.mine.length === 0 ? FIRST_OF_DRY_RUN : Math.max(0, ...this.mine) + 1;
  }

  private async free(): Promise<number> {
    const { from, to } = this.ports.range;
    const { store, context } = this.work;
    for (let i = 0; i < RANDOM_TRIES; i++) {
      const port = from + Number(randomInteger(context.world) % BigInt(to - from + 1));
      if (!this.isMine(port) && (await store.get(keyOf(port))) === undefined) return port;
    }
    const taken = new Set(await store.keys(NODE_PORT_PREFIX));
    for (let port = from; port <= to; port++) if (!this.isMine(port) && !taken.has(keyOf(port))) return port;
    this.allocations?.portRefused('dynamic');
    throw apiErrors.internal('failed to allocate a nodePort: range is full');
  }

  private isMine(port: number): boolean {
    return this.ports.named.has(port) || this.mine.includes(port);
  }

  private claim(port: number): void {
    this.mine.push(port);
    const { draft } = this.work;
    draft.compares.push({ key: keyOf(port), modRevision: ABSENT });
    const { service } = this.ports;
    const owner = `${textAt(service, 'metadata', 'namespace')}/${nameOf(service)}`;
    draft.ops.push({ kind: 'put', key: keyOf(port), value: Buffer.from(owner) });
  }
}

function refused(s: Service, path: FieldPath, port: number, why: string): Error {
  return apiErrors.invalid({ group: '', kind: 'Service' }, nameOf(s), new FieldErrors().invalid(path, port, why).list);
}

const pathOf = (i: number): FieldPath => FieldPath.of('spec', 'ports').index(i).child('nodePort');

/**
 * Reserves the node ports of a service that was prepared and is not validated yet, that of its health checks with them, and writes those
 * that it chooses into the service.
 */
export async function reserveNodePorts(
  s: Service,
  old: Service | undefined,
  cluster: ClusterConfig,
  work: Work,
): Promise<void> {
  const held = old === undefined ? new Set<number>() : heldPorts(old);
  const named = new Set([...held, ...heldPorts(s)]);
  const reservation = new Reservation({ service: s, named, range: cluster.nodePorts }, work);
  if (mayHaveNodePorts(s)) {
    if (old === undefined) await firstPorts(s, reservation);
    else await changedPorts(s, held, reservation);
  }
  if (!wantsHealthCheckPort(s) || (old !== undefined && wantsHealthCheckPort(old))) return;
  const spec = specOf(s);
  const asked = numberAt(spec, 'healthCheckNodePort');
  if (asked === 0) spec['healthCheckNodePort'] = await reservation.next();
  else await reservation.take(asked, FieldPath.of('spec', 'healthCheckNodePort'));
}

/** In a new service, ports with one number (of different protocols) share a node port, unless they name different ones. */
async function firstPorts(s: Service, reservation: Reservation): Promise<void> {
  const shared = new Map<number, number>();
  for (const [i, port] of portsOf(s).entries()) {
    const asked = nodePortOf(port);
    if (asked === 0 && !wantsNodePorts(s)) continue;
    const number = numberAt(port, 'port');
    const first = shared.get(number);
    if (first === undefined) {
      const named = portsOf(s).find((p) => numberAt(p, 'port') === number && nodePortOf(p) !== 0);
      if (named === undefined) port['nodePort'] = await reservation.next();
      else {
        await reservation.take(nodePortOf(named), pathOf(i));
        port['nodePort'] = nodePortOf(named);
      }
      shared.set(number, nodePortOf(port));
    } else if (asked === 0) port['nodePort'] = first;
    else if (asked !== first) await reservation.take(asked, pathOf(i));
  }
}

/** In an update each port without a node port gets one of its own. */
async function changedPorts(s: Service, held: ReadonlySet<number>, reservation: Reservation): Promise<void> {
  const reserved = new Set(held);
  const used = new Set<string>();
  for (const [i, port] of portsOf(s).entries()) {
    const asked = nodePortOf(port);
    if (asked === 0) {
      if (!wantsNodePorts(s)) continue;
      port['nodePort'] = await reservation.next();
    } else if (!reserved.has(asked)) await reservation.take(asked, pathOf(i));
    reserved.add(nodePortOf(port));
    const use = `${protocolOf(port)}/${nodePortOf(port)}`;
    if (used.has(use)) throw refused(s, pathOf(i), asked, IN_USE);
    used.add(use);
  }
}

/** The node ports of a service, with that of its health checks. */
export function heldPorts(s: Service): Set<number> {
  const held = new Set(portsOf(s).map(nodePortOf));
  held.add(numberAt(s, 'spec', 'healthCheckNodePort'));
  held.delete(0);
  return held;
}

/** Releases the node ports of `old` that `s` does not have. */
export function releaseNodePorts(s: Service | undefined, old: Service, draft: Draft): void {
  const kept = s === undefined ? new Set<number>() : heldPorts(s);
  for (const port of heldPorts(old)) if (!kept.has(port)) draft.ops.push({ kind: 'delete', key: keyOf(port) });
}
