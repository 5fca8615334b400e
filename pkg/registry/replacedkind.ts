import { apiVersionOf, errors, type GroupVersionKind, type JsonObject } from '../api/index.js';
import { jsonTypeName } from '../patch/index.js';

/**
 * The version and kind of an object that admission made of one of kind `expected`. As in kube-apiserver, texts that are empty or missing stand
 * for the expected ones, and anything else is a server error.
 */
export function replacedKind(object: JsonObject, expected: GroupVersionKind): { apiVersion: string; kind: string } {
  const wanted = { apiVersion: apiVersionOf(expected), kind: expected.kind };
  const apiVersion = textOf(object, 'apiVersion');
  if (apiVersion.split('/').length > 2) throw errors.internal(`unexpected GroupVersion string: ${apiVersion}`);
  const given = {
    apiVersion: apiVersion === '' || apiVersion === '/' ? wanted.apiVersion : apiVersion,
    kind: textOf(object, 'kind') || wanted.kind,
  };
  if (given.apiVersion !== wanted.apiVersion || given.kind !== wanted.kind)
    throw errors.internal(
      `no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  return given;
}

function textOf(object: JsonObject, member: 'apiVersion' | 'kind'): string {
  const value = object[member] ?? '';
  if (typeof value === 'string') return value;
  throw errors.internal(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${member} of type string`,
  );
}
