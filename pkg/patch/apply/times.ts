import { equalJson, getOwn, isObject, type JsonObject } from '../../api/index.js';
import { equalButForTimes, managedFieldsOf, withoutManagedFields } from './managed.js';

/**
 * Restores the live times of managedFields if nothing but those times changed, because such a write is a no-op. Called
 * last, after admission and the strategy; changes the object in place.
 */
export function keepTimesOfNoop(live: JsonObject, object: JsonObject): void {
  const before = managedFieldsOf(live);
  const after = managedFieldsOf(object);
  if (before === undefined || after === undefined || after.length === 0 || !equalButForTimes(before, after)) return;
  const times = after.some((entry, i) => timeOf(entry) !== timeOf(before[i]!));
  if (!times || !equalJson(comparable(live), comparable(object))) return;
  (getOwn(object, 'metadata') as JsonObject)['managedFields'] = before;
}

function timeOf(entry: unknown): unknown {
  return isObject(entry as JsonObject) ? getOwn(entry as JsonObject, 'time') : undefined;
}

/** A request may omit the resource version; it then counts as the live one. */
function comparable(o: JsonObject): JsonObject {
  const rest = withoutManagedFields(o);
  const { resourceVersion: _, ...metadata } = getOwn(rest, 'metadata') as JsonObject;
  return { ...rest, metadata };
}
