import { BlockList, isIP } from 'node:net';
import { errors, type GroupResourceName, isObject, type JsonObject } from '../../../api/index.js';
import type { ConnectionRequest } from '../../resource.js';
import { numberAt, objectsAt, textAt } from '../access.js';

/** The addresses of kubelets, pods and endpoints of services, from the stored objects. */

const NODES = { group: '', resource: 'nodes' } as const;
const PODS = { group: '', resource: 'pods' } as const;
const SERVICES = { group: '', resource: 'services' } as const;
const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' } as const;

const KUBELET_PORT = 10250;

/** The place of a server. `port` is '' for that of the scheme. */
export interface Place {
  readonly host: string;
  readonly port: string;
}

/** `https://192.0.2.7:10250`, `http://[2001:db8::1]` */
export function originOf(scheme: string, { host, port }: Place): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${shown}${port === '' ? '' : `:${port}`}`;
}

/** Returns where the kubelet of a node listens. `asked`: the resource of the request, which the error about a missing node names. */
export async function kubeletOf(request: ConnectionRequest, name: string, asked: GroupResourceName): Promise<Place> {
  const node = await request.objects.get({ ...NODES, namespace: '', name });
  if (node === undefined) throw errors.notFound(asked, name);
  const addresses = objectsAt(node, 'status', 'addresses');
  const [host] = request.addressTypes.flatMap((type) => addresses.filter((a) => textAt(a, 'type') === type));
  if (host === undefined)
    throw errors.unexpected(
      `no preferred addresses found; known addresses: [${addresses.map((a) => textAt(a, 'address')).join(' ')}]`,
    );
  const port = numberAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port') ?? 0;
  return { host: textAt(host, 'address'), port: String(port === 0 ? KUBELET_PORT : port) };
}

/** The kubelet of a pod's node. */
export function kubeletOfPod(request: ConnectionRequest, pod: JsonObject): Promise<Place> {
  const node = textAt(pod, 'spec', 'nodeName');
  if (node === '') throw errors.badRequest(`pod ${request.name} does not have a host assigned`);
  return kubeletOf(request, node, PODS);
}

export async function podOf({ objects, namespace }: ConnectionRequest, name: string): Promise<JsonObject> {
  const pod = await objects.get({ ...PODS, namespace, name });
  if (pod === undefined) throw errors.notFound(PODS, name);
  return pod;
}

/** Returns where a pod is reached: at `port`, or at the first port of its containers. */
export function placeOfPod(pod: JsonObject, port: string): Place {
  const host = textAt(pod, 'status', 'podIP');
  requireProxyable(host);
  if (port !== '') return { host, port };
  const [first] = objectsAt(pod, 'spec', 'containers').flatMap((c) => objectsAt(c, 'ports').slice(0, 1));
  return { host, port: first === undefined ? '' : String(numberAt(first, 'containerPort') ?? '') };
}

/**
 * Returns a ready endpoint of a service that is a pod of its namespace. `port` is the name or the number of a port of the service; '' names a port
 * without a name.
 */
export async function placeOfService(request: ConnectionRequest, name: string, port: string): Promise<Place> {
  const { objects, namespace, context } = request;
  const none = errors.serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  const wanted = /^\d+$/.test(port) ? await portName(request, name, Number(port)) : port;
  const found: { readonly pod: string; readonly place: Place }[] = [];
  for (const slice of objects.list({ ...SLICES, namespace })) {
    if (textAt(slice, 'metadata', 'labels', 'kubernetes.io/service-name') !== name) continue;
    const [at] = objectsAt(slice, 'ports').filter((p) => textAt(p, 'name') === wanted);
    if (at === undefined) continue;
    for (const endpoint of objectsAt(slice, 'endpoints')) {
      const pod = podNameOf(endpoint, namespace);
      const host = Array.isArray(endpoint['addresses']) ? endpoint['addresses'][0] : undefined;
      if (pod !== '' && typeof host === 'string')
        found.push({ pod, place: { host, port: String(numberAt(at, 'port') ?? '') } });
    }
  }
  // The load is spread, as far as a choice at random does.
  for (let left = found.length; left > 0; left--) {
    const i = Math.floor(context.world.random.float() * left);
    const { pod, place } = found[i]!;
    const stored = await objects.get({ ...PODS, namespace, name: pod });
    if (stored !== undefined && objectsAt(stored, 'status', 'podIPs').some((ip) => textAt(ip, 'ip') === place.host))
      return place;
    found[i] = found[left - 1]!;
  }
  throw none;
}

/** The service itself is needed only for the number of a port. A caller without a number does not learn whether it exists. */
async function portName({ objects, namespace }: ConnectionRequest, name: string, port: number): Promise<string> {
  const service = await objects.get({ ...SERVICES, namespace, name });
  if (service === undefined) throw errors.notFound(SERVICES, name);
  const at = objectsAt(service, 'spec', 'ports').find((p) => p['port'] === port);
  if (at === undefined)
    throw errors.serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return textAt(at, 'name');
}

/** The name of the pod that is a ready endpoint; '' for any other endpoint. */
function podNameOf(endpoint: JsonObject, namespace: string): string {
  const { conditions, targetRef } = endpoint;
  const isReady = !isObject(conditions) || conditions['ready'] !== false;
  if (!isReady || !isObject(targetRef) || textAt(targetRef, 'kind') !== 'Pod') return '';
  return textAt(targetRef, 'namespace') === namespace ? textAt(targetRef, 'name') : '';
}

/** Addresses that no pod or node is reached at: a proxy must not lead to the server's own machine. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);
LOCAL.addSubnet('224.0.0.0', 4);
LOCAL.addAddress('0.0.0.0');
LOCAL.addAddress('255.255.255.255');
LOCAL.addAddress('::', 'ipv6');
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');
LOCAL.addSubnet('ff00::', 8, 'ipv6');

/** Refuses an address that is not a global unicast one. */
export function requireProxyable(host: string): void {
  const family = isIP(host);
  if (family === 0 || LOCAL.check(host, family === 4 ? 'ipv4' : 'ipv6')) throw errors.badRequest('address not allowed');
}
