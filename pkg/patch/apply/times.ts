import { equalJson, getOwn, isObject, type JsonObject } from '../../api/index.js';
import { equalButForTimes, managedFieldsOf, withoutManagedFields } from './managed.js';

/**
 * Restores the live times of managedFields if nothing but those times changed, because such a write is a no-op. Called
 * last, after admission and the strategy; changes the object in place. Returns what the comparison found.
 */
export function keepTimesOfNoop(live: JsonObject, object: JsonObject): NoopComparison {
  const before = managedFieldsOf(live);
  const after = managedFieldsOf(object);
  if (before === undefined || after === undefined || after.length === 0 || !equalButForTimes(before, after))
    return 'unequal_objects_fast';
  const times = after.some((entry, i) => timeOf(entry) !== timeOf(before[i]!));
  if (!times) return 'unequal_objects_fast';
  if (!equalJson(comparable(live), comparable(object))) return 'unequal_objects_slow';
  (getOwn(object, 'metadata') as JsonObject)['managedFields'] = before;
  return 'equal_objects';
}

/** Fast: the managed fields were enough to decide. The names are those of the metric of kube-apiserver. */
export type NoopComparison = 'equal_objects' | 'unequal_objects_fast' | 'unequal_objects_slow';

function timeOf(entry: unknown): unknown {
  return isObject(entry as JsonObject) ? getOwn(entry as JsonObject, 'time') : undefined;
}

/** A request may omit the resource version; it then counts as the live one. */
function comparable(o: JsonObject): JsonObject {
  const rest = withoutManagedFields(o);
  const { resourceVersion: _, ...metadata } = getOwn(rest, 'metadata') as JsonObject;
  return { ...rest, metadata };
}
