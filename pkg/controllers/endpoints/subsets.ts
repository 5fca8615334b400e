import { compareText, type JsonObject, objectsAt, parseIp, textAt } from '../../api/index.js';

/** One address on one port, before addresses with equal ports are grouped. */
export interface AddressOnPort {
  readonly address: JsonObject;
  readonly port: JsonObject | undefined;
  readonly ready: boolean;
}

/**
 * The subsets of Endpoints in canonical form: addresses with the same ports are in one subset, sorted. An address that
 * is ready on one port is ready.
 */
export function subsetsOf(entries: readonly AddressOnPort[]): readonly JsonObject[] {
  const addresses = new Map<string, { address: JsonObject; ready: boolean; readonly ports: Map<string, JsonObject> }>();
  for (const { address, port, ready } of entries) {
    const key = `${textAt(address, 'ip')}/${textAt(address, 'targetRef', 'uid')}/${ready}`;
    const known = addresses.get(key) ?? { address, ready, ports: new Map<string, JsonObject>() };
    if (port !== undefined) known.ports.set(portText(port), port);
    addresses.set(key, known);
  }
  const groups = new Map<string, { ports: JsonObject[]; ready: JsonObject[]; notReady: JsonObject[] }>();
  for (const { address, ready, ports } of addresses.values()) {
    const key = [...ports.keys()].sort().join();
    const group = groups.get(key) ?? { ports: [...ports.values()], ready: [], notReady: [] };
    (ready ? group.ready : group.notReady).push(address);
    groups.set(key, group);
  }
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready.sort(byAddress) }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.sort(byAddress) }),
      ...(ports.length === 0 ? {} : { ports }),
    }));
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
