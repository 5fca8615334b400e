import {
  type AdmissionRequest,
  type AdmissionSubject,
  type JsonObject,
  objectAt,
  type StoredObjects,
} from '../api/index.js';
import { finish } from '../base/index.js';

/** An admission request for tests. */
export function admissionRequest(
  what: string,
  given: Partial<AdmissionRequest> & { readonly group?: string; readonly warnings?: string[] },
): AdmissionRequest & { readonly annotations: Map<string, string> } {
  const [resource = '', subresource = ''] = what.split('/');
  const { group = '', warnings = [], ...rest } = given;
  const annotations = new Map<string, string>();
  const subject: AdmissionSubject = {
    kind: { group, version: 'v1', kind: '' },
    resource: { group, version: 'v1', resource },
  };
  return {
    operation: 'create',
    requested: subject,
    stored: subject,
    groupResource: { group, resource },
    subresource,
    namespace: 'n',
    name: 'x',
    options: {},
    dryRun: false,
    deadline: Number.POSITIVE_INFINITY,
    signal: undefined,
    user: { name: 'u', groups: [] },
    object: undefined,
    old: undefined,
    equivalents: [subject],
    inVersion: () => Promise.resolve(undefined),
    replace: () => Promise.resolve(),
    merge: () => Promise.resolve(),
    run: finish,
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void annotations.set(key, typeof value === 'string' ? value : value()),
    reinvocation: { active: false, request: () => {}, state: new Map() },
    annotations,
    ...rest,
  };
}

/** Stored objects by `group/resource`, for all namespaces. */
export function storedObjects(byResource: Readonly<Record<string, readonly JsonObject[]>>): StoredObjects {
  const of = (group: string, resource: string): readonly JsonObject[] =>
    byResource[group === '' ? resource : `${group}/${resource}`] ?? [];
  const find: StoredObjects['cached'] = ({ group, resource }, _namespace, name) =>
    of(group, resource).find((o) => (o['metadata'] as JsonObject)['name'] === name);
  return {
    get: (resource, namespace, name) => Promise.resolve(find(resource, namespace, name)),
    labels: (resource, namespace, name) => {
      const found = find(resource, namespace, name);
      return Promise.resolve(found && (objectAt(found, 'metadata', 'labels') as Readonly<Record<string, string>>));
    },
    cached: find,
    list: ({ group, resource }) => of(group, resource),
    each: ({ group, resource }) => of(group, resource),
    isEmpty: ({ group, resource }) => of(group, resource).length === 0,
    refresh: () => Promise.resolve(),
    state: () => 0,
    resourceOf: () => undefined,
  };
}
