import type { Clock } from '../../base/index.js';
import { CounterFamily, HistogramFamily } from '../../telemetry/index.js';
import { MatchConditionMetrics } from './conditionmetrics.js';

/** What a failed check of a policy led to: the action of the binding, or `allow` for an error under failurePolicy Ignore. */
export type Enforcement = 'allow' | 'audit' | 'deny' | 'warn';

const LABELS = ['policy', 'policy_binding', 'error_type', 'enforcement_action'];
/** Seconds. */
const CHECK_BUCKETS = [5e-7, 0.001, 0.01, 0.1, 1];

/** The policy and the binding of a check, by name. */
export interface CheckOf {
  readonly policy: { readonly name: string };
  readonly binding: { readonly name: string };
}

/** Metrics of validating admission policies. As in kube-apiserver, they count the checks that failed. */
export class PolicyMetrics {
  readonly #total = new CounterFamily(
    {
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Failed checks of validating admission policies, by what they led to.',
    },
    LABELS,
  );
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_validating_admission_policy_check_duration_seconds',
      help: 'Seconds to evaluate the expressions of failed checks.',
    },
    LABELS,
    CHECK_BUCKETS,
  );
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Those of webhooks, too. */
  readonly conditions: MatchConditionMetrics;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.conditions = new MatchConditionMetrics(clock);
  }

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#total, this.#durations, ...this.conditions.families];
  }

  /** The monotonic time, in milliseconds. */
  now(): number {
    return this.#clock.monotonic();
  }

  failed({ policy, binding }: CheckOf, action: Enforcement, message: string, milliseconds: number): void {
    const labels = [policy.name, binding.name, errorType(message), action];
    this.#total.at(...labels).value++;
    this.#durations.observe(this.#durations.at(...labels), milliseconds / 1000);
  }
}

/** kube-apiserver finds the type of an error by how its message begins; a validation that is false is an invalid error, too. */
function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error';
  if (message.startsWith('validation failed due to running out of cost budget')) return 'out_of_budget';
  return 'invalid_error';
}
