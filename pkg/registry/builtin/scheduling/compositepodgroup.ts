import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions, withStatus } from '../form.js';
import { AGE, age, table } from '../table.js';
import { preemptionDefault } from './groups.js';
import { groupStatus } from './groupstatus.js';

export const compositePodGroup: ResourceDeclaration<shapes.SchedulingV1alpha3CompositePodGroup> = {
  group: 'scheduling.k8s.io',
  resource: 'compositepodgroups',
  singular: 'compositepodgroup',
  kind: 'CompositePodGroup',
  versions: versions('v1alpha3'),
  storageVersion: 'v1alpha3',
  namespaced: true,
  featureGate: 'CompositePodGroup',
  strategy: withStatus({
    gatedDefaults: { PodGroupPreemptionPolicy: preemptionDefault },
    update: { allowUnconditional: false, generation: 'none' },
  }),
  subresources: { status: groupStatus },
  table: table([AGE], (o, now) => [age(o, now)]),
};
