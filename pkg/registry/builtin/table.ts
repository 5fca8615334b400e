import type { AnyFields, JsonObject, JsonValue, Value } from '../../api/index.js';
import type { shapes } from '../../schema/index.js';
import type { TableColumn, TableDeclaration } from '../resource.js';
import { at, nameOf, numberAt, objectsAt, textAt } from './access.js';

/** Columns and cells as `kubectl get` shows them. The first column is always the name. */

const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique among its kind in its namespace.',
  priority: 0,
};

export function column(
  name: string,
  description: string,
  more: Partial<Omit<TableColumn, 'name' | 'description'>> = {},
): TableColumn {
  return { name, description, type: 'string', priority: 0, ...more };
}

/** A column shown with `-o wide` only. */
export function wide(name: string, description: string): TableColumn {
  return column(name, description, { priority: 1 });
}

export const AGE: TableColumn = column('Age', 'Time since the object was created.');

/** A table whose first column is the name; `cells` gives the others. */
export function table<T = AnyFields>(
  columns: readonly TableColumn[],
  cells: TableDeclaration<NoInfer<T>>['cells'],
): TableDeclaration<T> {
  return { columns: [NAME, ...columns], cells: (o, now) => [nameOf(o), ...cells(o, now)] };
}

/** The time of creation in a row of an object that has none, such as a bookmark. */
export const ZERO_TIME = '0001-01-01T00:00:00Z';

/** The default columns: name and creation time. */
export const NAME_AND_CREATION: TableDeclaration = {
  ...table([column('Created At', 'Time at which the object was created.', { type: 'date' })], (o) => [
    textAt(o, 'metadata', 'creationTimestamp') || ZERO_TIME,
  ]),
  nullWithoutRows: true,
};

/** Time since an RFC 3339 timestamp in the short human form; `<unknown>` when there is none. */
export function since(timestamp: JsonValue | undefined, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

export const age = (o: JsonObject, now: number): string => since(textAt(o, 'metadata', 'creationTimestamp'), now);

/**
 * A duration as the command line shows it: two units while small (`5m30s`, `3h5m`, `2d4h`), one when large. The steps are
 * those that users of `kubectl get` know.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (days < 365 * 8) return pair(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** Names and images of a pod template's containers, comma separated. */
export function containersAndImages(
  podSpecOwner: Value<shapes.CoreV1PodTemplateSpec> | undefined,
): readonly [string, string] {
  const containers = objectsAt(podSpecOwner, 'spec', 'containers');
  return [containers.map((c) => textAt(c, 'name')).join(','), containers.map((c) => textAt(c, 'image')).join(',')];
}

/** The table of a replica controller: desired, current and ready. `selector` formats its selector as text. */
export function replicaTable(selector: (o: JsonObject) => string): TableDeclaration {
  return table(
    [
      column('Desired', 'Pods that are wanted.', { type: 'integer' }),
      column('Current', 'Pods that exist.', { type: 'integer' }),
      column('Ready', 'Pods that are ready.', { type: 'integer' }),
      AGE,
      wide('Containers', 'Names of the containers.'),
      wide('Images', 'Images of the containers.'),
      wide('Selector', 'Labels of the pods that are counted.'),
    ],
    (o, now) => [
      numberAt(o, 'spec', 'replicas'),
      numberAt(o, 'status', 'replicas'),
      numberAt(o, 'status', 'readyReplicas'),
      age(o, now),
      ...containersAndImages(at(o, 'spec', 'template')),
      selector(o),
    ],
  );
}
