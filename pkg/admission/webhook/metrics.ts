import type { AdmissionOperation } from '../../api/index.js';
import { CounterFamily, HistogramFamily } from '../../telemetry/index.js';

export type WebhookType = 'admit' | 'validating';
export type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

/** Higher codes are counted as this one, so that a webhook cannot create an unbounded number of series. */
const CODE_MAX = 600;

/** The metrics of admission webhooks, with the names and labels of kube-apiserver. */
export class WebhookMetrics {
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Seconds that calls of admission webhooks took.',
      onlyClassic: true,
    },
    ['name', 'type', 'operation', 'rejected'],
    [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  );
  readonly #requests = new CounterFamily(
    { name: 'apiserver_admission_webhook_request_total', help: 'Calls of admission webhooks.' },
    ['name', 'type', 'operation', 'code', 'rejected'],
  );
  readonly #rejections = new CounterFamily(
    {
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that admission webhooks rejected, or that failed because one could not be called.',
    },
    ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  );
  readonly #failOpen = new CounterFamily(
    {
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Calls of admission webhooks that failed and were ignored.',
    },
    ['name', 'type'],
  );
  readonly #excluded = new CounterFamily(
    {
      name: 'apiserver_admission_match_condition_exclusions_total',
      help: 'Requests for which a match condition excluded a webhook.',
    },
    ['name', 'kind', 'type', 'operation'],
  );

  readonly families = [this.#durations, this.#requests, this.#rejections, this.#failOpen, this.#excluded];

  /** `code` is 0 if the call failed in this server. */
  called(name: string, type: WebhookType, operation: AdmissionOperation, call: WebhookOutcome): void {
    const rejected = String(call.rejected);
    const verb = operation.toUpperCase();
    const code = String(Math.min(call.code, CODE_MAX));
    this.#durations.observe(this.#durations.at(name, type, verb, rejected), call.seconds);
    this.#requests.at(name, type, verb, code, rejected).value += 1;
    if (call.cause !== undefined) this.#rejections.at(name, type, verb, call.cause, code).value += 1;
  }

  failedOpen(name: string, type: WebhookType): void {
    this.#failOpen.at(name, type).value += 1;
  }

  excluded(name: string, type: WebhookType, operation: AdmissionOperation): void {
    this.#excluded.at(name, 'webhook', type, operation.toUpperCase()).value += 1;
  }
}

export interface WebhookOutcome {
  readonly seconds: number;
  readonly rejected: boolean;
  readonly code: number;
  /** Why the request is rejected; undefined if it is not. */
  readonly cause: RejectionCause | undefined;
}
