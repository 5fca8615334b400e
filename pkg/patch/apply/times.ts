import { equalJson, getOwn, isObject, type JsonObject } from '../../api/index.js';
import { equalButForTimes, managedFieldsOf, withoutManagedFields } from './managed.js';

/**
 * Puts the live times back into an object whose entries differ from the live ones in times alone and which is otherwise the
 * same: such a write is none. To be called last, when admission and the strategy are done with the object; changes it in place.
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

/** A request need not name the resource version; it counts as the live one. */
function comparable(o: JsonObject): JsonObject {
  const rest = withoutManagedFields(o);
  const { resourceVersion: _, ...metadata } = getOwn(rest, 'metadata') as JsonObject;
  return { ...rest, metadata };
}
