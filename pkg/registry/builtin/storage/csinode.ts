import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { listAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateCsiNode, validateCsiNodeStatus, validateCsiNodeUpdate } from './validation.js';

export const csiNode: ResourceDeclaration<shapes.StorageV1CSINode> = {
  group: 'storage.k8s.io',
  resource: 'csinodes',
  singular: 'csinode',
  kind: 'CSINode',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({
    compatibility: { checksUpdateLikeNew: true },
    create: { validate: validateCsiNode },
    update: { allowUnconditional: false, generation: 'none', validate: validateCsiNodeUpdate },
    deletion: { returnsObject: true },
  }),
  subresources: {
    status: statusAlone({ update: { validate: validateCsiNodeStatus } }),
  },
  table: table([column('Drivers', 'Number of drivers on the node.', { type: 'integer' }), AGE], (o, now) => [
    listAt(o, 'spec', 'drivers').length,
    age(o, now),
  ]),
};
