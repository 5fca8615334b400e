import type { JsonObject, Shaped } from '../../../../../api/index.js';
import type { Steps } from '../../../../../base/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, numberAt, objectsAt, textAt } from '../../../access.js';
import { fractionalBytes } from '../../../valuewarnings.js';
import { CONTAINER_LISTS } from '../defaults.js';
import { APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD } from './annotations.js';

type Warn = (text: string) => void;

const SECCOMP_NOW = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const APP_ARMOR_NOW = 'deprecated since v1.30; use the "appArmorProfile" field instead';

interface Where {
  /** The path of the pod's spec. */
  readonly path: string;
  readonly annotations: { readonly all: JsonObject; readonly path: string };
}

/** Every container with its path, init containers first. */
function* containers(spec: Shaped<shapes.CoreV1PodSpec>, path: string): Iterable<readonly [JsonObject, string]> {
  for (const list of CONTAINER_LISTS)
    for (const [i, c] of objectsAt(spec, list).entries()) yield [c, `${path}.${list}[${i}]`];
}

export function* containerWarnings(
  spec: Shaped<shapes.CoreV1PodSpec>,
  { path, annotations }: Where,
  warn: Warn,
): Steps<void> {
  const annotated = (key: string, why: string): void => {
    if (Object.hasOwn(annotations.all, key)) warn(`${annotations.path}[${key}]: ${why}`);
  };
  // On create, annotations of AppArmor become fields before this check.
  if (at(spec, 'securityContext', 'seccompProfile') === undefined) annotated(SECCOMP_POD, SECCOMP_NOW);
  const podHasProfile = at(spec, 'securityContext', 'appArmorProfile') !== undefined;
  for (const [c, here] of containers(spec, path)) {
    const name = textAt(c, 'name');
    if (at(c, 'securityContext', 'seccompProfile') === undefined) annotated(`${SECCOMP_CONTAINER}${name}`, SECCOMP_NOW);
    const hasProfile = podHasProfile || at(c, 'securityContext', 'appArmorProfile') !== undefined;
    if (!hasProfile) annotated(`${APP_ARMOR}${name}`, APP_ARMOR_NOW);
    for (const resource of ['memory', 'ephemeral-storage'])
      for (const kind of ['limits', 'requests'] as const)
        fractionalBytes(at(c, 'resources', kind, resource), `${here}.resources.${kind}[${resource}]`, warn);
    yield* envWarnings(c, here, warn);
    yield;
  }
}

function* envWarnings(c: JsonObject, path: string, warn: Warn): Steps<void> {
  const seen = new Set<string>();
  for (const [i, e] of objectsAt(c, 'env').entries()) {
    const name = textAt(e, 'name');
    const before = `$(${name})`;
    const value = textAt(e, 'value');
    // a duplicate that refers to the earlier value of the same name is intended
    const isIntended = at(e, 'valueFrom') === undefined && value !== before && value.includes(before);
    if (seen.has(name) && !isIntended)
      warn(`${path}.env[${i}]: hides previous definition of "${name}", which may be dropped when using apply`);
    seen.add(name);
    yield;
  }
}

interface Port {
  readonly at: string;
  readonly hostPort: number;
  readonly hostIP: string;
}

/** Overlaps that are reported for one pod: the header of a response has room for fewer. */
const OVERLAPS_MAX = 1000;

/** The ports of a pod with the same number and protocol, indexed so that only those that overlap a port are looked at. */
class SamePorts {
  readonly #all: Port[] = [];
  readonly #order = new Map<Port, number>();
  readonly #byHostPort = new Map<number, Port[]>();
  readonly #byHost = new Map<string, Port[]>();

  add(port: Port): void {
    this.#order.set(port, this.#all.length);
    this.#all.push(port);
    append(this.#byHostPort, port.hostPort, port);
    append(this.#byHost, `${port.hostPort}/${port.hostIP}`, port);
  }

  /** The earlier ports that overlap a port, in their order. */
  overlapping({ hostPort, hostIP }: Port): readonly Port[] {
    if (hostPort === 0) return this.#all;
    const anyHostPort = this.#byHostPort.get(0) ?? [];
    const same =
      hostIP === ''
        ? (this.#byHostPort.get(hostPort) ?? [])
        : [...(this.#byHost.get(`${hostPort}/${hostIP}`) ?? []), ...(this.#byHost.get(`${hostPort}/`) ?? [])];
    if (same.length === 0) return anyHostPort;
    const found = [...anyHostPort, ...same];
    return found.sort((a, b) => this.#order.get(a)! - this.#order.get(b)!);
  }
}

function append<K>(to: Map<K, Port[]>, key: K, port: Port): void {
  const list = to.get(key);
  if (list === undefined) to.set(key, [port]);
  else list.push(port);
}

export function* portWarnings(spec: Shaped<shapes.CoreV1PodSpec>, path: string, warn: Warn): Steps<void> {
  const byPort = new Map<string, SamePorts>();
  let overlaps = 0;
  const byName = new Map<string, string>();
  for (const [c, here] of containers(spec, path)) {
    yield;
    for (const [j, p] of objectsAt(c, 'ports').entries()) {
      yield;
      const port: Port = {
        at: `${here}.ports[${j}]`,
        hostPort: numberAt(p, 'hostPort'),
        hostIP: textAt(p, 'hostIP'),
      };
      const name = textAt(p, 'name');
      if (port.hostIP !== '' && port.hostPort === 0) warn(`${port.at}: hostIP set without hostPort: ${printed(p)}`);
      const key = `${numberAt(p, 'containerPort')}/${textAt(p, 'protocol')}`;
      const others = byPort.get(key) ?? new SamePorts();
      byPort.set(key, others);
      for (const other of overlaps < OVERLAPS_MAX ? others.overlapping(port) : []) {
        if (++overlaps > OVERLAPS_MAX) break;
        overlapWarning(port, other, warn);
      }
      others.add(port);
      if (name === '') continue;
      const first = byName.get(name);
      if (first === undefined) byName.set(name, port.at);
      else
        warn(
          `${port.at}: duplicate port name "${name}" with ${first}, services and probes that select ports by name will use ${first}`,
        );
    }
  }
}

/** Finds overlapping ports: equal ones, one without a host port, or one on all addresses and one on a single address. */
function overlapWarning(port: Port, other: Port, warn: Warn): void {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort)
    warn(`${port.at}: duplicate port definition with ${other.at}`);
  else if (port.hostPort === 0 || other.hostPort === 0)
    warn(`${port.at}: overlapping port definition with ${other.at}`);
  else if (port.hostPort === other.hostPort && (port.hostIP === '') !== (other.hostIP === ''))
    warn(`${port.at}: dangerously ambiguous port definition with ${other.at}`);
}

const printed = (p: JsonObject): string =>
  `{Name:${textAt(p, 'name')} HostPort:${numberAt(p, 'hostPort')} ContainerPort:${numberAt(p, 'containerPort')} Protocol:${textAt(p, 'protocol')} HostIP:${textAt(p, 'hostIP')}}`;
