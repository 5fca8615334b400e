import { at, type JsonObject, textAt } from '../api/index.js';

/** The default class: the newest of several, and the first by name of equally new ones. */
export function newestDefault(classes: readonly JsonObject[], annotations: readonly string[]): JsonObject | undefined {
  return classes
    .filter((c) => annotations.some((a) => at(c, 'metadata', 'annotations', a) === 'true'))
    .sort((a, b) => {
      const byAge = textAt(b, 'metadata', 'creationTimestamp').localeCompare(
        textAt(a, 'metadata', 'creationTimestamp'),
      );
      return byAge !== 0 ? byAge : textAt(a, 'metadata', 'name').localeCompare(textAt(b, 'metadata', 'name'));
    })[0];
}
