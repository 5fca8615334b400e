import { compareText, type JsonObject, objectsAt, parseIp, textAt } from '../../api/index.js';

/** One address on one port, before addresses with equal ports are grouped. */
export interface AddressOnPort {
  readonly address: JsonObject;
  readonly port: JsonObject | undefined;
  readonly ready: boolean;
}

/**
 * Returns the subsets of Endpoints in their canonical form: ports that are on the same addresses are in one subset. An address that
 * is given as ready and as not ready for a port is not ready.
 */
export function subsetsOf(entries: readonly AddressOnPort[]): readonly JsonObject[] {
  const ports = new Map<string, { readonly port: JsonObject | undefined; readonly hosts: Map<string, Host> }>();
  const addresses = new Map<string, JsonObject>();
  for (const { address, port, ready } of entries) {
    const key = port === undefined ? '' : portText(port);
    const known = ports.get(key) ?? { port, hosts: new Map<string, Host>() };
    ports.set(key, known);
    const host = `${textAt(address, 'ip')}/${textAt(address, 'targetRef', 'uid')}`;
    if (!addresses.has(host)) addresses.set(host, address);
    const before = known.hosts.get(host);
    known.hosts.set(host, { host, ready: ready && before?.ready !== false });
  }
  const groups = new Map<string, { readonly ports: JsonObject[]; readonly hosts: readonly Host[] }>();
  for (const [, { port, hosts }] of [...ports].sort(([a], [b]) => compareText(a, b))) {
    const key = Array.from(hosts.values(), ({ host, ready }) => `${host}/${ready}`)
      .sort()
      .join();
    const group = groups.get(key) ?? { ports: [], hosts: [...hosts.values()] };
    if (port !== undefined) group.ports.push(port);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => {
    const of = (ready: boolean): JsonObject[] =>
      group.hosts
        .filter((host) => host.ready === ready)
        .map(({ host }) => addresses.get(host)!)
        .sort(byAddress);
    const [ready, notReady] = [of(true), of(false)];
    return {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
      ...(group.ports.length === 0 ? {} : { ports: group.ports }),
    };
  });
}

interface Host {
  readonly host: string;
  readonly ready: boolean;
}

/** The subsets of an object in canonical form. */
export function repacked(subsets: readonly JsonObject[]): readonly JsonObject[] {
  const entries: AddressOnPort[] = [];
  for (const subset of subsets) {
    const ports: readonly (JsonObject | undefined)[] = objectsAt(subset, 'ports');
    for (const [field, ready] of [
      ['addresses', true],
      ['notReadyAddresses', false],
    ] as const)
      for (const address of objectsAt(subset, field))
        for (const port of ports.length === 0 ? [undefined] : ports) entries.push({ address, port, ready });
  }
  return subsetsOf(entries);
}

const portText = (port: JsonObject): string =>
  JSON.stringify([textAt(port, 'name'), port['port'] ?? 0, textAt(port, 'protocol'), textAt(port, 'appProtocol')]);

function byAddress(a: JsonObject, b: JsonObject): number {
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  return compareText(textAt(a, 'targetRef', 'uid'), textAt(b, 'targetRef', 'uid'));
}

const numberOf = (address: JsonObject): bigint => parseIp(textAt(address, 'ip'))?.value ?? 0n;
