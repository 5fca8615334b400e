import { type FieldErrors, FieldPath, goQuote, type JsonObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, objectsAt, textAt } from '../access.js';
import { shown } from '../rules.js';
import { conditionList } from '../status/conditions.js';

/** The conditions that end an eviction, in the order in which errors and Tables name them. */
const VERDICTS = ['TargetEvicted', 'Failed'] as const;

const verdictOf = (o: JsonObject, type: string): JsonObject | undefined =>
  objectsAt(o, 'status', 'conditions').find((c) => textAt(c, 'type') === type && textAt(c, 'status') === 'True');

/** The cell `Status` of evictions and of their requests. */
export function progressOf(o: JsonObject): string {
  for (const type of VERDICTS) {
    const verdict = verdictOf(o, type);
    if (verdict !== undefined) return `${type} (${textAt(verdict, 'reason')})`;
  }
  return at(o, 'status', 'observedGeneration') === undefined ? 'Pending' : 'Progressing';
}

/** The cells `Target` and `Target Type`. */
export const targetOf = (o: JsonObject): readonly [string, string] =>
  at(o, 'spec', 'target', 'pod') === undefined
    ? ['<unset>', '<unset>']
    : [textAt(o, 'spec', 'target', 'pod', 'name'), 'Pod'];

const STATUS = FieldPath.in<shapes.LifecycleV1alpha1Eviction>().child('status');

export function validateConditions(o: JsonObject, errors: FieldErrors): void {
  conditionList(objectsAt(o, 'status', 'conditions'), STATUS.child('conditions'), errors);
}

/**
 * Validates the status of an eviction. kube-apiserver also checks which responder is next in line and that times are those of the request;
 * these rules are for its own controller and are not checked here.
 */
export function validateEvictionStatus(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  validateConditions(o, errors);
  const conditions = objectsAt(o, 'status', 'conditions');
  for (const type of VERDICTS)
    if (verdictOf(old, type) !== undefined && verdictOf(o, type) === undefined)
      errors.invalid(STATUS.child('conditions'), [...conditions], `${type} condition status cannot be reverted`);
  validateResponders(o, errors);
}

function validateResponders(o: JsonObject, errors: FieldErrors): void {
  const targets = objectsAt(o, 'status', 'targetResponders');
  const responders = objectsAt(o, 'status', 'responders');
  const tracked = new Map(responders.map((r) => [textAt(r, 'name'), r]));
  const path = STATUS.child('targetResponders');
  const priority = (t: JsonObject): number => Number(at(t, 'priority') ?? 0);
  const inLine = [...targets.entries()].sort(([, a], [, b]) => priority(b) - priority(a));
  for (const [i, target] of inLine) {
    const name = textAt(target, 'name');
    if (!tracked.has(name))
      errors.invalid(
        path.index(i),
        shown('lifecycle/v1alpha1.TargetResponder', target),
        `${goQuote(name)} has to be tracked in status.responders first`,
      );
    else if (priority(target) >= 0 && priority(target) < 1000 && !name.endsWith('.k8s.io'))
      errors.invalid(
        path.index(i).child('priority'),
        priority(target),
        'priorities 0-999 are reserved for responders with *.k8s.io suffix',
      );
  }
  const names = new Set(targets.map((t) => textAt(t, 'name')));
  const differsInLength = targets.length !== responders.length;
  if (differsInLength || responders.some((r) => !names.has(textAt(r, 'name'))))
    errors.invalid(
      STATUS.child('responders'),
      shown('[]lifecycle/v1alpha1.ResponderStatus', at(o, 'status', 'responders')),
      differsInLength
        ? 'must be the same length as status.targetResponders and contain the same keys'
        : 'must contain the same keys as status.targetResponders',
    );
  const active = new Set(targets.filter((t) => textAt(t, 'state') === 'Active').map((t) => textAt(t, 'name')));
  for (const [i, responder] of responders.entries())
    if (active.has(textAt(responder, 'name')) && at(responder, 'startTime') === undefined)
      errors.required(STATUS.child('responders').index(i).child('startTime'), 'is required for an active responder');
}
