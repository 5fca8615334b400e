import type { JsonValue } from '../api/index.js';
import { PatchError } from './errors.js';
import { documentDepthMax } from './limits.js';

/** Reports whether a value is nested deeper than `max` containers. The recursion is not deeper than that. */
export function nestedDeeper(v: JsonValue, max: number): boolean {
  if (typeof v !== 'object' || v === null) return false;
  if (max === 0) return true;
  if (Array.isArray(v)) return v.some((item) => nestedDeeper(item, max - 1));
  for (const key of Object.keys(v)) if (nestedDeeper(v[key]!, max - 1)) return true;
  return false;
}

/** Refuses a document that is too deep for the recursive functions. */
export function checkNesting(document: JsonValue): void {
  if (nestedDeeper(document, documentDepthMax)) throw new PatchError('badRequest', 'the patch is nested too deeply');
}
