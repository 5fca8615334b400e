import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from './limitvalidation.js';

export const resourceQuota: ResourceDeclaration<shapes.CoreV1ResourceQuota> = {
  group: '',
  resource: 'resourcequotas',
  singular: 'resourcequota',
  kind: 'ResourceQuota',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['quota'],
  strategy: withStatus({
    create: { validate: validateQuota },
    update: { generation: 'none', validate: validateQuotaUpdate },
    deletion: { returnsObject: true },
  }),
  subresources: {
    status: statusSubresource({ update: { validate: validateQuotaStatus } }),
  },
  table: table(
    [column('Request', 'Requests used and allowed.'), column('Limit', 'Limits used and allowed.'), AGE],
    (o, now) => [
      used(o, (name) => !name.startsWith('limits.')),
      used(o, (name) => name.startsWith('limits.')),
      age(o, now),
    ],
  ),
};

function used(o: Shaped<shapes.CoreV1ResourceQuota>, wanted: (name: string) => boolean): string {
  return Object.keys(objectAt(o, 'status', 'hard'))
    .filter(wanted)
    .sort()
    .map((name) => `${name}: ${String(at(o, 'status', 'used', name) ?? '0')}/${String(at(o, 'status', 'hard', name))}`)
    .join(', ');
}
