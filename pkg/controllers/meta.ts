import { getOwn, isObject, type JsonObject, type JsonValue } from '../api/index.js';

/** Reads metadata of objects. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion: boolean;
}

export interface Meta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
}

export function metaOf(o: JsonObject): Meta {
  const m = isObject(o['metadata']) ? o['metadata'] : {};
  return {
    name: text(m, 'name'),
    namespace: text(m, 'namespace'),
    uid: text(m, 'uid'),
    resourceVersion: text(m, 'resourceVersion'),
    deleting: text(m, 'deletionTimestamp') !== '',
    finalizers: list(m, 'finalizers').filter((f): f is string => typeof f === 'string'),
    owners: list(m, 'ownerReferences')
      .filter(isObject)
      .map((r) => ({
        apiVersion: text(r, 'apiVersion'),
        kind: text(r, 'kind'),
        name: text(r, 'name'),
        uid: text(r, 'uid'),
        blockOwnerDeletion: getOwn(r, 'blockOwnerDeletion') === true,
      })),
  };
}

function text(o: JsonObject, key: string): string {
  const v = getOwn(o, key);
  return typeof v === 'string' ? v : '';
}

function list(o: JsonObject, key: string): readonly JsonValue[] {
  const v = getOwn(o, key);
  return Array.isArray(v) ? v : [];
}
