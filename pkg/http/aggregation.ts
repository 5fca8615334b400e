import type { Buffer } from 'node:buffer';
import type { JsonObject } from '../api/index.js';
import { type OpenResponse, OutboundError, type OutboundRequest, type UpgradeReply } from '../outbound/index.js';
import type { RemoteDocument } from '../schema/index.js';
import { readBody } from './body.js';
import type { Call } from './call.js';
import { sendText, streamRaw } from './responses.js';
import type { HttpServices } from './services.js';
import { Pace } from './streaming.js';
import { tunnel } from './tunnel.js';

/** A group version that another server serves (an APIService with a service). */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  /** The order of groups and versions in discovery: the highest first. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Whether the last check of the server succeeded. Requests to others are refused with 503. */
  readonly isAvailable: boolean;
  /** The version's part of the aggregated discovery document; undefined until the server has answered once. */
  readonly discovery: { readonly document: JsonObject; readonly isCurrent: boolean } | undefined;
  /** The path and query of its OpenAPI v3 document; '' when the server has none. */
  readonly openApi: string;
  /** The path and query of the OpenAPI v3 document of its group, `/openapi/v3/apis/{group}`; '' when the server has none. */
  readonly groupOpenApi: string;
  /** Sends a request to the server. Throws `OutboundError`. */
  open(request: OutboundRequest): Promise<OpenResponse>;
  /** Sends a request with an Upgrade header. Throws `OutboundError`. */
  upgrade(request: OutboundRequest): Promise<UpgradeReply>;
}

/** The group versions of other servers. A changed set is a new value of `versions`. */
export interface Aggregation {
  /** In discovery order. */
  readonly versions: readonly RemoteVersion[];
  /** Their OpenAPI v2 documents, in the same order. A changed set is a new value. */
  readonly documents: readonly RemoteDocument[];
  find(group: string, version: string): RemoteVersion | undefined;
}

/** The time in which a server must begin its response. Milliseconds. */
const HEADER_TIME = 60_000;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/**
 * Headers of one connection, and those that identify the caller: the server accepts them only from this server, which
 * authenticates with a client certificate (`--proxy-client-cert-file`).
 */
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
const REMOTE = 'x-remote-';
const IMPERSONATE = 'impersonate-';

/** Whether a URL is below a group version of another server. */
export function isAggregated(aggregation: Aggregation | undefined, url: string): boolean {
  if (aggregation === undefined || aggregation.versions.length === 0) return false;
  const [, root, group = '', version = ''] = url.split(/[/?]/, 5);
  return root === 'apis' && aggregation.find(group, version) !== undefined;
}

/** Forwards a request to the server of its group version, and streams the response. */
export async function serveAggregated(call: Call, remote: RemoteVersion, services: HttpServices): Promise<void> {
  const { exchange } = call;
  if (!remote.isAvailable) return sendText(call, 503, 'service unavailable\n');
  if (!METHODS.has(exchange.method)) return sendText(call, 405, 'method not allowed\n');
  if (call.recorded !== undefined) await call.recorded;
  const gone = new AbortController();
  exchange.onClose(() => gone.abort());
  const takeOver = exchange.takeOver;
  const request = {
    method: exchange.method as OutboundRequest['method'],
    once: !READS.has(exchange.method),
    path: exchange.url,
    headers: { ...headersFor(call), ...(takeOver === undefined ? {} : upgradeHeaders(call)) },
    timeout: HEADER_TIME,
    signal: gone.signal,
  };
  try {
    if (takeOver !== undefined) {
      const reply = await remote.upgrade(request);
      if (reply.kind === 'upgraded') return await tunnel(call, takeOver, reply, services);
      if (reply.response.status >= 400) return await forward(call, reply.response, services);
      reply.response.abort();
      return sendText(call, 503, `invalid upgrade response: status code ${reply.response.status}\n`);
    }
    const body = exchange.method === 'GET' || exchange.method === 'HEAD' ? undefined : await readBody(call);
    const response = await remote.open(body === undefined || body.length === 0 ? request : { ...request, body });
    call.initialized();
    if (!isRedirect(response)) return await forward(call, response, services);
    response.abort();
    return sendText(call, 502, 'the backend attempted to redirect this request, which is not permitted');
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return sendText(call, 503, `error trying to reach service: ${error.message}\n`);
  }
}

const isRedirect = ({ status, headers }: OpenResponse): boolean =>
  status >= 300 && status < 400 && headers['location'] !== undefined;

/** The headers that ask for another protocol, and the addresses on the way of the request. */
function upgradeHeaders({ exchange }: Call): Record<string, string> {
  const { connection = '', upgrade = '' } = exchange.headers;
  const before = exchange.lines('x-forwarded-for');
  return { connection, upgrade, 'x-forwarded-for': [...before, exchange.connection.remoteAddress].join(', ') };
}

function headersFor(call: Call): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(call.exchange.headers)) {
    if (value === undefined || name.startsWith(':') || DROPPED.has(name)) continue;
    if (name.startsWith(REMOTE) || name.startsWith(IMPERSONATE)) continue;
    headers[name] = value;
  }
  const { name, groups, uid, extra } = call.user;
  headers['x-remote-user'] = name;
  if (groups.length > 0) headers['x-remote-group'] = [...groups];
  if (uid !== undefined && uid !== '') headers['x-remote-uid'] = uid;
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`x-remote-extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
  headers['x-forwarded-uri'] = call.info.path;
  headers['audit-id'] = call.id;
  return headers;
}

/** Copies the response as fast as the client reads it. A watch ends when the server drains. */
async function forward(call: Call, response: OpenResponse, { watches, metrics }: HttpServices): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value === undefined || name.startsWith(':') || DROPPED.has(name)) continue;
    headers[name] = typeof value === 'string' ? value : [...value];
  }
  const isWatch = call.info.kind === 'resource' && call.info.verb === 'watch';
  const answer = streamRaw(call, response.status, headers);
  const pace = new Pace(call, answer);
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    response.abort();
  };
  const open = isWatch && call.series !== undefined ? metrics.longRunning(call.series.kind) : undefined;
  if (isWatch) {
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
