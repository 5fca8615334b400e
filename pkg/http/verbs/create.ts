import { readResourceBody } from '../body.js';
import { bodyEncoding } from '../negotiate.js';
import { writeOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/** POST to a collection, or to a subresource of an item. */
export async function create(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'object');
  const encoding = bodyEncoding(call.exchange.headers['content-type'], services.stages.supportedEncodings);
  const bytes = await readResourceBody(request, services);
  const options = writeOptions('CreateOptions', info.query, call.userAgent);
  const written = await services.registry.create({ target, body: { bytes, encoding }, options }, call);
  return sendObject(request, services, 201, written.object, form);
}
