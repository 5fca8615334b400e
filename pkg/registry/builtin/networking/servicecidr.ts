import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { listAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateServiceCidr, validateServiceCidrUpdate } from './classvalidation.js';

export const serviceCidr: ResourceDeclaration<shapes.NetworkingV1ServiceCIDR> = {
  group: 'networking.k8s.io',
  resource: 'servicecidrs',
  singular: 'servicecidr',
  kind: 'ServiceCIDR',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({
    create: { validate: validateServiceCidr },
    update: { generation: 'none', validate: validateServiceCidrUpdate },
  }),
  subresources: { status: statusAlone() },
  table: table([column('CIDRs', 'Ranges of addresses.'), AGE], (o, now) => [
    listAt(o, 'spec', 'cidrs').map(String).join(','),
    age(o, now),
  ]),
};
