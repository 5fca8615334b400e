import { checkRoute, representationOf } from '../negotiate.js';
import type { ResourceRequest } from '../resources.js';
import { sendEmpty } from '../responses.js';
import type { HttpServices } from '../services.js';

/** A connection to what runs in the cluster, whatever the method. Its body, if it has one, stays unread. */
export async function connect(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target, served } = request;
  const { behaviour } = served.subresources[target.subresource]!;
  if (behaviour.kind === 'connection' && behaviour.negotiates) checkAccept(request, services);
  await services.registry.connect({ target, name: info.name, parameters: info.query }, call);
  sendEmpty(call, 204, {});
}

/** The route has text to offer, but who takes nothing else gets no further than that. */
function checkAccept({ call, info, served }: ResourceRequest, services: HttpServices): void {
  const { accept } = call.exchange.headers;
  const { spoken } = services.stages;
  checkRoute(accept, ['text/plain', ...spoken.types]);
  representationOf({ accept, query: info.query, userAgent: call.userAgent }, spoken, 'object', served.kind);
}
