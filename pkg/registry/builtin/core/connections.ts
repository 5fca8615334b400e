import { errors, type GroupResourceName, type JsonObject } from '../../../api/index.js';
import type { ConnectionHandler, ConnectionRequest, Subresource, Verb } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { checkLogOptions } from './podlog.js';

/**
 * Connections to workloads: logs, exec, attach, port forwarding and proxies. They go to the kubelet of a node. This
 * server reports why it cannot connect, as far as the stored objects show it.
 */

const ANY_METHOD: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
const STREAM: readonly Verb[] = ['create', 'get'];

const NODES = { group: '', resource: 'nodes' } as const;
const PODS = { group: '', resource: 'pods' } as const;

function connection(kind: string, verbs: readonly Verb[], open: ConnectionHandler): Subresource {
  return {
    verbs,
    kind: { group: '', version: 'v1', kind },
    behaviour: { kind: 'connection', negotiates: false, open },
  };
}

/** The preferred address types of a kubelet, in order. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** `asked`: the resource of the request, which kube-apiserver names in the error about a node that does not exist. */
async function reachNode({ objects }: ConnectionRequest, name: string, asked: GroupResourceName): Promise<never> {
  const node = await objects.get({ ...NODES, namespace: '', name });
  if (node === undefined) throw errors.notFound(asked, name);
  const addresses = objectsAt(node, 'status', 'addresses');
  const known = addresses.filter((a) => ADDRESS_TYPES.includes(textAt(a, 'type')));
  if (known.length === 0)
    throw errors.unexpected(
      `no preferred addresses found; known addresses: [${addresses.map((a) => textAt(a, 'address')).join(' ')}]`,
    );
  throw errors.serviceUnavailable(`error dialing backend: this server has no connection to the agent of node ${name}`);
}

async function podOf({ objects, namespace }: ConnectionRequest, name: string): Promise<JsonObject> {
  const pod = await objects.get({ ...PODS, namespace, name });
  if (pod === undefined) throw errors.notFound(PODS, name);
  return pod;
}

/** exec and attach. */
const intoPod: ConnectionHandler = async (request) => {
  const pod = await podOf(request, request.name);
  oneContainer(pod, request);
  const node = textAt(pod, 'spec', 'nodeName');
  if (node === '') throw errors.badRequest(`pod ${request.name} does not have a host assigned`);
  await reachNode(request, node, PODS);
};

/** A pod without a node has an empty log. That is not an error of the client. */
const logOf: ConnectionHandler = async (request) => {
  checkLogOptions(request);
  const pod = await podOf(request, request.name);
  oneContainer(pod, request);
  const node = textAt(pod, 'spec', 'nodeName');
  if (node !== '') await reachNode(request, node, PODS);
};

/** A pod with several containers requires the container parameter, and it must name one of them. */
function oneContainer(pod: JsonObject, { name, parameters }: ConnectionRequest): void {
  const namesOf = (list: string): string[] => objectsAt(pod, 'spec', list).map((c) => textAt(c, 'name'));
  const [names, inits] = [namesOf('containers'), namesOf('initContainers')];
  const container = parameters.text('container');
  if (container !== '') {
    const all = [...inits, ...names, ...namesOf('ephemeralContainers')];
    if (!all.includes(container)) throw errors.badRequest(`container ${container} is not valid for pod ${name}`);
    return;
  }
  if (names.length === 1) return;
  const choice = `choose one of: [${names.join(' ')}]`;
  const more = inits.length > 0 ? ` or one of the init containers: [${inits.join(' ')}]` : '';
  throw errors.badRequest(`a container name must be specified for pod ${name}, ${choice}${more}`);
}

const toPort: ConnectionHandler = async (request) => {
  for (const ports of request.parameters.all('ports')) for (const port of ports.split(',')) checkPort(port);
  const node = textAt(await podOf(request, request.name), 'spec', 'nodeName');
  if (node === '') throw errors.badRequest(`pod ${request.name} does not have a host assigned`);
  await reachNode(request, node, PODS);
};

function checkPort(text: string): void {
  const number = /^\d+$/.test(text);
  if (number && Number(text) < 0x10000) return;
  const why = number ? 'value out of range' : 'invalid syntax';
  throw errors.badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
}

/** Parses the target of a proxy: `name`, `name:port` or `scheme:name:port`. */
function destination(what: string, id: string): { readonly name: string; readonly port: string } {
  const parts = id.split(':');
  const [scheme, name, port] = parts.length > 2 ? parts : ['', ...parts];
  if (parts.length > 3 || !name || !['', 'http', 'https'].includes(scheme!))
    throw errors.badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return { name, port: port ?? '' };
}

const toPod: ConnectionHandler = async (request) => {
  const { name } = destination('pod', request.name);
  const pod = await podOf(request, name);
  if (textAt(pod, 'status', 'podIP') === '') throw errors.badRequest('address not allowed');
  throw errors.serviceUnavailable(`error trying to reach pod ${name}: this server has no connection to it`);
};

const toService: ConnectionHandler = async ({ objects, namespace, name: id }) => {
  const { name, port } = destination('service', id);
  const none = errors.serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  // The service itself is needed only for the number of a port. A caller without a port does not learn whether it
  // exists.
  if (!/^\d+$/.test(port)) throw none;
  const service = await objects.get({ group: '', resource: 'services', namespace, name });
  if (service === undefined) throw errors.notFound({ group: '', resource: 'services' }, name);
  if (!objectsAt(service, 'spec', 'ports').some((p) => p['port'] === Number(port)))
    throw errors.serviceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
  throw none;
};

export const podConnections: Readonly<Record<string, Subresource>> = {
  attach: connection('PodAttachOptions', STREAM, intoPod),
  exec: connection('PodExecOptions', STREAM, intoPod),
  log: { verbs: ['get'], behaviour: { kind: 'connection', negotiates: true, open: logOf } },
  portforward: connection('PodPortForwardOptions', STREAM, toPort),
  proxy: connection('PodProxyOptions', ANY_METHOD, toPod),
};

export const serviceProxy: Subresource = connection('ServiceProxyOptions', ANY_METHOD, toService);

export const nodeProxy: Subresource = connection('NodeProxyOptions', ANY_METHOD, (request) =>
  reachNode(request, destination('node', request.name).name, NODES),
);
