import {
  cloneJson,
  compareText,
  getOwn,
  goFormat,
  goJsonString,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../api/index.js';
import type { StructSchema } from '../schema/index.js';
import { PatchError } from './errors.js';
import { applyJsonPatch, decodeJsonPatch, oddlySpelledOperations, unknownOperationMembers } from './json-patch.js';
import { applyMergePatch } from './merge-patch.js';
import { checkNesting } from './nesting.js';
import { applyStrategicMergePatch } from './strategic.js';
import { restoreTyped } from './unstructured.js';

export interface PatchInput {
  readonly kind: 'json' | 'merge' | 'strategic';
  /** The live object in the version of the request, metadata.managedFields and all. */
  readonly current: JsonObject;
  readonly patch: JsonValue;
  /** Of that version; undefined for a custom resource, which has no rules for a strategic merge patch. */
  readonly schema: StructSchema | undefined;
  /** The request validates fields (Warn or Strict). */
  readonly typed: boolean;
  /** The patch's own text, when it was JSON: spelling of numbers counts in a JSON patch's `test`. */
  readonly text?: string;
}

export interface Patched {
  /**
   * Private: shares nothing with `current` or the patch, so it may be decoded, defaulted and changed in place. Not yet decoded:
   * unknown fields and wrong types are possible.
   */
  readonly object: JsonObject;
  /** What field validation has to say about the patch itself: `json patch unknown field "[0].comment"`. */
  readonly unknownFields: readonly string[];
  /**
   * The result as `Invalid value:` of field `patch` shows it, when it cannot be decoded. Costly: call it only then. It shows what
   * the patch made, whatever was done to `object` since; `current` and the patch must still be what they were.
   */
  show(): string;
}

/** Applies a patch of any kind but apply. Throws PatchError. */
export function applyPatch(input: PatchInput): Patched {
  const { current, patch } = input;
  checkNesting(patch);
  switch (input.kind) {
    case 'json': {
      const operations = decodeJsonPatch(patch, input.typed);
      const oddlySpelled = input.text === undefined ? new Set<number>() : oddlySpelledOperations(input.text);
      const object = applyJsonPatch(current, operations, { oddlySpelled });
      const show = () => showPatched(object, [current, patch]);
      if (!isObject(object)) throw new PatchError('invalidResult', 'the result is not an object', show());
      const unknownFields = input.typed
        ? unknownOperationMembers(operations).map((at) => `json patch unknown field "${at}"`)
        : [];
      return { object: cloneJson(object), unknownFields, show };
    }
    case 'merge': {
      const object = applyMergePatch(current, patch, input.typed);
      return { object: cloneJson(object), unknownFields: [], show: () => showPatched(object, [current]) };
    }
    case 'strategic': {
      if (input.schema === undefined)
        throw new PatchError('unsupported', 'strategic merge patch format is not supported');
      const merged = applyStrategicMergePatch(current, patch, input.schema);
      const restored = restoreTyped(merged, input.schema);
      if ('error' in restored) throw new PatchError('invalidResult', restored.error, goFormat(patch));
      const object = cloneJson(restored.value);
      // What is patched has its type already; what the patch says of it does not count.
      for (const key of ['kind', 'apiVersion']) {
        const own = getOwn(current, key);
        if (own !== undefined) object[key] = own;
      }
      return { object, unknownFields: [], show: () => goFormat(patch) };
    }
  }
}

/**
 * JSON of a patched object as the reference shows it: objects that the patch rebuilt have sorted keys, those that came whole
 * from one of `sources` are as they were.
 */
function showPatched(v: JsonValue, sources: readonly JsonValue[]): string {
  const whole = new Set<JsonValue>();
  const collect = (x: JsonValue): void => {
    if (typeof x !== 'object' || x === null) return;
    whole.add(x);
    for (const item of Array.isArray(x) ? x : Object.values(x)) collect(item);
  };
  for (const source of sources) collect(source);
  const print = (x: JsonValue): string => {
    if (Array.isArray(x)) return `[${x.map(print).join(',')}]`;
    if (isObject(x)) {
      const keys = Object.keys(x);
      if (!whole.has(x)) keys.sort(compareText);
      return `{${keys.map((k) => `${goJsonString(k)}:${print(x[k]!)}`).join(',')}}`;
    }
    return typeof x === 'string' ? goJsonString(x) : String(x);
  };
  return print(v);
}
