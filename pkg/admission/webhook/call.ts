import type { StoredObjects } from '../../api/index.js';
import {
  type AdmissionRequest,
  type AdmissionSubject,
  ApiError,
  errors,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
  type StatusReason,
} from '../../api/index.js';
import type { World } from '../../base/index.js';
import type { Pace } from '../../cel/index.js';
import { ClientConfigError, DecodeError, OutboundError, restError, type WebhookClients } from '../../outbound/index.js';
import type { AuthorizeCheck } from '../policy/checks.js';
import type { MatchConditionMetrics } from '../policy/conditionmetrics.js';
import { objectsFor } from './match.js';
import type { RejectionCause, WebhookMetrics, WebhookType } from './metrics.js';
import { REVIEW_VERSIONS, ReviewError, reviewBody, type Verdict, verdictSteps } from './review.js';
import type { Webhook } from './source.js';

/** The size of a response: a patch that replaces the largest object, in base64, has half as much. */
const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;

/** The dependencies of the webhook plug-ins. */
export interface WebhookWorld {
  readonly objects: StoredObjects;
  readonly authorize: AuthorizeCheck;
  readonly pace: Pace;
  readonly conditions?: MatchConditionMetrics;
  readonly world: World;
  readonly clients: WebhookClients;
  readonly metrics: WebhookMetrics;
  /** Logs a call that failed. */
  readonly note: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** A webhook that could not be called, or whose response is invalid. Its failure policy decides about the request. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** The code for metrics. */
  readonly code: number;

  constructor(webhook: Webhook, reason: string, code: number) {
    super(`failed calling webhook ${goQuote(webhook.name)}: ${reason}`);
    this.code = code;
  }
}

/** A webhook that refused the request. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly status: ApiError;

  constructor(status: ApiError) {
    super(status.message);
    this.status = status;
  }
}

/** Throws if the request timed out, or its client disconnected, while webhooks were called. kube-apiserver has one error for both. */
export function throwIfOver({ deadline, signal }: AdmissionRequest, { clock }: World): void {
  if (deadline <= clock.monotonic() || signal?.aborted === true)
    throw new ApiError(504, 'Timeout', 'Timeout: request did not complete within requested timeout', {});
}

/**
 * Calls a webhook for a request. Throws `CallFailure`, `Rejection`, or an `ApiError` for errors that the failure policy
 * does not cover. Warnings and audit annotations of the response are passed on.
 */
export async function ask(
  webhook: Webhook,
  request: AdmissionRequest,
  subject: AdmissionSubject,
  mutating: boolean,
  { world, clients }: WebhookWorld,
): Promise<Verdict> {
  if (request.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
    throw errors.badRequest(`admission webhook ${goQuote(webhook.name)} does not support dry run`);
  const version = webhook.reviewVersions.find((v) => REVIEW_VERSIONS.includes(v));
  if (version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new CallFailure(webhook, `could not create admission objects: ${why}`, 400);
  }
  const uid = world.random.uuid();
  const body = reviewBody(version, uid, request, await objectsFor(request, subject, mutating ? 'admit' : 'validating'));
  const timeout = Math.max(1, Math.min(webhook.timeout, request.deadline - world.clock.monotonic()));
  let verdict: Verdict;
  try {
    const response = await clients.call(webhook.clientConfig, {
      body,
      timeout,
      bodyBytesMax: RESPONSE_BYTES_MAX,
      signal: request.signal,
    });
    const problem = restError(response);
    if (problem !== undefined)
      throw new CallFailure(webhook, `failed to call webhook: ${problem.message}`, problem.status.code);
    verdict = await request.run(verdictSteps(version, uid, mutating, response));
  } catch (error) {
    throw failureOf(webhook, error);
  }
  for (const [key, value] of Object.entries(verdict.auditAnnotations))
    request.annotate(`${webhook.name}/${key}`, value);
  for (const warning of verdict.warnings) request.warn(warning);
  if (!verdict.allowed) throw new Rejection(rejection(webhook.name, verdict.result));
  return verdict;
}

function failureOf(webhook: Webhook, error: unknown): unknown {
  if (error instanceof ClientConfigError)
    return new CallFailure(webhook, `could not get REST client: ${error.message}`, 500);
  if (error instanceof OutboundError) return new CallFailure(webhook, `failed to call webhook: ${error.message}`, 503);
  if (error instanceof DecodeError) return new CallFailure(webhook, `failed to call webhook: ${error.message}`, 503);
  if (error instanceof ReviewError) {
    const what = error.invalid ? 'received invalid webhook response' : 'failed to call webhook';
    return new CallFailure(webhook, `${what}: ${error.message}`, 503);
  }
  return error;
}

/** The error of a request that a webhook rejects, from the Status of its response. */
export function rejection(name: string, result: JsonObject): ApiError {
  const text = (field: string): string => (typeof result[field] === 'string' ? (result[field] as string) : '');
  const by = `admission webhook ${goQuote(name)} denied the request`;
  const why = text('message') || text('reason');
  const code = codeOf(result['code']);
  const reason = text('reason') === '' ? undefined : (text('reason') as StatusReason);
  const { details } = result;
  return new ApiError(
    code,
    reason,
    why === '' ? `${by} without explanation` : `${by}: ${why}`,
    isObject(details) ? (details as object) : undefined,
  );
}

/** The code of a rejection: a code that is not that of an error is 400, and one that HTTP does not have is 500. */
function codeOf(given: JsonValue | undefined): number {
  if (typeof given !== 'number' || given < 400) return 400;
  return Number.isInteger(given) && given <= 999 ? given : 500;
}

/** Counts a call by its outcome. */
export function count(
  { metrics, world }: WebhookWorld,
  webhook: Webhook,
  type: WebhookType,
  request: AdmissionRequest,
  call: { readonly since: number; readonly error?: unknown },
): void {
  const { error, since } = call;
  let [code, cause, rejected]: [number, RejectionCause | undefined, boolean] = [200, undefined, false];
  if (error instanceof CallFailure) {
    code = error.code;
    rejected = !webhook.ignoresFailures;
    cause = rejected ? 'calling_webhook_error' : undefined;
  } else if (error instanceof Rejection) {
    [code, cause, rejected] = [error.status.status.code, 'no_error', true];
  } else if (error !== undefined) {
    [code, cause, rejected] = [0, 'apiserver_internal_error', true];
  }
  const milliseconds = world.clock.monotonic() - since;
  request.took?.(type === 'admit' ? 'mutating-webhook' : 'validating-webhook', milliseconds);
  const seconds = milliseconds / 1000;
  metrics.called(webhook.name, type, request.operation, { seconds, rejected, code, cause });
}
