import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../api/index.js';
import { isCustom } from '../schema/index.js';
import { at, textAt } from './builtin/access.js';
import { AGE, age, ZERO_TIME } from './builtin/table.js';
import { CREATION_TIME, NAME_COLUMN } from './custom/columns.js';
import { metadataOnly } from './metadataonly.js';
import type { Representation, Target } from './requests.js';
import type { TableDeclaration } from './resource.js';
import type { ServedResource } from './servedresources.js';

/** Responses as Tables, which `kubectl get` prints. */

/** The columns of kinds without declared columns. */
const PLAIN: TableDeclaration = {
  nullWithoutRows: true,
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 },
    { name: 'Created At', type: 'date', description: 'Time at which the object was created.', priority: 0 },
  ],
  cells: (o) => {
    const meta = isObject(o['metadata']) ? o['metadata'] : {};
    return [meta['name'] ?? '', meta['creationTimestamp'] ?? ZERO_TIME];
  },
};

/** The columns of the Scale of any kind. */
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

/** kube-apiserver makes the Tables of custom resources and of their scales in the same way: the columns have formats, and the age is a date. */
const CUSTOM_SCALE: TableDeclaration = {
  columns: [
    NAME_COLUMN,
    { name: 'Desired', type: 'integer', description: 'Number of desired replicas', priority: 0 },
    { name: 'Available', type: 'integer', description: 'Number of actual replicas', priority: 0 },
    { name: 'Age', type: 'date', description: CREATION_TIME, priority: 0 },
  ],
  cells: SCALE.cells,
};

export function tableOf({ resource, subresource }: Target): TableDeclaration {
  const behaviour = subresource === '' ? undefined : resource.subresources[subresource]?.behaviour;
  if (behaviour?.kind !== 'scale') return resource.table ?? PLAIN;
  return isCustom(resource.type) ? CUSTOM_SCALE : SCALE;
}

function tableColumns(table: TableDeclaration): JsonArray {
  return table.columns.map((c) => ({
    name: c.name,
    type: c.type,
    format: c.format ?? '',
    description: c.description,
    priority: c.priority,
  }));
}

/** The inputs of the rows of a Table. */
export interface RowForm {
  readonly resource: ServedResource;
  readonly table: TableDeclaration;
  /** Milliseconds, for ages. */
  readonly now: number;
  readonly representation: Representation;
}

/** A row without its object. */
export function rowHead(table: TableDeclaration, stored: JsonObject, now: number): JsonObject {
  const conditions = table.conditions?.(stored);
  return { cells: [...table.cells(stored, now)], ...(conditions === undefined ? {} : { conditions }) };
}

/** Returns one row. Cells are read from `stored` (see `rowSource`); `served` returns the object for `includeObject=Object`. */
export function tableRow(
  { resource, table, now, representation }: RowForm,
  stored: JsonObject,
  served: () => JsonObject,
): JsonObject {
  return { ...rowHead(table, stored, now), object: rowObject(resource, served, representation) };
}

/** Returns a Table. In a watch, only the first event has `columns`, unless the kind declares otherwise. */
export function tableWith(form: RowForm, metadata: JsonObject, rows: JsonArray | null, columns: boolean): JsonObject {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.representation.metaVersion}`,
    metadata,
    columnDefinitions: columns || form.table.columnsInEachEvent === true ? tableColumns(form.table) : null,
    rows,
  };
}

/** The rows of a Table of an empty list. */
export const noRows = ({ nullWithoutRows }: TableDeclaration): JsonArray | null => (nullWithoutRows ? null : []);

/** A Table of one object. */
export function tableOfOne(form: RowForm, stored: JsonObject, served: () => JsonObject, columns: boolean): JsonObject {
  return { ...tableOfNone(form, stored, columns), rows: [tableRow(form, stored, served)] };
}

/** `tableOfOne` without its row. The rows are its last field. */
export function tableOfNone(form: RowForm, stored: JsonObject, columns: boolean): JsonObject {
  const resourceVersion = textAt(stored, 'metadata', 'resourceVersion');
  const metadata = resourceVersion === '' ? {} : { resourceVersion };
  return tableWith(form, metadata, [], columns);
}

function rowObject(
  resource: ServedResource,
  served: () => JsonObject,
  { includeObject, metaVersion }: Representation,
): JsonValue {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return served();
    case 'Metadata':
      return metadataOnly(resource, served(), metaVersion);
  }
}
