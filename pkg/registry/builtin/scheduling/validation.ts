import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, numberAt, textAt } from '../access.js';
import { oneOf } from '../rules.js';

/** Higher values are reserved for system classes. */
const USER_PRIORITY_MAX = 1_000_000_000;
const POLICIES = ['PreemptLowerPriority', 'Never'];
const SYSTEM: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export const isSystemClass = (name: string): boolean => Object.hasOwn(SYSTEM, name);

export function validatePriorityClass(o: Shaped<shapes.SchedulingV1PriorityClass>, errors: FieldErrors): void {
  const name = textAt(o, 'metadata', 'name');
  const value = numberAt(o, 'value');
  if (name.startsWith('system-') && SYSTEM[name] !== value)
    errors.forbidden(
      FieldPath.in<shapes.SchedulingV1PriorityClass>().child('metadata', 'name'),
      "priority class names with 'system-' prefix are reserved for system use only. error: " +
        `${name} is not a known system priority class`,
    );
  else if (!name.startsWith('system-') && value > USER_PRIORITY_MAX)
    errors.forbidden(
      FieldPath.in<shapes.SchedulingV1PriorityClass>().child('value'),
      `maximum allowed value of a user defined priority is ${USER_PRIORITY_MAX}`,
    );
  const policy = at(o, 'preemptionPolicy');
  if (typeof policy === 'string')
    oneOf(policy, FieldPath.in<shapes.SchedulingV1PriorityClass>().child('preemptionPolicy'), POLICIES, errors);
}

export function validatePriorityClassUpdate(
  o: Shaped<shapes.SchedulingV1PriorityClass>,
  old: Shaped<shapes.SchedulingV1PriorityClass>,
  errors: FieldErrors,
): void {
  if (numberAt(o, 'value') !== numberAt(old, 'value'))
    errors.forbidden(
      FieldPath.in<shapes.SchedulingV1PriorityClass>().child('value'),
      'may not be changed in an update.',
    );
  if (textAt(o, 'preemptionPolicy') !== textAt(old, 'preemptionPolicy'))
    errors.invalid(
      FieldPath.in<shapes.SchedulingV1PriorityClass>().child('preemptionPolicy'),
      textAt(o, 'preemptionPolicy'),
      'field is immutable',
    );
}
