import { type JsonObject, objectsAt, textAt } from '../../api/index.js';

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
  readonly service: string;
  /** Name of a pod -> when its readiness changed. */
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * Finds the time of the change that caused new endpoints: the earliest change of a pod's readiness, or of the service,
 * since the last round. It is used only for metrics. Times are in the form of the API, which sorts as text.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** '' if no known object has changed. */
  next(key: string, service: JsonObject, pods: readonly JsonObject[]): string {
    const before = this.#seen.get(key);
    const created = textAt(service, 'metadata', 'creationTimestamp');
    const times = new Map<string, string>();
    const changed: string[] = [];
    for (const pod of pods) {
      const ready = objectsAt(pod, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Ready');
      const time = textAt(ready, 'lastTransitionTime');
      if (time === '') continue;
      const name = textAt(pod, 'metadata', 'name');
      times.set(name, time);
      if (time > (before?.pods.get(name) ?? '')) changed.push(time);
    }
    if (created > (before?.service ?? '')) changed.push(created);
    this.#seen.set(key, { service: created, pods: times });
    return before === undefined ? created : (changed.sort()[0] ?? '');
  }

  delete(key: string): void {
    this.#seen.delete(key);
  }
}

/** Annotations with the trigger time, or without it if it is ''. */
export function withTriggerTime(annotations: JsonObject, time: string): JsonObject {
  const { [TRIGGER_TIME]: _, ...rest } = annotations;
  return time === '' ? rest : { ...rest, [TRIGGER_TIME]: time };
}
