import type { Buffer } from 'node:buffer';
import type { JsonObject } from '../api/index.js';
import { type OpenResponse, OutboundError, type OutboundRequest } from '../outbound/index.js';
import { readBody } from './body.js';
import type { Call } from './call.js';
import { sendText, streamRaw } from './responses.js';
import { Pace } from './streaming.js';

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
  /** Sends a request to the server. Throws `OutboundError`. */
  open(request: OutboundRequest): Promise<OpenResponse>;
}

/** The group versions of other servers. A changed set is a new value of `versions`. */
export interface Aggregation {
  /** In discovery order. */
  readonly versions: readonly RemoteVersion[];
  find(group: string, version: string): RemoteVersion | undefined;
}

/** The time in which a server must begin its response. Milliseconds. */
const HEADER_TIME = 60_000;
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

/** Forwards a request to the server of its group version, and streams the response. */
export async function serveAggregated(call: Call, remote: RemoteVersion): Promise<void> {
  const { exchange } = call;
  if (!remote.isAvailable) return sendText(call, 503, 'service unavailable\n');
  if (exchange.websocket || exchange.headers.upgrade !== undefined)
    return sendText(call, 501, 'connections to aggregated servers cannot be upgraded\n');
  if (!METHODS.has(exchange.method)) return sendText(call, 405, 'method not allowed\n');
  const body = exchange.method === 'GET' || exchange.method === 'HEAD' ? undefined : await readBody(call);
  const gone = new AbortController();
  exchange.onClose(() => gone.abort());
  let response: OpenResponse;
  try {
    response = await remote.open({
      method: exchange.method as OutboundRequest['method'],
      path: exchange.url,
      headers: headersFor(call),
      timeout: HEADER_TIME,
      signal: gone.signal,
      ...(body === undefined || body.length === 0 ? {} : { body }),
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return sendText(call, 503, `error trying to reach service: ${error.message}\n`);
  }
  call.initialized();
  return forward(call, response);
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

/** Copies the response as fast as the client reads it. */
async function forward(call: Call, response: OpenResponse): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value === undefined || name.startsWith(':') || DROPPED.has(name)) continue;
    headers[name] = typeof value === 'string' ? value : [...value];
  }
  const answer = streamRaw(call, response.status, headers);
  const pace = new Pace(call, answer);
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      call.bytes += piece.length;
      if (!answer.write(piece) && !(await pace.drained())) break;
    }
    if (call.exchange.gone) response.abort();
    else answer.end();
  } catch {
    // The server closed the connection early: the client must not treat the response as complete.
    call.exchange.abort();
  } finally {
    response.body.destroy();
  }
}
