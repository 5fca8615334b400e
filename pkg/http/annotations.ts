import { limits } from './limits.js';

const TRUNCATED = 'audit.k8s.io/truncated';

/** The audit annotations of one request, in the order in which they were added. */
export class Annotations {
  readonly #values = new Map<string, string>();
  #characters = 0;

  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** The first value of a key wins. What is beyond the bound is left out, and the event shows that it is. */
  add(key: string, value: string): void {
    if (this.#values.has(key)) return;
    const characters = key.length + value.length + limits.auditAnnotationOverhead;
    if (this.#characters + characters > limits.auditAnnotationsMax) {
      this.#values.set(TRUNCATED, 'true');
      return;
    }
    this.#characters += characters;
    this.#values.set(key, value);
  }
}
