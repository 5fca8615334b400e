import {
  type AdmissionRequest,
  type JsonObject,
  type JsonValue,
  matchesLabels,
  objectAt,
  parseApiVersion,
  type StoredObjects,
  textAt,
} from '../../api/index.js';
import { selectorOf } from './matching.js';

/** Thrown when the parameters of a binding are not available. */
export class ParamsError extends Error {}

/** Why no binding of a policy can be evaluated: the kind of its parameters is not served. Undefined if it is, or if it has none. */
export function paramKindProblem(spec: JsonValue, objects: StoredObjects): string | undefined {
  const kind = textAt(spec, 'paramKind', 'kind');
  if (kind === '') return undefined;
  const gv = parseApiVersion(textAt(spec, 'paramKind', 'apiVersion')) ?? { group: '', version: '' };
  if (objects.resourceOf({ ...gv, kind }) !== undefined) return undefined;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${gv.group}/${gv.version}, Kind=${kind}'`;
}

/**
 * Returns the parameters with which a binding evaluates its policy: `[null]` if the policy has none, and `[]` if they are
 * absent and the binding allows it.
 */
export async function collectParams(
  spec: JsonValue,
  paramRef: JsonValue | undefined,
  request: AdmissionRequest,
  objects: StoredObjects,
): Promise<readonly (JsonObject | null)[]> {
  const kind = textAt(spec, 'paramKind', 'kind');
  if (kind === '' || paramRef === undefined) return [null];
  const apiVersion = textAt(spec, 'paramKind', 'apiVersion');
  const gv = parseApiVersion(apiVersion);
  const resource = gv === undefined ? undefined : objects.resourceOf({ ...gv, kind });
  if (resource === undefined) throw new ParamsError(`paramKind kind \`${apiVersion}, Kind=${kind}\` not known`);
  const within = paramNamespace(textAt(paramRef, 'namespace'), namespaceOfRequest(request), resource.namespaced);
  const found = await paramObjects(paramRef, resource, within, objects);
  if (found.length === 0 && textAt(paramRef, 'parameterNotFoundAction') === 'Deny')
    throw new ParamsError('no params found for policy binding with `Deny` parameterNotFoundAction');
  // The storage version may differ from the requested version; the group is the same.
  return found.map((o) => ({ ...o, apiVersion, kind }));
}

/** The namespace of a request for a Namespace is its own name. */
function namespaceOfRequest({ namespace, name, groupResource: { group, resource } }: AdmissionRequest): string {
  return group === '' && resource === 'namespaces' ? name : namespace;
}

function paramNamespace(given: string, ofRequest: string, isNamespaced: boolean): string {
  if (!isNamespaced) {
    if (given !== '') throw new ParamsError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    return '';
  }
  const namespace = given === '' ? ofRequest : given;
  if (namespace === '')
    throw new ParamsError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  return namespace;
}

async function paramObjects(
  paramRef: JsonValue,
  resource: { readonly group: string; readonly resource: string },
  namespace: string,
  objects: StoredObjects,
): Promise<readonly JsonObject[]> {
  const name = textAt(paramRef, 'name');
  if (name !== '') {
    const found = await objects.get(resource, namespace, name);
    return found === undefined ? [] : [found];
  }
  const selector = selectorOf(objectAt(paramRef, 'selector'));
  const labels = (o: JsonObject) => objectAt(o, 'metadata', 'labels') as Readonly<Record<string, string>>;
  return objects.list(resource, namespace).filter((o) => matchesLabels(selector, labels(o)));
}
