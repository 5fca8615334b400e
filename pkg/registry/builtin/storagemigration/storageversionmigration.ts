import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { column, table } from '../table.js';

export const storageVersionMigration: ResourceDeclaration = {
  group: 'storagemigration.k8s.io',
  resource: 'storageversionmigrations',
  singular: 'storageversionmigration',
  kind: 'StorageVersionMigration',
  versions: versions('storagemigration', 'v1', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['svm'],
  strategy: withStatus({}),
  subresources: { status: statusSubresource() },
  table: table([column('Resource', 'The resource that is migrated.')], (o) => {
    const group = textAt(o, 'spec', 'resource', 'group');
    const resource = textAt(o, 'spec', 'resource', 'resource');
    return [group === '' ? resource : `${resource}.${group}`];
  }),
};
