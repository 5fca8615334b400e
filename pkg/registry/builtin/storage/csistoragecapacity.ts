import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';
import { NAME_AND_CREATION } from '../table.js';
import { validateCapacity, validateCapacityUpdate } from './validation.js';

export const csiStorageCapacity: ResourceDeclaration<shapes.StorageV1CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  resource: 'csistoragecapacities',
  singular: 'csistoragecapacity',
  kind: 'CSIStorageCapacity',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    create: { validate: (o, errors) => validateCapacity(o, errors) },
    update: { allowUnconditional: false, generation: 'none', validate: validateCapacityUpdate },
    compatibility: { checksUpdateLikeNew: true },
  },
  table: NAME_AND_CREATION,
};
