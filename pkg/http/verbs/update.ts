import { readResourceBody } from '../body.js';
import { requireName } from '../customactions.js';
import { bodyEncoding } from '../negotiate.js';
import { writeOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/** PUT: replaces an object. For some kinds it creates the object if it does not exist (201). */
export async function update(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  requireName(info);
  const form = answerForm(request, services, 'object');
  const bytes = await readResourceBody(request, services);
  const options = writeOptions('UpdateOptions', info.query, call.userAgent);
  const encoding = bodyEncoding(call.exchange.headers['content-type'], services.stages.supportedEncodings);
  const written = await services.registry.update({ target, body: { bytes, encoding }, options }, call);
  return sendObject(request, services, written.outcome === 'created' ? 201 : 200, written.object, form);
}
