import type { JsonValue } from '../../api/index.js';
import { unifiedDiff } from './linediff.js';
import { internalText } from './text.js';

export { INTERNAL_TEXT_CHARS_MAX, internalText } from './text.js';

/** Returns the differences between two values of a type, as hunks of lines of the text in kube-apiserver's messages. */
export function internalDifference(type: string, before: JsonValue | undefined, now: JsonValue | undefined): string {
  const lines = (value: JsonValue | undefined): readonly string[] => internalText(type, value, ' ').split('\n');
  return unifiedDiff(lines(before), lines(now));
}
