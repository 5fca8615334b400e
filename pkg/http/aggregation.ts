import type { JsonObject } from '../api/index.js';
import type { OpenResponse } from '../outbound/index.js';
import type { RemoteDocument } from '../schema/index.js';
import type { Call } from './call.js';
import {
  type Destination,
  type ForwardedHeaders,
  forwardResponse,
  forwardUpgrade,
  headersFor,
  NotUpgraded,
  requestTo,
  unreachable,
  upgradeHeaders,
  withBody,
} from './forward.js';
import { sendText } from './responses.js';
import type { HttpServices } from './services.js';

/** A group version that another server serves (an APIService with a service). */
export interface RemoteVersion extends Destination {
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
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

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
  const takeOver = exchange.takeOver;
  const headers = { ...identifiedHeaders(call), ...(takeOver === undefined ? {} : upgradeHeaders(call)) };
  const request = requestTo(call, { path: exchange.url, headers, timeout: HEADER_TIME });
  try {
    if (takeOver !== undefined) return await forwardUpgrade(call, takeOver, await remote.upgrade(request), services);
    const response = await remote.open(await withBody(call, request));
    call.initialized();
    if (!isRedirect(response)) return await forwardResponse(call, response, services);
    response.abort();
    return sendText(call, 502, 'the backend attempted to redirect this request, which is not permitted');
  } catch (error) {
    if (error instanceof NotUpgraded) return sendText(call, 503, `${error.message}\n`);
    return sendText(call, 503, `error trying to reach service: ${unreachable(error).message}\n`);
  }
}

const isRedirect = ({ status, headers }: OpenResponse): boolean =>
  status >= 300 && status < 400 && headers['location'] !== undefined;

/** The headers with the user, which the server accepts only from this one: it authenticates with a client certificate (`--proxy-client-cert-file`). */
function identifiedHeaders(call: Call): ForwardedHeaders {
  const headers = headersFor(call);
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
