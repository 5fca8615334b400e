import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { boolAt, numberAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { isSystemClass, validatePriorityClass, validatePriorityClassUpdate } from './validation.js';

export const priorityClass: ResourceDeclaration<shapes.SchedulingV1PriorityClass> = {
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  singular: 'priorityclass',
  kind: 'PriorityClass',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['pc'],
  strategy: {
    defaults: (o) => whenAbsent(o, 'preemptionPolicy', 'PreemptLowerPriority'),
    create: { validate: validatePriorityClass },
    update: { generation: 'spec', validate: validatePriorityClassUpdate },
    deletion: {
      refuse: (name) => (isSystemClass(name) ? 'this is a system priority class and cannot be deleted' : undefined),
    },
  },
  table: table(
    [
      column('Value', 'Priority of pods of the class.', { type: 'integer' }),
      column('Global-Default', 'Whether pods without a class get this one.', { type: 'boolean' }),
      AGE,
      column('PreemptionPolicy', 'Whether pods of the class may displace others.'),
    ],
    (o, now) => [numberAt(o, 'value'), boolAt(o, 'globalDefault'), age(o, now), textAt(o, 'preemptionPolicy')],
  ),
};
