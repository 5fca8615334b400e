import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import { PatchError } from './errors.js';
import { jsonTypeName, shallow } from './json-patch.js';

/**
 * Applies a JSON merge patch (RFC 7386). Neither argument is changed; unchanged parts are shared with the target.
 *
 * One difference from the RFC, as in kube-apiserver: if a list of the patch replaces an absent value or a value that is
 * not an object, null members of objects in the list are dropped too.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return isObject(target) ? patch : pruneNulls(patch);
  if (!isObject(target)) return pruneNulls(patch);
  const out = shallow(target);
  for (const key of Object.keys(patch)) {
    const value = patch[key]!;
    if (value === null) delete out[key];
    else setOwn(out, key, mergePatch(getOwn(target, key), value));
  }
  return out;
}

function pruneNulls(v: JsonValue): JsonValue {
  if (Array.isArray(v)) return v.map(pruneNulls);
  if (!isObject(v)) return v;
  const out: JsonObject = {};
  for (const key of Object.keys(v)) {
    const value = v[key]!;
    if (value !== null) setOwn(out, key, pruneNulls(value));
  }
  return out;
}

/**
 * Applies a merge patch to an API object: the patch must be an object. Throws `badRequest`.
 * @param typed the request validates fields (Warn, Strict); only the message differs
 */
export function applyMergePatch(current: JsonObject, patch: JsonValue, typed: boolean): JsonObject {
  if (!isObject(patch)) {
    throw new PatchError(
      'badRequest',
      typed && patch !== null
        ? `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`
        : 'Invalid JSON Patch',
    );
  }
  return mergePatch(current, patch) as JsonObject;
}
