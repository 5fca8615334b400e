import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/** GET of one object, or of a subresource. */
export async function get(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'object');
  const resourceVersion = info.query.text('resourceVersion');
  const answer = await services.registry.get({ target, resourceVersion }, call);
  return sendObject(request, services, 200, answer, form);
}
