import { errors } from '../../api/index.js';
import { checkRoute, representationOf } from '../negotiate.js';
import type { ResourceRequest } from '../resources.js';
import { sendEmpty } from '../responses.js';
import type { HttpServices } from '../services.js';

/** A stream to a pod, node or service, for any method. The body is not read. */
export async function connect(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  if (target.kind === 'connection' && target.connection.negotiates) checkAccept(request, services);
  if (call.exchange.method === 'GET' && UPGRADED.has(info.subresource) && services.createsUpgrades)
    await mayCreate(request, services);
  await services.registry.connect({ target, parameters: info.query }, call);
  sendEmpty(call, 204, {});
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
