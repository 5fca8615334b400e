import type { Steps } from '../base/index.js';
import { compiledBytes, type LabelMatch, labelMatchSteps } from './selectormatch.js';
import {
  type FieldSelector,
  fieldSelectorSteps,
  type LabelSelector,
  labelSelectorSteps,
  SelectorError,
} from './selectors.js';

/** The selectors of a request, parsed; or the errors of those that cannot be parsed. */
export interface RequestSelectors {
  readonly labels: LabelSelector | SelectorError;
  readonly fields: FieldSelector | SelectorError;
  /** `labels`, compiled; undefined if they select everything or cannot be parsed. */
  readonly matches: LabelMatch | undefined;
  /** About how many bytes the compiled selectors take. */
  readonly bytes: number;
}

/** Parses the selectors of a request in steps. */
export function* requestSelectorSteps(labelText: string, fieldText: string): Steps<RequestSelectors> {
  const labels = yield* attempt(labelSelectorSteps(labelText));
  const fields = yield* attempt(fieldSelectorSteps(fieldText));
  if (labels instanceof SelectorError || fields instanceof SelectorError)
    return { labels, fields, matches: undefined, bytes: 0 };
  yield;
  const matches = labels.length > 0 ? yield* labelMatchSteps(labels) : undefined;
  return { labels, fields, matches, bytes: compiledBytes(labels, fields) };
}

function* attempt<T>(steps: Steps<T>): Steps<T | SelectorError> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}
