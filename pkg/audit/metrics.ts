import { CounterFamily } from '../telemetry/index.js';
import type { Level } from './policy.js';

/** Metrics of auditing, with the names of kube-apiserver. */
export class AuditMetrics {
  readonly #events = new CounterFamily(
    { name: 'apiserver_audit_event_total', help: 'Audit events that were sent to the backends.' },
    [],
  );
  readonly #errors = new CounterFamily(
    { name: 'apiserver_audit_error_total', help: 'Audit events that could not be recorded, by plug-in.' },
    ['plugin'],
  );
  readonly #levels = new CounterFamily(
    { name: 'apiserver_audit_level_total', help: 'Requests by the audit level of the policy.' },
    ['level'],
  );
  readonly #rejected = new CounterFamily(
    {
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests that were refused because their audit event could not be recorded.',
    },
    [],
  );
  readonly event = this.#events.at();
  readonly rejected = this.#rejected.at();
  readonly #byLevel = new Map<Level, { value: number }>();

  get families(): readonly CounterFamily[] {
    return [this.#events, this.#errors, this.#levels, this.#rejected];
  }

  level(level: Level): void {
    let cell = this.#byLevel.get(level);
    if (cell === undefined) {
      cell = this.#levels.at(level);
      this.#byLevel.set(level, cell);
    }
    cell.value++;
  }

  failed(plugin: string, events: number): void {
    this.#errors.at(plugin).value += events;
  }
}
