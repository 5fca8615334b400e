import type { ResourceDeclaration } from '../../resource.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, table } from '../table.js';

export const resourcePoolStatusRequest: ResourceDeclaration = {
  group: 'resource.k8s.io',
  resource: 'resourcepoolstatusrequests',
  singular: 'resourcepoolstatusrequest',
  kind: 'ResourcePoolStatusRequest',
  versions: versions('resource', 'v1alpha3'),
  storageVersion: 'v1alpha3',
  namespaced: false,
  strategy: withStatus({ generation: 'none' }),
  subresources: { status: statusSubresource() },
  table: table([AGE], (o, now) => [age(o, now)]),
};
