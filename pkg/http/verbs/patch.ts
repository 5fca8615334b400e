import { jsonText, type ReadJson, type ReadYaml, readJsonBody, yamlSteps } from '../../codec/index.js';
import type { Body } from '../../registry/index.js';
import { isCustom } from '../../schema/index.js';
import { readResourceBody } from '../body.js';
import type { Call } from '../call.js';
import { requireName } from '../customactions.js';
import { patchTypeOf } from '../negotiate.js';
import { patchOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/** PATCH with one of four patch types. An apply creates the object if it does not exist (201). */
export async function patch(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const { type, encoding } = patchTypeOf(
    call.exchange.headers['content-type'],
    services.stages.supportedEncodings,
    !isCustom(request.served.type),
  );
  requireName(info);
  const form = answerForm(request, services, 'object');
  const bytes = await readResourceBody(request, services);
  const { options, force } = patchOptions(info.query, type, call.userAgent);
  if (call.audit?.wantsRequest === true) await recordPatch(call, { bytes, encoding });
  const body = { bytes, encoding };
  const written = await services.registry.patch({ target, type, body, force, options }, call);
  return sendObject(request, services, written.outcome === 'created' ? 201 : 200, written.object, form);
}

/** The audit event has the patch as the client sent it, as JSON. An invalid patch is refused later. */
async function recordPatch({ audit, slice }: Call, { bytes, encoding }: Body): Promise<void> {
  if (encoding !== 'json' && encoding !== 'yaml') return;
  const value = await slice.run<ReadJson | ReadYaml>(encoding === 'json' ? readJsonBody(bytes) : yamlSteps(bytes));
  if (audit !== undefined && value?.ok === true) audit.requestObject = jsonText(value.value);
}
