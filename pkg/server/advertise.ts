import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ServingConfig } from '../config/index.js';

/**
 * The address of this server in the endpoints of the Service `kubernetes`, chosen as in kube-apiserver:
 * --advertise-address, otherwise --bind-address, otherwise, if that is a wildcard or a loopback address, the address of
 * the interface with the default route. Undefined if there is none.
 */
export function endpointAddress({ advertiseAddress, bindAddress }: ServingConfig): string | undefined {
  if (advertiseAddress !== '') return advertiseAddress;
  if (!isLocal(bindAddress)) return bindAddress;
  return hostAddress(bindAddress.includes(':') ? 'IPv6' : 'IPv4');
}

const isLocal = (address: string): boolean =>
  address === '0.0.0.0' || address === '::' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));

/** The first global address of the interface of the default route; without a route, of any interface. */
function hostAddress(family: 'IPv4' | 'IPv6'): string | undefined {
  const interfaces = networkInterfaces();
  const usable = (name: string): string | undefined =>
    interfaces[name]?.find((a) => a.family === family && !a.internal && !a.address.startsWith('fe80:'))?.address;
  const routed = defaultInterface();
  const names = Object.keys(interfaces);
  return [...(routed === undefined ? [] : [routed]), ...names].map(usable).find((address) => address !== undefined);
}

/** The interface of the IPv4 default route, if the system has the routing table of Linux. */
function defaultInterface(): string | undefined {
  let table: string;
  try {
    table = readFileSync('/proc/net/route', 'utf8');
  } catch {
    return undefined;
  }
  const rows = table.split('\n').map((line) => line.split('\t'));
  return rows.find(([, destination]) => destination === '00000000')?.[0];
}
