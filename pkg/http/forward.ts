import type { Buffer } from 'node:buffer';
import { WEBSOCKET_PREFIX } from '../auth/index.js';
import { type OpenResponse, OutboundError, type OutboundRequest, type UpgradeReply } from '../outbound/index.js';
import { readBody } from './body.js';
import type { Call } from './call.js';
import { streamRaw } from './responses.js';
import type { HttpServices } from './services.js';
import { Pace } from './streaming.js';
import { tunnel } from './tunnel.js';

/** Requests that other servers answer: aggregated ones, kubelets, pods and services. */

/** Where a request goes. */
export interface Destination {
  /** Sends a request. Throws `OutboundError`. */
  open(request: OutboundRequest): Promise<OpenResponse>;
  /** Sends a request with an Upgrade header. Throws `OutboundError`. */
  upgrade(request: OutboundRequest): Promise<UpgradeReply>;
}

export type ForwardedHeaders = Record<string, string | string[]>;

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Headers of one connection, and the credentials for this server. */
const DROPPED: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that identify the caller: this server alone says who it is. */
const IDENTITY = ['x-remote-', 'impersonate-'];

/** Browsers send a token as one of the subprotocols of a WebSocket. */
const PROTOCOLS = 'sec-websocket-protocol';

function withoutToken(protocols: string | readonly string[]): string {
  const all = [protocols].flat().join(',').split(',');
  return all
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(WEBSOCKET_PREFIX))
    .join(', ');
}

/** The headers of a request that the other server gets. */
export function headersFor({ exchange }: Call): ForwardedHeaders {
  const headers: ForwardedHeaders = {};
  for (const [name, value] of Object.entries(exchange.headers)) {
    if (value === undefined || name.startsWith(':') || DROPPED.has(name)) continue;
    if (!IDENTITY.some((prefix) => name.startsWith(prefix)))
      headers[name] = name === PROTOCOLS ? withoutToken(value) : value;
  }
  return headers;
}

/** The addresses on the way of a request, the client's included. */
export const forwardedFor = ({ exchange }: Call): string =>
  [...exchange.lines('x-forwarded-for'), exchange.connection.remoteAddress].join(', ');

/** The headers that ask for another protocol. */
export function upgradeHeaders(call: Call): ForwardedHeaders {
  const { connection = '', upgrade = '' } = call.exchange.headers;
  return { connection, upgrade, 'x-forwarded-for': forwardedFor(call) };
}

/** What is sent to the other server. `timeout`: milliseconds until its response begins. */
export function requestTo(
  call: Call,
  { path, headers, timeout }: Pick<OutboundRequest, 'path' | 'timeout'> & { readonly headers: ForwardedHeaders },
): OutboundRequest {
  const gone = new AbortController();
  call.exchange.onClose(() => gone.abort());
  const method = call.exchange.method as OutboundRequest['method'];
  return { method, once: !READS.has(method), path, headers, timeout, signal: gone.signal };
}

/** `request` with the body of the client's. */
export async function withBody(call: Call, request: OutboundRequest): Promise<OutboundRequest> {
  if (request.method === 'GET' || request.method === 'HEAD') return request;
  const body = await readBody(call);
  return body.length === 0 ? request : { ...request, body };
}

/** An upgrade that the other server answered with a success: neither another protocol nor an error. */
export class NotUpgraded extends Error {}

/** Connects a client that asked for another protocol. An error of the other server is its answer. Throws `NotUpgraded` and `OutboundError`. */
export async function forwardUpgrade(
  call: Call,
  takeOver: NonNullable<Call['exchange']['takeOver']>,
  reply: UpgradeReply,
  services: HttpServices,
): Promise<void> {
  if (reply.kind === 'upgraded') return await tunnel(call, takeOver, reply, services);
  if (reply.response.status >= 400) return await forwardResponse(call, reply.response, services);
  reply.response.abort();
  throw new NotUpgraded(`invalid upgrade response: status code ${reply.response.status}`);
}

/** The headers of a response without those of its connection. */
export function headersOf(response: OpenResponse): ForwardedHeaders {
  const headers: ForwardedHeaders = {};
  const { connection } = response.headers;
  const named = (typeof connection === 'string' ? connection : '').toLowerCase().split(',');
  const dropped = new Set(named.map((name) => name.trim()));
  for (const [name, value] of Object.entries(response.headers)) {
    if (value === undefined || name.startsWith(':') || DROPPED.has(name) || dropped.has(name)) continue;
    headers[name] = typeof value === 'string' ? value : [...value];
  }
  return headers;
}

/** Copies a response as fast as the client reads it. A long-running one ends when the server drains. */
export async function forwardResponse(
  call: Call,
  response: OpenResponse,
  { watches, metrics }: HttpServices,
  headers: ForwardedHeaders = headersOf(response),
  isLong = call.info.kind === 'resource' && call.info.verb === 'watch',
): Promise<void> {
  const answer = streamRaw(call, response.status, headers);
  const pace = new Pace(call, answer);
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    response.abort();
  };
  const open = isLong && call.series !== undefined ? metrics.longRunning(call.series.kind) : undefined;
  if (isLong) {
    call.responseStarted?.();
    watches.add(stop);
  }
  if (open !== undefined) open.value++;
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      call.bytes += piece.length;
      if (!answer.write(piece) && !(await pace.drained())) break;
    }
    if (call.exchange.gone) response.abort();
    else answer.end();
  } catch {
    if (isStopped) answer.end();
    // The server closed the connection early: the client must not treat the response as complete.
    else call.exchange.abort();
  } finally {
    watches.delete(stop);
    if (open !== undefined) open.value--;
    response.body.destroy();
  }
}

/** Why the other server cannot be reached; other errors are thrown. */
export function unreachable(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  throw error;
}
