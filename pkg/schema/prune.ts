import { isObject, type JsonObject, type JsonValue } from '../api/index.js';
import type { Schema, StructSchema } from './types.js';

/** The maximal number of reported paths; further fields are dropped without a report. */
const PATHS_MAX = 100;

/**
 * Drops fields that the schema does not declare, in place, and returns their paths (`spec.ports[0].bogus`), at most 100. Fields below a
 * value that preserves unknown fields and the content of opaque values are kept. The root and embedded objects keep `apiVersion`, `kind`
 * and `metadata` even if undeclared.
 *
 * The order of the paths is kube-apiserver's: those in the metadata of embedded objects, which it decodes last, follow the others.
 */
export function prune(object: JsonObject, schema: StructSchema): readonly string[] {
  const dropped: Dropped = { fields: [], ofMetadata: [] };
  pruneStruct(object, schema, '', dropped, { root: true, keeps: schema.preserveUnknown });
  return [...dropped.fields.sort(), ...dropped.ofMetadata.sort()].slice(0, PATHS_MAX);
}

interface Dropped {
  readonly fields: string[];
  /** Of the metadata of embedded objects. */
  readonly ofMetadata: string[];
}

function pruneStruct(
  object: JsonObject,
  schema: StructSchema,
  path: string,
  dropped: Dropped,
  { root, keeps }: { readonly root: boolean; readonly keeps: boolean },
): void {
  const isObjectRoot = root || schema.embeddedResource;
  for (const key of Object.keys(object)) {
    const field = schema.byName.get(key);
    if (field !== undefined) {
      const inMetadata = schema.embeddedResource && key === 'metadata';
      const found = inMetadata ? { ...dropped, fields: dropped.ofMetadata } : dropped;
      walk(object[key] as JsonValue, field.schema, join(path, key), found);
    } else if (!keeps && !(isObjectRoot && OBJECT_FIELDS.has(key))) {
      delete object[key];
      if (dropped.fields.length < PATHS_MAX) dropped.fields.push(join(path, key));
    }
  }
}

const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * `inList`: the value is an item of a list that preserves unknown fields. Such a list preserves those of its items, also of items that are lists
 * themselves, but not those of their fields. A value of a wrong type loses nothing if its schema preserves unknown fields.
 */
function walk(value: JsonValue, schema: Schema, path: string, dropped: Dropped, inList = false): void {
  const keeps = inList || (schema.kind !== 'any' && schema.preserveUnknown === true);
  switch (schema.kind) {
    case 'struct':
      if (isObject(value)) pruneStruct(value, schema, path, dropped, { root: false, keeps });
      else if (!keeps) dropMembers(value, path, dropped);
      return;
    case 'list':
      if (Array.isArray(value))
        value.forEach((item, i) => void walk(item, schema.items, `${path}[${i}]`, dropped, keeps));
      else if (!keeps) dropMembers(value, path, dropped);
      return;
    case 'map':
      if (isObject(value)) {
        for (const key of Object.keys(value)) walk(value[key] as JsonValue, schema.values, join(path, key), dropped);
      } else if (!keeps) dropMembers(value, path, dropped);
      return;
    case 'any': {
      const object = schema.either?.object;
      if (schema.closed) dropMembers(value, path, dropped);
      if (object === undefined) return;
      const { preserveUnknown } = object;
      if (isObject(value)) pruneStruct(value, object, path, dropped, { root: false, keeps: preserveUnknown });
      else if (Array.isArray(value)) value.forEach((item, i) => void walk(item, object, `${path}[${i}]`, dropped));
      return;
    }
    case 'scalar':
      if (!keeps) dropMembers(value, path, dropped);
      return;
  }
}

/** Drops the members of all objects in a value of a wrong type: its schema declares none. */
function dropMembers(value: JsonValue, path: string, dropped: Dropped): void {
  if (Array.isArray(value)) value.forEach((item, i) => void dropMembers(item, `${path}[${i}]`, dropped));
  else if (isObject(value))
    for (const key of Object.keys(value)) {
      delete value[key];
      if (dropped.fields.length < PATHS_MAX) dropped.fields.push(join(path, key));
    }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
