import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/** GET of one object, or of a subresource. As in kube-apiserver, other errors come before one of the form. */
export async function get(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'object');
  const resourceVersion = info.query.text('resourceVersion');
  const answer = await services.registry.get({ target, resourceVersion }, call);
  if (form.mismatch !== undefined) throw form.mismatch;
  return sendObject(request, services, 200, answer, form);
}
