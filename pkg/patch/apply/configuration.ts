import { getOwn, type JsonObject, type JsonValue } from '../../api/index.js';
import type { StructSchema } from '../../schema/index.js';
import { mergeObjects } from './merge.js';
import { childSchema, isAtomic, type Node } from './shape.js';

/** The error for a configuration that sets a part of an atomic value. `paths` have the form `.spec.rules`. */
export class AtomicMutation extends Error {
  constructor(paths: readonly string[]) {
    super(`may not mutate atomic arrays, maps or structs: ${paths.join(', ')}`);
  }
}

/**
 * Merges an apply configuration into an object without field ownership, as mutating admission policies do. Throws
 * AtomicMutation if the configuration sets a part of an atomic value, which has a single owner.
 */
export function mergeConfiguration(live: JsonObject, configuration: JsonObject, schema: StructSchema): JsonObject {
  const atomics: string[] = [];
  findAtomics(configuration, schema, '', atomics);
  if (atomics.length > 0) throw new AtomicMutation(atomics);
  return mergeObjects(live, configuration, schema);
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
