import { listOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendList } from './answer.js';

/** GET of a collection. It is streamed in pieces and never held in memory as a whole. Other errors come before one of the form. */
export async function list(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'list');
  const result = await services.registry.list({ target, options: listOptions(info.query) }, call);
  call.selected();
  if (form.mismatch !== undefined) throw form.mismatch;
  await sendList(request, services, result, form);
}
