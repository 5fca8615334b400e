import { type FieldErrors, type FieldPath, isLabelKey, regexSentence, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, numberAt, textAt } from '../access.js';
import { sentences } from '../rules.js';

/** Validation of metav1.Condition: unique types, a transition time, and a reason that is one word. */

const STATUSES = ['False', 'True', 'Unknown'];
const REASON_MAX = 1024;
const MESSAGE_MAX = 32 * 1024;

const REASON = regexSentence(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

const isReason = (v: string): boolean => /^[A-Za-z][A-Za-z0-9_,:]*$/.test(v) && /[A-Za-z0-9_]$/.test(v);

export function conditionReason(reason: string, path: FieldPath, errors: FieldErrors): void {
  if (!isReason(reason)) errors.invalid(path, reason, REASON);
}

export function conditionList(
  list: readonly Shaped<shapes.MetaV1Condition>[],
  path: FieldPath<readonly shapes.MetaV1Condition[]>,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  errors.each(list, (c, i) => {
    const here = path.index(i);
    const type = textAt(c, 'type');
    if (seen.has(type)) errors.duplicate(here, type);
    seen.add(type);
    condition(c, here, errors);
  });
}

function condition(
  c: Shaped<shapes.MetaV1Condition>,
  path: FieldPath<shapes.MetaV1Condition>,
  errors: FieldErrors,
): void {
  const type = textAt(c, 'type');
  if (type === '') errors.required(path.child('type'), 'is required');
  else sentences(type, isLabelKey, path.child('type'), errors);
  const status = textAt(c, 'status');
  if (status === '') errors.required(path.child('status'));
  else if (!STATUSES.includes(status)) errors.notSupported(path.child('status'), status, STATUSES);
  const generation = numberAt(c, 'observedGeneration');
  if (generation < 0)
    errors.invalid(path.child('observedGeneration'), generation, 'must be greater than or equal to zero');
  if ((at(c, 'lastTransitionTime') ?? '') === '') errors.required(path.child('lastTransitionTime'));
  const reason = textAt(c, 'reason');
  if (reason === '') errors.required(path.child('reason'));
  else {
    conditionReason(reason, path.child('reason'), errors);
    if (Buffer.byteLength(reason) > REASON_MAX) errors.tooLong(path.child('reason'), REASON_MAX);
  }
  if (Buffer.byteLength(textAt(c, 'message')) > MESSAGE_MAX) errors.tooLong(path.child('message'), MESSAGE_MAX);
}

/** Validation of conditions of older kinds: each has a type, and types are unique. */
export function typedOnce(
  list: readonly Shaped<shapes.CoreV1ReplicationControllerCondition>[],
  path: FieldPath<
    | readonly shapes.CoreV1ReplicationControllerCondition[]
    | readonly shapes.FlowcontrolV1FlowSchemaCondition[]
    | readonly shapes.FlowcontrolV1PriorityLevelConfigurationCondition[]
  >,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  errors.each(list, (c, i) => {
    const type = textAt(c, 'type');
    const here = path.index(i).child('type');
    if (seen.has(type)) errors.duplicate(here, type);
    seen.add(type);
    if (type === '') errors.required(here);
  });
}
