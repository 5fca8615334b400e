import { errors, formatTime, goQuote, type JsonObject, parseTime } from '../../../api/index.js';
import type { Backend, ConnectionHandler, ConnectionRequest, Subresource, Verb } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { kubeletOf, kubeletOfPod, originOf, placeOfPod, placeOfService, podOf, requireProxyable } from './backends.js';
import { checkLogOptions } from './podlog.js';

/**
 * Connections to workloads: logs, exec, attach, port forwarding and proxies. Each rule finds the server that a request goes to, most often the
 * kubelet of a node, and the path there; `pkg/http/backend.ts` forwards it.
 */

const ANY_METHOD: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
const STREAM: readonly Verb[] = ['create', 'get'];

const NODES = { group: '', resource: 'nodes' } as const;

function connection(kind: string, verbs: readonly Verb[], open: ConnectionHandler): Subresource {
  return {
    verbs,
    kind: { group: '', version: 'v1', kind },
    behaviour: { kind: 'connection', negotiates: false, open },
  };
}

/** A path of a kubelet. `query`: in alphabetical order, as kube-apiserver writes it. */
function kubeletPath(segments: readonly string[], query: readonly (readonly [string, string])[]): string {
  const text = new URLSearchParams(query as [string, string][]).toString();
  return `/${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

function isSet({ parameters }: ConnectionRequest, name: string): boolean {
  return parameters.has(name) && !['false', '0'].includes(parameters.text(name).toLowerCase());
}

/** exec and attach. */
const intoPod =
  (action: 'exec' | 'attach'): ConnectionHandler =>
  async (request) => {
    const pod = await podOf(request, request.name);
    const container = oneContainer(pod, request);
    const commands = action === 'exec' ? request.parameters.all('command') : [];
    const streams = [
      ['error', 'stderr'],
      ['input', 'stdin'],
      ['output', 'stdout'],
      ['tty', 'tty'],
    ] as const;
    const query = [
      ...commands.map((c) => ['command', c] as const),
      ...streams.filter(([, name]) => isSet(request, name)).map(([key]) => [key, '1'] as const),
    ];
    const origin = originOf('https', await kubeletOfPod(request, pod));
    const path = kubeletPath([action, request.namespace, request.name, container], query);
    return { kind: 'stream', origin, path, isKubelet: true };
  };

/** A pod without a node has an empty log. That is not an error of the client. */
const logOf: ConnectionHandler = async (request) => {
  checkLogOptions(request);
  const pod = await podOf(request, request.name);
  const container = oneContainer(pod, request);
  if (textAt(pod, 'spec', 'nodeName') === '') return undefined;
  const origin = originOf('https', await kubeletOfPod(request, pod));
  const path = kubeletPath(['containerLogs', request.namespace, request.name, container], logQuery(request));
  const insecure = isSet(request, 'insecureSkipTLSVerifyBackend');
  return { kind: 'log', origin, path, isKubelet: true, insecure };
};

function logQuery(request: ConnectionRequest): readonly (readonly [string, string])[] {
  const { parameters } = request;
  const flags = ['follow', 'previous', 'timestamps'].filter((name) => isSet(request, name));
  const numbers = ['limitBytes', 'sinceSeconds', 'tailLines'].filter((name) => parameters.integer(name) !== undefined);
  const since = parseTime(parameters.text('sinceTime'));
  const query: (readonly [string, string])[] = [
    ...flags.map((name) => [name, 'true'] as const),
    ...numbers.map((name) => [name, String(parameters.integer(name))] as const),
    ...(since === undefined ? [] : [['sinceTime', formatTime(since)] as const]),
    ...(parameters.has('stream') ? [['stream', parameters.text('stream')] as const] : []),
  ];
  return query.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the name of the container. A pod with several requires the container parameter, and it must name one of them. */
function oneContainer(pod: JsonObject, { name, parameters }: ConnectionRequest): string {
  const namesOf = (list: string): string[] => objectsAt(pod, 'spec', list).map((c) => textAt(c, 'name'));
  const [names, inits] = [namesOf('containers'), namesOf('initContainers')];
  const container = parameters.text('container');
  if (container !== '') {
    const all = [...inits, ...names, ...namesOf('ephemeralContainers')];
    if (!all.includes(container)) throw errors.badRequest(`container ${container} is not valid for pod ${name}`);
    return container;
  }
  if (names.length === 1) return names[0]!;
  const choice = `choose one of: [${names.join(' ')}]`;
  const more = inits.length > 0 ? ` or one of the init containers: [${inits.join(' ')}]` : '';
  throw errors.badRequest(`a container name must be specified for pod ${name}, ${choice}${more}`);
}

const toPort: ConnectionHandler = async (request) => {
  const ports = request.parameters.all('ports').flatMap((text) => text.split(','));
  for (const port of ports) checkPort(port);
  const pod = await podOf(request, request.name);
  const origin = originOf('https', await kubeletOfPod(request, pod));
  const query = ports.length === 0 ? [] : [['port', ports.join(',')] as const];
  const path = kubeletPath(['portForward', request.namespace, request.name], query);
  return { kind: 'stream', origin, path, isKubelet: true };
};

function checkPort(text: string): void {
  const number = /^\d+$/.test(text);
  if (number && Number(text) < 0x10000) return;
  const why = number ? 'value out of range' : 'invalid syntax';
  throw errors.badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
}

/** Parses the target of a proxy: `name`, `name:port` or `scheme:name:port`. */
function destination(
  what: string,
  id: string,
): { readonly scheme: string; readonly name: string; readonly port: string } {
  const parts = id.split(':');
  const [scheme, name, port] = parts.length > 2 ? parts : ['', ...parts];
  if (parts.length > 3 || !name || !['', 'http', 'https'].includes(scheme!))
    throw errors.badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return { scheme: scheme! === '' ? 'http' : scheme!, name, port: port ?? '' };
}

const proxied = (origin: string, { path }: ConnectionRequest, isKubelet = false): Backend => ({
  kind: 'proxy',
  origin,
  path: encodeURI(path).replace(/[?#]/g, encodeURIComponent),
  isKubelet,
});

const toPod: ConnectionHandler = async (request) => {
  const { scheme, name, port } = destination('pod', request.name);
  return proxied(originOf(scheme, placeOfPod(await podOf(request, name), port)), request);
};

const toService: ConnectionHandler = async (request) => {
  const { scheme, name, port } = destination('service', request.name);
  return proxied(originOf(scheme, await placeOfService(request, name, port)), request);
};

/** Another port of a node than that of its kubelet is any server. */
const toNode: ConnectionHandler = async (request) => {
  const { scheme, name, port } = destination('node', request.name);
  const kubelet = await kubeletOf(request, name, NODES);
  if (port === '' || port === kubelet.port) return proxied(originOf('https', kubelet), request, true);
  requireProxyable(kubelet.host);
  return proxied(originOf(scheme, { host: kubelet.host, port }), request);
};

export const podConnections: Readonly<Record<string, Subresource>> = {
  attach: connection('PodAttachOptions', STREAM, intoPod('attach')),
  exec: connection('PodExecOptions', STREAM, intoPod('exec')),
  log: { verbs: ['get'], behaviour: { kind: 'connection', negotiates: true, open: logOf } },
  portforward: connection('PodPortForwardOptions', STREAM, toPort),
  proxy: connection('PodProxyOptions', ANY_METHOD, toPod),
};

export const serviceProxy: Subresource = connection('ServiceProxyOptions', ANY_METHOD, toService);

export const nodeProxy: Subresource = connection('NodeProxyOptions', ANY_METHOD, toNode);
