import type { ResourceDeclaration } from '../../resource.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, table } from '../table.js';

export const deviceTaintRule: ResourceDeclaration = {
  group: 'resource.k8s.io',
  resource: 'devicetaintrules',
  singular: 'devicetaintrule',
  kind: 'DeviceTaintRule',
  versions: versions('resource', 'v1', 'v1beta2', 'v1alpha3'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({}),
  subresources: { status: statusSubresource() },
  table: table([AGE], (o, now) => [age(o, now)]),
};
