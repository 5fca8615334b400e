import { checkRoute, representationOf } from '../negotiate.js';
import type { ResourceRequest } from '../resources.js';
import { sendEmpty } from '../responses.js';
import type { HttpServices } from '../services.js';

/** A stream to a pod, node or service, for any method. The body is not read. */
export async function connect(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  if (target.kind === 'connection' && target.connection.negotiates) checkAccept(request, services);
  await services.registry.connect({ target, parameters: info.query }, call);
  sendEmpty(call, 204, {});
}

/** The route offers text as well, but the Accept header must allow an encoding of the API. */
function checkAccept({ call, info, served }: ResourceRequest, services: HttpServices): void {
  const { accept } = call.exchange.headers;
  const { spoken } = services.stages;
  checkRoute(accept, ['text/plain', ...spoken.types]);
  representationOf({ accept, query: info.query, userAgent: call.userAgent }, spoken, 'object', served.kind);
}
