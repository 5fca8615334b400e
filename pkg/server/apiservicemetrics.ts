import { type JsonObject, objectsAt, textAt } from '../api/index.js';
import { CounterFamily } from '../telemetry/index.js';

/** The availability of APIServices as this peer sees it, with the names of kube-apiserver, whose alerts read them. */
export class ApiServiceMetrics {
  readonly #unavailable = new CounterFamily(
    { name: 'aggregator_unavailable_apiservice', help: 'Whether an APIService is unavailable.' },
    ['name'],
    'gauge',
  );
  readonly #losses = new CounterFamily(
    { name: 'aggregator_unavailable_apiservice_total', help: 'How often an APIService became unavailable, by reason.' },
    ['name', 'reason'],
  );
  readonly #available = new Map<string, boolean>();

  get families(): readonly CounterFamily[] {
    return [this.#unavailable, this.#losses];
  }

  /** An APIService has this state now; undefined after its deletion. One that was never checked has no series. */
  changed(name: string, object: JsonObject | undefined): void {
    const condition = objectsAt(object, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Available');
    if (condition === undefined) {
      this.#unavailable.remove(name);
      this.#available.delete(name);
      return;
    }
    const isAvailable = textAt(condition, 'status') === 'True';
    if (!isAvailable && this.#available.get(name) === true)
      this.#losses.at(name, textAt(condition, 'reason') || 'UnknownReason').value++;
    this.#available.set(name, isAvailable);
    this.#unavailable.at(name).value = isAvailable ? 0 : 1;
  }
}
