import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, table } from '../table.js';

export const compositePodGroup: ResourceDeclaration<shapes.SchedulingV1alpha3CompositePodGroup> = {
  group: 'scheduling.k8s.io',
  resource: 'compositepodgroups',
  singular: 'compositepodgroup',
  kind: 'CompositePodGroup',
  versions: versions('v1alpha3'),
  storageVersion: 'v1alpha3',
  namespaced: true,
  featureGate: 'CompositePodGroup',
  strategy: withStatus({}),
  subresources: { status: statusSubresource() },
  table: table([AGE], (o, now) => [age(o, now)]),
};
