import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { AGE, age, table } from '../table.js';

export const resourceClaimTemplate: ResourceDeclaration = {
  group: 'resource.k8s.io',
  resource: 'resourceclaimtemplates',
  singular: 'resourceclaimtemplate',
  kind: 'ResourceClaimTemplate',
  versions: versions('resource', 'v1', 'v1beta2', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: { generation: 'none' },
  table: table([AGE], (o, now) => [age(o, now)]),
};
