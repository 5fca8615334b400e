import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions, withStatus } from '../form.js';
import { AGE, age, table } from '../table.js';
import { preemptionDefault, validatePodGroup } from './groups.js';
import { groupStatus } from './groupstatus.js';

export const podGroup: ResourceDeclaration<shapes.SchedulingV1beta1PodGroup> = {
  group: 'scheduling.k8s.io',
  resource: 'podgroups',
  singular: 'podgroup',
  kind: 'PodGroup',
  versions: versions('v1beta1', 'v1alpha3'),
  storageVersion: 'v1beta1',
  namespaced: true,
  featureGate: 'GenericWorkload',
  strategy: withStatus({
    gatedDefaults: { PodGroupPreemptionPolicy: preemptionDefault },
    create: { validate: validatePodGroup },
    update: { allowUnconditional: false, generation: 'none', validate: () => {} },
  }),
  subresources: { status: groupStatus },
  table: table([AGE], (o, now) => [age(o, now)]),
};
