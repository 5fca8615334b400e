import type { AdmissionRequest } from '../../api/index.js';
import type { Clock } from '../../base/index.js';
import { CounterFamily, HistogramFamily } from '../../telemetry/index.js';

/** Whose match conditions are evaluated, as the labels of the metrics. */
export interface ConditionsOf {
  readonly kind: 'policy' | 'webhook';
  readonly name: string;
  readonly type: 'admit' | 'validate' | 'validating';
}

/** Called when match conditions were evaluated, with the number of those that failed with an error. */
export type ConditionsObserver = (problems: number) => void;

const LABELS = ['kind', 'name', 'operation', 'type'];
/** Seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** Metrics of the match conditions of webhooks and policies, with the names of kube-apiserver. */
export class MatchConditionMetrics {
  readonly #errors = new CounterFamily(
    {
      name: 'apiserver_admission_match_condition_evaluation_errors_total',
      help: 'Match conditions of webhooks and policies that could not be evaluated.',
    },
    LABELS,
  );
  readonly #times = new HistogramFamily(
    {
      name: 'apiserver_admission_match_condition_evaluation_seconds',
      help: 'Seconds to evaluate the match conditions of a webhook or policy.',
    },
    LABELS,
    BUCKETS,
  );
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#errors, this.#times];
  }

  /** The evaluation of conditions begins. */
  began({ kind, name, type }: ConditionsOf, { operation }: Pick<AdmissionRequest, 'operation'>): ConditionsObserver {
    const since = this.#clock.monotonic();
    return (problems) => {
      const labels = [kind, name, operation.toUpperCase(), type];
      this.#times.observe(this.#times.at(...labels), (this.#clock.monotonic() - since) / 1000);
      if (problems > 0) this.#errors.at(...labels).value += problems;
    };
  }
}
