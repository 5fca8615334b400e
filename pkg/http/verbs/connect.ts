import type { ResourceRequest } from '../resources.js';
import { sendEmpty } from '../responses.js';
import type { HttpServices } from '../services.js';
import { answerForm } from './answer.js';

/** A connection to what runs in the cluster, whatever the method. Its body, if it has one, stays unread. */
export async function connect(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target, served } = request;
  const { behaviour } = served.subresources[target.subresource]!;
  if (behaviour.kind === 'connection' && behaviour.negotiates) answerForm(request, services, 'object');
  await services.registry.connect({ target, name: info.name, parameters: info.query }, call);
  sendEmpty(call, 204, {});
}
