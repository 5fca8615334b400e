import type { ResourceDeclaration } from '../../resource.js';
import { boolAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';

export const resourceSlice: ResourceDeclaration = {
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  singular: 'resourceslice',
  kind: 'ResourceSlice',
  versions: versions('resource', 'v1', 'v1beta2', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: { generation: 'spec' },
  selectableFields: {
    'spec.nodeName': (o) => textAt(o, 'spec', 'nodeName'),
    'spec.driver': (o) => textAt(o, 'spec', 'driver'),
  },
  table: table(
    [
      column('Node', 'The node that has the devices.'),
      column('Driver', 'The driver that reports them.'),
      column('Pool', 'The pool that they belong to.'),
      AGE,
    ],
    (o, now) => [
      boolAt(o, 'spec', 'allNodes') ? '<all>' : textAt(o, 'spec', 'nodeName') || '<unset>',
      textAt(o, 'spec', 'driver'),
      textAt(o, 'spec', 'pool', 'name'),
      age(o, now),
    ],
  ),
};
