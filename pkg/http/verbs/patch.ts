import { jsonText, readJson, readYaml } from '../../codec/index.js';
import type { Body } from '../../registry/index.js';
import { isCustom } from '../../schema/index.js';
import { readBody } from '../body.js';
import type { Call } from '../call.js';
import { patchTypeOf } from '../negotiate.js';
import { patchOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/** PATCH with one of four patch types. An apply creates the object if it does not exist (201). */
export async function patch(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'object');
  const { type, encoding } = patchTypeOf(
    call.exchange.headers['content-type'],
    services.stages.supportedEncodings,
    !isCustom(request.served.type),
  );
  const bytes = await readBody(call);
  recordPatch(call, bytes, encoding);
  const { options, force } = patchOptions(info.query, type, call.userAgent);
  const body = { bytes, encoding };
  const written = await services.registry.patch({ target, type, body, force, options }, call);
  return sendObject(request, services, written.outcome === 'created' ? 201 : 200, written.object, form);
}

/** The audit event has the patch as the client sent it, as JSON. An invalid patch is refused later. */
function recordPatch({ audit }: Call, bytes: Buffer, encoding: Body['encoding']): void {
  if (audit?.wantsRequest !== true) return;
  const value = encoding === 'json' ? readJson(bytes) : encoding === 'yaml' ? readYaml(bytes) : undefined;
  if (value?.ok === true) audit.requestObject = jsonText(value.value);
}
