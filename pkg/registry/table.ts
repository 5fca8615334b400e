import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../api/index.js';
import { at, textAt } from './builtin/access.js';
import { AGE, age } from './builtin/table.js';
import type { Representation, Target } from './requests.js';
import type { TableDeclaration } from './resource.js';

/** Answers as a Table: what `kubectl get` prints. */

/** Kinds for which nothing better is declared. */
const PLAIN: TableDeclaration = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 },
    { name: 'Created At', type: 'date', description: 'Time at which the object was created.', priority: 0 },
  ],
  cells: (o) => {
    const meta = isObject(o['metadata']) ? o['metadata'] : {};
    return [meta['name'] ?? '', meta['creationTimestamp'] ?? null];
  },
};

/** Scales are shown alike, whatever they are of. */
const SCALE: TableDeclaration = {
  columns: [
    { name: 'Name', type: 'string', description: 'Name of the scaled object.', priority: 0 },
    { name: 'Desired', type: 'integer', description: 'Replicas that are wanted.', priority: 0 },
    { name: 'Available', type: 'integer', description: 'Replicas that there are.', priority: 0 },
    AGE,
  ],
  cells: (o, now) => [
    textAt(o, 'metadata', 'name'),
    at(o, 'spec', 'replicas') ?? 0,
    at(o, 'status', 'replicas') ?? 0,
    age(o, now),
  ],
};

export function tableOf({ resource, subresource }: Target): TableDeclaration {
  const own = subresource === '' ? undefined : resource.subresources[subresource]?.kind;
  return own?.kind === 'Scale' ? SCALE : (resource.declaration.table ?? PLAIN);
}

export function tableColumns(table: TableDeclaration): JsonArray {
  return table.columns.map((c) => ({
    name: c.name,
    type: c.type,
    format: c.format ?? '',
    description: c.description,
    priority: c.priority,
  }));
}

/** One row: `stored` in the storage version, from which cells are read; `served` is what `includeObject=Object` shows. */
export function tableRow(
  table: TableDeclaration,
  stored: JsonObject,
  served: () => JsonObject,
  now: number,
  representation: Representation,
): JsonObject {
  return {
    cells: [...table.cells(stored, now)],
    object: rowObject(served, representation),
  };
}

function rowObject(served: () => JsonObject, { includeObject, metaVersion }: Representation): JsonValue {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return served();
    case 'Metadata':
      return partialMetadata(served(), metaVersion);
  }
}

export function partialMetadata(o: JsonObject, metaVersion: string): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: isObject(o['metadata']) ? o['metadata'] : {},
  };
}
