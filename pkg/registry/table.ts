import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../api/index.js';
import type { Representation } from './requests.js';
import type { ResourceDeclaration, TableDeclaration } from './resource.js';

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

export function tableOf(declaration: ResourceDeclaration): TableDeclaration {
  return declaration.table ?? PLAIN;
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
