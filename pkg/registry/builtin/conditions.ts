import type { JsonObject } from '../../api/index.js';
import { listAt, textAt } from './access.js';

/** Puts a condition in the place of the one of its type, or last. The time of the last transition moves only with the status. */
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
