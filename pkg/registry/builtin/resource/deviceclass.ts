import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { AGE, age, table } from '../table.js';

export const deviceClass: ResourceDeclaration = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  singular: 'deviceclass',
  kind: 'DeviceClass',
  versions: versions('resource', 'v1', 'v1beta2', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: { generation: 'spec' },
  table: table([AGE], (o, now) => [age(o, now)]),
};
