import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectAt, textAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { storageVersionName, validateStorageVersionStatus } from './validation.js';

export const storageVersion: ResourceDeclaration<shapes.ApiserverinternalV1alpha1StorageVersion> = {
  group: 'internal.apiserver.k8s.io',
  resource: 'storageversions',
  singular: 'storageversion',
  kind: 'StorageVersion',
  versions: versions('v1alpha1'),
  storageVersion: 'v1alpha1',
  namespaced: false,
  strategy: withStatus({
    create: { validateName: storageVersionName },
    update: { allowUnconditional: false, generation: 'none' },
    compatibility: { anyFinalizers: 'update' },
  }),
  subresources: {
    status: statusAlone({
      update: { validate: (o, _old, errors) => validateStorageVersionStatus(objectAt(o, 'status'), errors) },
    }),
  },
  table: table(
    [
      column('CommonEncodingVersion', 'The version that every server stores.'),
      column('StorageVersions', 'The versions that servers store.'),
      AGE,
    ],
    (o, now) => [textAt(o, 'status', 'commonEncodingVersion') || '<unset>', '<unset>', age(o, now)],
  ),
};
