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
import { finish, type Steps } from '../base/index.js';
import type { StructSchema } from '../schema/index.js';
import { PatchError } from './errors.js';
import { decodeJsonPatch, jsonPatchSteps, oddlySpelledOperations, unknownOperationMembers } from './json-patch.js';
import { findingsMax } from './limits.js';
import { applyMergePatch } from './merge-patch.js';
import { checkNesting } from './nesting.js';
import { orderAfterMerge, orderAfterOperations } from './raw-order.js';
import { applyStrategicMergePatch, shownPatch } from './strategic.js';
import { restoreTyped, typedCopy } from './unstructured.js';

/** A JSON patch can replace the object by a list only. */
const NO_OBJECT =
  "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct " +
  '{ APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export interface PatchInput {
  readonly kind: 'json' | 'merge' | 'strategic';
  /** The live object in the version of the request, including metadata.managedFields. */
  readonly current: JsonObject;
  readonly patch: JsonValue;
  /** The schema of that version; undefined for a custom resource, which has no rules for a strategic merge patch. */
  readonly schema: StructSchema | undefined;
  /** The request validates fields (Warn or Strict). */
  readonly typed: boolean;
  /** The text of a JSON patch in JSON: `test` compares the spelling of numbers. */
  readonly text?: string;
  /** The patch was computed by an admission policy: see `JsonPatchOptions`. */
  readonly nullIsValue?: boolean;
  /** Objects of the patch whose text has keys twice, with these keys (`ReadJson.repeated`). */
  readonly repeated?: ReadonlyMap<JsonValue, readonly string[]>;
}

export interface Patched {
  /**
   * Private: shares nothing with `current` or the patch, so it may be decoded, defaulted and changed in place. Not yet decoded:
   * unknown fields and wrong types are possible.
   */
  readonly object: JsonObject;
  /** The findings of field validation in the patch document itself: `json patch unknown field "[0].comment"`. */
  readonly unknownFields: readonly string[];
  /**
   * Paths of fields that the result has twice: kube-apiserver inserts the value of a JSON patch operation as its text.
   */
  readonly repeatedFields: readonly string[];
  /**
   * Formats the result for the `Invalid value:` of field `patch`, if it cannot be decoded. This is costly. It shows the
   * result of the patch even if `object` changed since; `current` and the patch must not have changed.
   */
  show(): string;
}

/** Applies a patch of any type except apply. Throws PatchError. */
export function applyPatch(input: PatchInput): Patched {
  return finish(patchSteps(input));
}

/** `applyPatch` in steps. */
export function* patchSteps(input: PatchInput): Steps<Patched> {
  const { current, patch } = input;
  checkNesting(patch);
  yield;
  switch (input.kind) {
    case 'json': {
      const operations = decodeJsonPatch(patch, input.typed);
      const oddlySpelled = input.text === undefined ? new Set<number>() : oddlySpelledOperations(input.text);
      const entered = new Set<JsonValue>();
      const object = yield* jsonPatchSteps(current, operations, {
        oddlySpelled,
        entered,
        nullIsValue: input.nullIsValue === true,
      });
      const show = () => showPatched(object, [current, patch], entered);
      if (!isObject(object)) throw new PatchError('invalidResult', NO_OBJECT, show());
      const unknownFields = input.typed
        ? unknownOperationMembers(operations).map((at) => `json patch unknown field "${at}"`)
        : [];
      const repeatedFields = input.repeated === undefined ? [] : repeatedPaths(object, input.repeated);
      yield;
      const own = cloneJson(object);
      if (input.schema !== undefined) orderAfterOperations(own, operations, input.schema);
      return { object: own, unknownFields, repeatedFields, show };
    }
    case 'merge': {
      const object = applyMergePatch(current, patch, input.typed);
      yield;
      const own = cloneJson(object);
      if (input.schema !== undefined) orderAfterMerge(own, current, patch, input.schema);
      return {
        object: own,
        unknownFields: [],
        repeatedFields: [],
        show: () => showPatched(object, [current]),
      };
    }
    case 'strategic': {
      if (input.schema === undefined)
        throw new PatchError('unsupported', 'strategic merge patch format is not supported');
      const merged = applyStrategicMergePatch(current, patch, input.schema);
      yield;
      const restored = restoreTyped(merged, input.schema, current);
      const schema = input.schema;
      const show = () => goFormat(shownPatch(current, patch, schema));
      if ('error' in restored) throw new PatchError('invalidResult', restored.error, show());
      yield;
      const object = typedCopy(restored.value, schema);
      // The type of the object is known, so kind and apiVersion in the patch are ignored.
      for (const key of ['kind', 'apiVersion']) {
        const own = getOwn(current, key);
        if (own !== undefined) object[key] = own;
      }
      return { object, unknownFields: [], repeatedFields: [], show };
    }
  }
}

/** Returns the paths of the first fields in `repeated` that are part of the result: `data.a`, `spec.containers[0].image`. */
function repeatedPaths(root: JsonObject, repeated: ReadonlyMap<JsonValue, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const visit = (at: JsonValue, path: string): void => {
    if (found.length === findingsMax) return;
    if (Array.isArray(at)) {
      for (const [i, item] of at.entries()) visit(item, `${path}[${i}]`);
    } else if (isObject(at)) {
      const inside = path === '' ? '' : `${path}.`;
      const left = findingsMax - found.length;
      for (const key of repeated.get(at)?.slice(0, left) ?? []) found.push(`${inside}${key}`);
      for (const [key, value] of Object.entries(at)) visit(value, `${inside}${key}`);
    }
  };
  visit(root, '');
  return found;
}

/**
 * Formats a patched object as kube-apiserver does: objects that the patch rebuilt have sorted keys, objects taken whole
 * from one of `sources` keep their order, unless the patch `entered` them.
 */
function showPatched(v: JsonValue, sources: readonly JsonValue[], entered: ReadonlySet<JsonValue> = new Set()): string {
  const whole = new Set<JsonValue>();
  const collect = (x: JsonValue): void => {
    if (typeof x !== 'object' || x === null) return;
    if (!entered.has(x)) whole.add(x);
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
