import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, table } from '../table.js';

export const evictionRecord: ResourceDeclaration<shapes.LifecycleV1alpha1Eviction> = {
  group: 'lifecycle.k8s.io',
  resource: 'evictions',
  singular: 'eviction',
  kind: 'Eviction',
  versions: versions('v1alpha1'),
  storageVersion: 'v1alpha1',
  namespaced: true,
  featureGate: 'EvictionRequestAPI',
  strategy: withStatus({}),
  subresources: { status: statusAlone() },
  table: table([AGE], (o, now) => [age(o, now)]),
};
