import { formatTime, type JsonObject, objectsAt, textAt } from '../api/index.js';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(o: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(o, 'status', 'conditions').find((c) => textAt(c, 'type') === type);
}

export const isTrue = (o: JsonObject, type: string): boolean => textAt(conditionOf(o, type), 'status') === 'True';

/**
 * The conditions of an object with one of them set. `lastTransitionTime` changes with the status only. Returns the same
 * list if nothing changes.
 */
export function withCondition(o: JsonObject, condition: Condition, now: number): readonly JsonObject[] {
  const present = objectsAt(o, 'status', 'conditions');
  const old = present.find((c) => textAt(c, 'type') === condition.type);
  const same = (field: 'status' | 'reason' | 'message'): boolean => textAt(old, field) === condition[field];
  if (old !== undefined && same('status') && same('reason') && same('message')) return present;
  const lastTransitionTime = old !== undefined && same('status') ? textAt(old, 'lastTransitionTime') : formatTime(now);
  const made: JsonObject = { ...old, ...condition, lastTransitionTime };
  return old === undefined ? [...present, made] : present.map((c) => (c === old ? made : c));
}
