import { at, isObject, type JsonObject, type JsonValue, objectsAt, parseTime, textAt } from '../../api/index.js';
import { jsonText } from '../../codec/index.js';
import { since } from '../builtin/table.js';
import type { TableColumn, TableDeclaration } from '../resource.js';
import { compileJsonPath, type JsonPath } from './jsonpath.js';

/** The name column, with the description that kube-apiserver uses for resources without descriptions. */
export const NAME_COLUMN: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};

export const CREATION_TIME =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

interface Cell {
  readonly type: string;
  readonly path: JsonPath;
}

/** Returns the columns of a version: the name and the `additionalPrinterColumns`; name and age if there are none. */
export function printerColumns(version: JsonObject): TableDeclaration {
  const declared = objectsAt(version, 'additionalPrinterColumns');
  const age = { name: 'Age', type: 'date', description: CREATION_TIME, jsonPath: '.metadata.creationTimestamp' };
  const given: readonly JsonObject[] = declared.length === 0 ? [age] : declared;
  const cells: Cell[] = [];
  for (const c of given) {
    const path = compileJsonPath(textAt(c, 'jsonPath'));
    // A path that cannot be read leaves the name alone.
    if (path === undefined) return { columns: [NAME_COLUMN], cells: (o) => [textAt(o, 'metadata', 'name')] };
    cells.push({ type: textAt(c, 'type'), path });
  }
  return {
    columns: [NAME_COLUMN, ...given.map(columnOf)],
    cells: (o, now) => [textAt(o, 'metadata', 'name'), ...cells.map((c) => cell(o, c, now))],
  };
}

function columnOf(c: JsonObject): TableColumn {
  const path = textAt(c, 'jsonPath');
  const priority = at(c, 'priority');
  return {
    name: textAt(c, 'name'),
    type: textAt(c, 'type') as TableColumn['type'],
    format: textAt(c, 'format'),
    description: textAt(c, 'description') || `Custom resource definition column (in JSONPath format): ${path}`,
    priority: typeof priority === 'number' ? priority : 0,
  };
}

function cell(o: JsonObject, { type, path }: Cell, now: number): JsonValue {
  // Of several values kube-apiserver shows the first.
  const value = path(o)?.[0];
  if (value === undefined) return null;
  if (value === null) return type === 'string' ? '<no value>' : null;
  switch (type) {
    case 'string':
      return printed(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value !== 'string' ? null : parseTime(value) === undefined ? '<invalid>' : since(value, now);
    default:
      return null;
  }
}

const printed = (v: JsonValue): string =>
  typeof v === 'string' ? v : isObject(v) || Array.isArray(v) ? jsonText(v) : String(v);
