import {
  type AdmissionObjects,
  type AdmissionRequest,
  type AdmissionSubject,
  errors,
  REVIEWS_WITHOUT_WEBHOOKS,
  type StoredObjects,
} from '../../api/index.js';
import { CheckMemo, type Pace } from '../../cel/index.js';
import { type AuthorizeCheck, checkDecider } from '../policy/checks.js';
import type { MatchConditionMetrics } from '../policy/conditionmetrics.js';
import { settled } from '../policy/evaluation.js';
import { ConversionFailure, matchedSubject, objectsIn } from '../policy/matching.js';
import { conditionsHold } from '../policy/validating.js';
import type { WebhookMetrics } from './metrics.js';
import type { Webhook } from './source.js';

/** Cost limit for all match conditions of one webhook. */
const CONDITIONS_COST_MAX = 2_500_000;

/** Kinds of the admission configuration: a webhook that rejects everything could not be removed if it received them. */
const CONFIGURATION: ReadonlySet<string> = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Whether no webhook receives a request. */
export function isExempt({ groupResource: { group, resource } }: AdmissionRequest): boolean {
  if (group === 'admissionregistration.k8s.io') return CONFIGURATION.has(resource);
  return REVIEWS_WITHOUT_WEBHOOKS.has(`${resource}.${group}`);
}

export interface MatchParts {
  readonly objects: StoredObjects;
  readonly authorize: AuthorizeCheck;
  readonly metrics: WebhookMetrics;
  readonly pace: Pace;
  readonly conditions?: MatchConditionMetrics;
  readonly type: 'admit' | 'validating';
}

/**
 * Returns the objects in the version that a webhook receives. The failure policy of the webhook does not cover their conversion: it says
 * what to do without an answer of the webhook. kube-apiserver wraps the error of a mutating webhook twice.
 */
export async function objectsFor(
  request: AdmissionRequest,
  subject: AdmissionSubject,
  type: MatchParts['type'],
): Promise<AdmissionObjects> {
  try {
    return await objectsIn(request, subject);
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    const failure = errors.internal(error.message);
    throw type === 'admit' ? errors.internal(failure.message) : failure;
  }
}

/**
 * Decides which webhooks receive a request: by selectors, rules and match conditions. The webhooks of one request share
 * authorizer decisions.
 */
export class WebhookMatcher {
  readonly #request: AdmissionRequest;
  readonly #parts: MatchParts;
  #checks: CheckMemo | undefined;

  constructor(request: AdmissionRequest, parts: MatchParts) {
    this.#request = request;
    this.#parts = parts;
  }

  /**
   * Returns the version of the resource in which the webhook receives the request; undefined if it does not. Throws 403
   * for failed conditions.
   */
  async match(webhook: Webhook): Promise<AdmissionSubject | undefined> {
    const request = this.#request;
    const { objects, authorize, metrics, pace, conditions, type } = this.#parts;
    // Without rules a policy matches everything, a webhook nothing.
    if (webhook.constraints.rules.length === 0) return undefined;
    const subject = matchedSubject(webhook.constraints, request, objects);
    if (subject === undefined || webhook.compiled.conditions.length === 0) return subject;
    this.#checks ??= new CheckMemo(checkDecider(request, authorize));
    const inputs = {
      request,
      matched: await objectsFor(request, subject, type),
      params: null,
      namespace: undefined,
      checks: this.#checks,
      variables: [],
    };
    const observe = conditions?.began({ kind: 'webhook', name: webhook.name, type }, request);
    const decision = await settled(pace, (attempts) =>
      conditionsHold(webhook, { inputs, attempts, observe }, !webhook.ignoresFailures, CONDITIONS_COST_MAX),
    );
    if (typeof decision === 'string') throw errors.forbidden(request.groupResource, request.name, decision);
    if (!decision) metrics.excluded(webhook.name, type, request.operation);
    return decision ? subject : undefined;
  }
}
