import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError, errors, type StatusReason } from '../api/index.js';
import { type OpenResponse, OutboundError, type OutboundRequest, type UpgradeReply } from '../outbound/index.js';
import type { Backend } from '../registry/index.js';
import type { Call } from './call.js';
import {
  type ForwardedHeaders,
  forwardedFor,
  forwardResponse,
  forwardUpgrade,
  headersFor,
  headersOf,
  NotUpgraded,
  requestTo,
  unreachable,
  upgradeHeaders,
  withBody,
} from './forward.js';
import { withLinks } from './links.js';
import type { ResourceRequest } from './resources.js';
import { sendEmpty } from './responses.js';
import type { HttpServices } from './services.js';

/** The kubelets, pods and endpoints that requests are forwarded to. */
export interface Backends {
  /** The types of addresses of nodes, the preferred ones first (`--kubelet-preferred-address-types`). */
  readonly addressTypes: readonly string[];
  /** Throws `OutboundError`. */
  open(backend: Backend, request: OutboundRequest): Promise<OpenResponse>;
  /** Throws `OutboundError`. */
  upgrade(backend: Backend, request: OutboundRequest): Promise<UpgradeReply>;
}

const gunzipped = promisify(gunzip);

/** A log that is followed begins when something is written to it, so nothing but the client limits the time. Milliseconds. */
const UNLIMITED = 2 ** 31 - 1;
/** Bytes of a page whose links are changed. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of an error that a kubelet sends as text. */
const ERROR_BYTES_MAX = 10_000;

const KINDS: ReadonlySet<string | undefined> = new Set(['nodes', 'pods', 'services']);
const CONNECTIONS: ReadonlySet<string | undefined> = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** Whether a backend may change the protocol of a request to a URL. */
export function isConnection(url: string): boolean {
  const [, root, version, ...parts] = url.split(/[/?]/, 8);
  if (root !== 'api' || version !== 'v1') return false;
  const [kind, , subresource] = parts[0] === 'namespaces' ? parts.slice(2) : parts;
  return KINDS.has(kind) && CONNECTIONS.has(subresource);
}

/** Answers a request with what its backend answers. */
export function serveBackend(request: ResourceRequest, backend: Backend, services: HttpServices): Promise<void> {
  switch (backend.kind) {
    case 'log':
      return sendLog(request, backend, services);
    case 'stream':
      return openStream(request.call, backend, services);
    case 'proxy':
      return proxy(request.call, backend, services);
  }
}

/** The log of a container, as text, as it is written. */
async function sendLog({ call, info }: ResourceRequest, backend: Backend, services: HttpServices): Promise<void> {
  const { path } = backend;
  const request = requestTo(call, { path, headers: { 'accept-encoding': 'identity' }, timeout: UNLIMITED });
  let response: OpenResponse;
  try {
    response = await services.backends.open(backend, request);
  } catch (error) {
    throw errors.unexpected(unreachable(error).message);
  }
  if (response.status < 200 || response.status > 206) throw await refusalOf(response, info.name);
  call.initialized();
  await sent(call);
  const headers = { 'cache-control': 'no-cache, private', 'content-type': 'text/plain' };
  await forwardResponse(call, response, services, headers, true);
}

/** The error of kube-apiserver for what a kubelet answers instead of a log. */
async function refusalOf(response: OpenResponse, name: string): Promise<ApiError> {
  const { status } = response;
  const text = await textOf(response);
  const about = { name, kind: 'pods/log' };
  const known = (reason: StatusReason, sentence: string) =>
    new ApiError(status, reason, `${sentence} ( pods/log ${name})`, about);
  switch (status) {
    case 400:
      return errors.badRequest(text);
    case 401:
      return known('Unauthorized', 'the server has asked for the client to provide credentials');
    case 403:
      return new ApiError(status, 'Forbidden', text, about);
    case 404:
      return known('NotFound', 'the server could not find the requested resource');
    default:
      return status >= 500 ? errors.internal(text) : new ApiError(status, undefined, text, about);
  }
}

async function textOf(response: OpenResponse): Promise<string> {
  let text = '';
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      text += piece.toString('latin1');
      if (text.length >= ERROR_BYTES_MAX) break;
    }
  } catch {
    // What has arrived says enough.
  }
  response.abort();
  return Buffer.from(text.slice(0, ERROR_BYTES_MAX), 'latin1').toString();
}

/** A connection of another protocol to a container: the kubelet and the client agree on it. */
async function openStream(call: Call, backend: Backend, services: HttpServices): Promise<void> {
  const { takeOver } = call.exchange;
  if (takeOver === undefined) throw errors.badRequest('Upgrade request required');
  await sent(call);
  const headers = { ...headersFor(call), ...upgradeHeaders(call), host: hostOf(call) };
  const request = requestTo(call, { path: backend.path, headers, timeout: UNLIMITED });
  try {
    await forwardUpgrade(call, takeOver, await services.backends.upgrade(backend, request), services);
  } catch (error) {
    if (error instanceof OutboundError) throw errors.unexpected(`error dialing backend: ${error.reason}`);
    throw error instanceof NotUpgraded ? errors.unexpected(error.message) : error;
  }
}

/** Any request to a node, a pod or a service. */
async function proxy(call: Call, backend: Backend, services: HttpServices): Promise<void> {
  const { exchange, info } = call;
  const { takeOver } = exchange;
  const mark = exchange.url.indexOf('?');
  const query = mark < 0 ? '' : exchange.url.slice(mark);
  // kube-apiserver drops the query of an upgrade.
  if (takeOver !== undefined) return openStream(call, { ...backend, path: backend.path || '/' }, services);
  await sent(call);
  // Links of a page are relative to the folder that it is in.
  if (backend.path === '') {
    sendEmpty(call, 301, { location: `${encodeURI(info.path)}/${query}` });
    return;
  }
  const forwarded = {
    host: hostOf(call),
    'x-forwarded-for': forwardedFor(call),
    'x-forwarded-uri': encodeURI(info.path),
  };
  const headers = { ...headersFor(call), ...forwarded };
  const request = requestTo(call, { path: backend.path + query, headers, timeout: UNLIMITED });
  try {
    const response = await services.backends.open(backend, await withBody(call, request));
    call.initialized();
    const headers = answered(call, backend, response);
    if (isPage(headers)) return await sendPage(call, backend, response, headers);
    await forwardResponse(call, response, services, headers, true);
  } catch (error) {
    throw errors.serviceUnavailable(`error trying to reach service: ${unreachable(error).reason}`);
  }
}

/** A page of HTML, compressed at most by gzip. The links in others stay as they are. */
function isPage(headers: ForwardedHeaders): boolean {
  const type = String(headers['content-type'] ?? '').split(';', 1)[0]!;
  return (
    type.trim().toLowerCase() === 'text/html' &&
    [undefined, 'gzip'].includes(headers['content-encoding'] as string | undefined)
  );
}

/** Sends a page with its links below the path of the proxy. */
async function sendPage(
  call: Call,
  backend: Backend,
  response: OpenResponse,
  headers: ForwardedHeaders,
): Promise<void> {
  const page = await pageOf(response, headers['content-encoding'] === 'gzip');
  const body = Buffer.from(
    withLinks(page, (url) => redirected(call, backend, url)),
    'latin1',
  );
  delete headers['content-encoding'];
  call.status = response.status;
  call.bytes = body.length;
  call.exchange.send(response.status, { ...headers, 'audit-id': call.id, 'content-length': body.length }, body);
}

/** Returns the bytes of a page, one character for each. What the backend sends wrong is its fault. */
async function pageOf(response: OpenResponse, isGzip: boolean): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > PAGE_BYTES_MAX) throw new Error(`a page has more than ${PAGE_BYTES_MAX} bytes`);
      pieces.push(piece);
    }
    const whole = Buffer.concat(pieces);
    return (isGzip ? await gunzipped(whole, { maxOutputLength: PAGE_BYTES_MAX }) : whole).toString('latin1');
  } catch (error) {
    response.abort();
    throw errors.serviceUnavailable(`error trying to reach service: ${(error as Error).message}`);
  }
}

/** The headers of a response, with a redirection that stays below the path of the proxy. */
function answered(call: Call, backend: Backend, response: OpenResponse): ForwardedHeaders {
  const headers = headersOf(response);
  const given = headers['cache-control'];
  headers['cache-control'] = ['no-cache, private', ...(given === undefined ? [] : [given].flat())];
  const location = headers['location'];
  if (typeof location === 'string') headers['location'] = redirected(call, backend, location);
  return headers;
}

function redirected(call: Call, backend: Backend, location: string): string {
  const asked = encodeURI(call.info.path);
  const prefix = asked.endsWith(backend.path) ? asked.slice(0, asked.length - backend.path.length) : asked;
  const { origin, path, rest } = partsOf(location);
  const isOther = origin !== '' && origin.slice(origin.indexOf('//') + 2) !== hostOf(call);
  if (isOther || !path.startsWith('/') || path.startsWith(prefix)) return location;
  const below = posix.join(prefix, path);
  return `${origin}${below}${path.endsWith('/') && !below.endsWith('/') ? '/' : ''}${rest}`;
}

/** The origin of a location, '' for one on the same host, its path, and what follows that. */
function partsOf(location: string): { readonly origin: string; readonly path: string; readonly rest: string } {
  const isAbsolute = location.startsWith('http://') || location.startsWith('https://');
  const begins = isAbsolute ? location.indexOf('/', location.indexOf('//') + 2) : 0;
  const at = begins < 0 ? location.length : begins;
  const ends = location.slice(at).search(/[?#]/);
  const end = ends < 0 ? location.length : at + ends;
  return { origin: location.slice(0, at), path: location.slice(at, end), rest: location.slice(end) };
}

/** The host that the client named. */
function hostOf({ exchange }: Call): string {
  const { host, ':authority': authority } = exchange.headers as {
    readonly host?: string;
    readonly ':authority'?: string;
  };
  return host ?? authority ?? '';
}

/** Waits until the request is recorded: it is not answered before. */
async function sent(call: Call): Promise<void> {
  if (call.recorded !== undefined) await call.recorded;
}
