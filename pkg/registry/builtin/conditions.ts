import type { JsonObject } from '../../api/index.js';
import { listAt, textAt } from './access.js';

/** Replaces the condition of the same type or appends it. lastTransitionTime changes only with the status. */
export function putCondition(status: JsonObject, condition: JsonObject): void {
  const all = [...listAt(status, 'conditions')];
  const i = all.findIndex((c) => textAt(c, 'type') === condition['type']);
  const old = all[i];
  if (old === undefined) all.push(condition);
  else {
    const stays = textAt(old, 'status') === condition['status'] && textAt(old, 'lastTransitionTime') !== '';
    all[i] = stays ? { ...condition, lastTransitionTime: textAt(old, 'lastTransitionTime') } : condition;
  }
  status['conditions'] = all;
}
