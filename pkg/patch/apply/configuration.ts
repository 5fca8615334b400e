import { GoValue, getOwn, isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { StructSchema } from '../../schema/index.js';
import { mergeObjects } from './merge.js';
import { childSchema, isAtomic, type Node, shown } from './shape.js';
import { typeErrors } from './validate.js';

/** An apply configuration that cannot be merged. The texts are kube-apiserver's. */
export class ConfigurationError extends Error {}

const mismatch = (why: string): ConfigurationError =>
  new ConfigurationError(`error applying patch: failed to convert patch object to typed object: ${why}`);

/** The error for a configuration of a kind that has no type. */
export const untyped = (kind: string): ConfigurationError => mismatch(`no corresponding type for ${kind}`);

/**
 * Merges an apply configuration into an object without field ownership, as mutating admission policies do. Throws
 * ConfigurationError if the configuration does not have the type of the object, or sets a part of an atomic value, which has a single owner.
 */
export function mergeConfiguration(live: JsonObject, configuration: JsonObject, schema: StructSchema): JsonObject {
  const misfit = typeErrors(configuration, schema) ?? untypedError(configuration, '');
  if (misfit !== undefined) throw mismatch(misfit);
  const atomics: string[] = [];
  findAtomics(configuration, schema, '', atomics);
  if (atomics.length > 0)
    throw new ConfigurationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return mergeObjects(live, configuration, schema);
}

/** The error for a value without a form in JSON where the schema accepts anything; undefined if there is none. */
function untypedError(value: JsonValue, path: string): string | undefined {
  if (value instanceof GoValue) return `${path}: expected map, got ${shown(value)}`;
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = untypedError(member, `${path}${isObject(value) ? `.${key}` : `[${key}]`}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findAtomics(value: JsonValue, schema: Node, path: string, found: string[]): void {
  if (schema === undefined || schema.kind === 'scalar') return;
  if (Array.isArray(value)) {
    if (schema.kind !== 'list') return;
    if (isAtomic(schema)) found.push(path);
    for (const [i, item] of value.entries()) findAtomics(item, schema.items, `${path}[${i}]`, found);
  } else if (value !== null && typeof value === 'object') {
    if (isAtomic(schema)) found.push(path);
    for (const key of Object.keys(value))
      findAtomics(getOwn(value as JsonObject, key)!, childSchema(schema, key), `${path}.${key}`, found);
  }
}
