import { CounterFamily, HistogramFamily } from '../telemetry/index.js';

/** Why a call of a conversion webhook failed, as its metrics name it; empty for success. */
export type ConversionOutcome =
  | ''
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

const LABELS = ['result', 'failure_type'] as const;

/** The metrics of conversion webhooks, with the names and labels of kube-apiserver. */
export class ConversionMetrics {
  readonly #calls = new CounterFamily(
    { name: 'apiserver_conversion_webhook_request_total', help: 'Calls of conversion webhooks.' },
    LABELS,
  );
  readonly #durations = new HistogramFamily(
    { name: 'apiserver_conversion_webhook_duration_seconds', help: 'Seconds that calls of conversion webhooks took.' },
    LABELS,
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
  );
  readonly families = [this.#calls, this.#durations];

  called(outcome: ConversionOutcome, seconds: number): void {
    const result = outcome === '' ? 'success' : 'failure';
    this.#calls.at(result, outcome).value += 1;
    this.#durations.observe(this.#durations.at(result, outcome), seconds);
  }
}
