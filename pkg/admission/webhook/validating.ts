import { type AdmissionRequest, type AdmissionStep, type AdmissionSubject, errors } from '../../api/index.js';
import { ask, CallFailure, count, Rejection, throwIfOver, type WebhookWorld } from './call.js';
import { isExempt, WebhookMatcher } from './match.js';
import { type Webhook, WebhookSource } from './source.js';

const TYPE = 'validating';

/** ValidatingAdmissionWebhook: calls all matching webhooks concurrently, and reports the first error. */
export function validatingWebhookStep(world: WebhookWorld): AdmissionStep {
  const source = new WebhookSource(world, 'validating');
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: (request) => {
      if (isExempt(request)) return;
      const webhooks = source.current();
      if (webhooks instanceof Promise) return webhooks.then((all) => validate(all, request, world));
      return webhooks.length === 0 ? undefined : validate(webhooks, request, world);
    },
  };
}

async function validate(webhooks: readonly Webhook[], request: AdmissionRequest, world: WebhookWorld): Promise<void> {
  const matcher = new WebhookMatcher(request, { ...world, type: TYPE });
  const matching: { readonly webhook: Webhook; readonly subject: AdmissionSubject }[] = [];
  for (const webhook of webhooks) {
    const subject = await matcher.match(webhook);
    if (subject !== undefined) matching.push({ webhook, subject });
  }
  if (matching.length === 0) return;
  throwIfOver(request, world.world);
  const failures: unknown[] = [];
  await Promise.all(
    matching.map(async ({ webhook, subject }, i) => {
      const since = world.world.clock.monotonic();
      try {
        await ask(webhook, request, subject, false, world);
        count(world, webhook, TYPE, request, { since });
      } catch (error) {
        count(world, webhook, TYPE, request, { since, error });
        const failure = decide(webhook, error, i, request, world);
        if (failure !== undefined) failures.push(failure);
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  // Nothing is written for a client that left while a webhook whose failures are ignored was called.
  throwIfOver(request, world.world);
}

/** The error of the request after a failed or refused call; undefined if the failure is ignored. */
function decide(
  webhook: Webhook,
  error: unknown,
  index: number,
  request: AdmissionRequest,
  world: WebhookWorld,
): unknown {
  if (error instanceof Rejection) return error.status;
  if (!(error instanceof CallFailure)) return error;
  const isIgnored = webhook.ignoresFailures;
  world.note(isIgnored ? 'failed calling webhook, failing open' : 'failed calling webhook, failing closed', {
    webhook: webhook.name,
    error: error.message,
  });
  if (!isIgnored) return errors.internal(error.message);
  world.metrics.failedOpen(webhook.name, TYPE);
  request.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, webhook.name);
  return undefined;
}
