import { CounterFamily, HistogramFamily } from '../telemetry/index.js';

/** Why a call of a conversion webhook failed, as its metrics name it; empty for success. */
export type ConversionOutcome =
  | ''
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

const LABELS = ['result', 'failure_type'] as const;

/** What a call converted: objects of a definition, from one version to another. */
export interface ConvertedVersions {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
}

/** The metrics of conversion webhooks, with the names and labels of kube-apiserver. */
export class ConversionMetrics {
  readonly #calls = new CounterFamily(
    { name: 'apiserver_conversion_webhook_request_total', help: 'Calls of conversion webhooks.' },
    LABELS,
  );
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_conversion_webhook_duration_seconds',
      help: 'Seconds that calls of conversion webhooks took.',
      onlyClassic: true,
    },
    LABELS,
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
  );
  readonly #byDefinition = new HistogramFamily(
    {
      name: 'apiserver_crd_conversion_webhook_duration_seconds',
      help: 'Seconds that conversions by webhooks took, by definition and versions.',
    },
    ['crd_name', 'from_version', 'to_version', 'succeeded'],
    Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
  );
  readonly families = [this.#calls, this.#durations, this.#byDefinition];

  called(outcome: ConversionOutcome, seconds: number, { definition, from, to }: ConvertedVersions): void {
    const result = outcome === '' ? 'success' : 'failure';
    this.#calls.at(result, outcome).value += 1;
    this.#durations.observe(this.#durations.at(result, outcome), seconds);
    const cell = this.#byDefinition.at(definition, from, to, String(outcome === ''));
    this.#byDefinition.observe(cell, seconds);
  }
}
