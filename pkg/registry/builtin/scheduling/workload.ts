import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { AGE, age, table } from '../table.js';
import { validateWorkload } from './groups.js';

export const workload: ResourceDeclaration<shapes.SchedulingV1beta1Workload> = {
  group: 'scheduling.k8s.io',
  resource: 'workloads',
  singular: 'workload',
  kind: 'Workload',
  versions: versions('v1beta1', 'v1alpha3'),
  storageVersion: 'v1beta1',
  namespaced: true,
  featureGate: 'GenericWorkload',
  strategy: {
    create: { validate: validateWorkload },
    update: { allowUnconditional: false, generation: 'none' },
  },
  table: table([AGE], (o, now) => [age(o, now)]),
};
