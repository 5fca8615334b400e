import { errors } from '../../api/index.js';
import { serveBackend } from '../backend.js';
import { checkRoute, representationOf } from '../negotiate.js';
import type { ResourceInfo } from '../requestinfo.js';
import type { ResourceRequest } from '../resources.js';
import { sendEmpty } from '../responses.js';
import type { HttpServices } from '../services.js';

/** A log, a stream or a proxied request, to a pod, node or service. */
export async function connect(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  if (target.kind === 'connection' && target.connection.negotiates) checkAccept(request, services);
  if (call.exchange.method === 'GET' && UPGRADED.has(info.subresource) && services.createsUpgrades)
    await mayCreate(request, services);
  const path = pathAfter(info);
  const { addressTypes } = services.backends;
  const backend = await services.registry.connect({ target, parameters: info.query, path, addressTypes }, call);
  if (backend === undefined) sendEmpty(call, 204, {});
  else await serveBackend(request, backend, services);
}

/** The decoded path after the subresource, with a slash at its end if the request has one. */
function pathAfter({ path, rest }: ResourceInfo): string {
  const end = path.endsWith('/') ? '/' : '';
  return rest.length === 0 ? end : `/${rest.join('/')}${end}`;
}

/** The route offers text as well, but the Accept header must allow an encoding of the API. */
function checkAccept({ call, info, served }: ResourceRequest, services: HttpServices): void {
  const { accept } = call.exchange.headers;
  const { supportedEncodings } = services.stages;
  checkRoute(accept, ['text/plain', ...supportedEncodings.types]);
  representationOf({ accept, query: info.query, userAgent: call.userAgent }, supportedEncodings, 'object', served.kind);
}

const UPGRADED: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward']);

/**
 * A stream over WebSocket is opened by GET, but allows as much as one opened by POST: the permission to get the
 * subresource is not enough.
 */
async function mayCreate({ call, info }: ResourceRequest, { stages }: HttpServices): Promise<void> {
  const decision = await stages.authorizer.authorize(call.user, { ...info, verb: 'create' });
  if (decision.kind === 'allow') return;
  if (decision.error !== undefined) throw errors.internal(decision.error);
  throw errors.forbidden({ group: info.group, resource: info.resource }, info.name, decision.reason);
}
