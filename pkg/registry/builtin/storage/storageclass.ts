import { isObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, nameOf, objectsAt, textAt } from '../access.js';
import { renamedLabel } from '../core/pod/validation/index.js';
import { whenAbsent } from '../defaults.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateStorageClass, validateStorageClassUpdate } from './validation.js';

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const declared = table<shapes.StorageV1StorageClass>(
  [
    column('Provisioner', 'Who makes the volumes.'),
    column('ReclaimPolicy', 'What happens to a volume when its claim is deleted.'),
    column('VolumeBindingMode', 'When claims are bound.'),
    column('AllowVolumeExpansion', 'Whether volumes may grow.'),
    AGE,
  ],
  (o, now) => [
    textAt(o, 'provisioner'),
    textAt(o, 'reclaimPolicy') || 'Delete',
    textAt(o, 'volumeBindingMode') || 'Immediate',
    at(o, 'allowVolumeExpansion') ?? false,
    age(o, now),
  ],
);

export const storageClass: ResourceDeclaration<shapes.StorageV1StorageClass> = {
  group: 'storage.k8s.io',
  resource: 'storageclasses',
  singular: 'storageclass',
  kind: 'StorageClass',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['sc'],
  strategy: {
    compatibility: { checksUpdateLikeNew: true },
    defaults: (o) => {
      whenAbsent(o, 'reclaimPolicy', 'Delete');
      whenAbsent(o, 'volumeBindingMode', 'Immediate');
    },
    create: { validate: validateStorageClass },
    update: { generation: 'none', validate: validateStorageClassUpdate },
    *warn(o, _old, context) {
      for (const [i, topology] of objectsAt(o, 'allowedTopologies').entries()) {
        for (const [j, e] of objectsAt(topology, 'matchLabelExpressions').entries()) {
          const why = renamedLabel(textAt(e, 'key'));
          if (why !== undefined) context.warn(`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${why}`);
          yield;
        }
      }
    },
    deletion: { returnsObject: true },
  },
  table: {
    columns: declared.columns,
    cells: (o, now) => {
      const annotations = at(o, 'metadata', 'annotations');
      const isDefault = isObject(annotations) && DEFAULT_ANNOTATIONS.some((a) => annotations[a] === 'true');
      return [isDefault ? `${nameOf(o)} (default)` : nameOf(o), ...declared.cells(o, now).slice(1)];
    },
  },
};
