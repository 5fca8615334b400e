import { Exposition } from './exposition.js';
import { CounterFamily } from './series.js';

/** The results of health checks, as `/metrics/slis` of kube-apiserver has them. A check has a result for each path that runs it. */
export class HealthResults {
  readonly #last = new CounterFamily(
    {
      name: 'kubernetes_healthcheck',
      help: '[STABLE] This metric records the result of a single healthcheck.',
    },
    ['name', 'type'],
    'gauge',
  );
  readonly #totals = new CounterFamily(
    {
      name: 'kubernetes_healthchecks_total',
      help: '[STABLE] This metric records the results of all healthcheck.',
    },
    ['name', 'status', 'type'],
  );

  readonly exposition = new Exposition({ process: false });

  constructor() {
    this.exposition.add(this.#last, this.#totals);
  }

  /** Counts a check. `type` is the path without its slash, for example `readyz`. */
  observe(type: string, name: string, passed: boolean): void {
    this.#last.at(name, type).value = passed ? 1 : 0;
    this.#totals.at(name, passed ? 'success' : 'error', type).value++;
  }

  /** Forgets all results. */
  reset(): void {
    this.#last.clear();
    this.#totals.clear();
  }
}
