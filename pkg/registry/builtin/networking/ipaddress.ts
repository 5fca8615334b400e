import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { age, column, table } from '../table.js';
import { ipName, validateIpAddress, validateIpAddressUpdate } from './classvalidation.js';

export const ipAddress: ResourceDeclaration<shapes.NetworkingV1IPAddress> = {
  group: 'networking.k8s.io',
  resource: 'ipaddresses',
  singular: 'ipaddress',
  kind: 'IPAddress',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['ip'],
  strategy: {
    compatibility: { checksUpdateLikeNew: true },
    create: { keepsGenerateName: true, validateName: ipName, validate: validateIpAddress },
    update: { generation: 'none', validate: validateIpAddressUpdate },
  },
  table: table([column('ParentRef', 'The object that the address belongs to.')], (o, now) => {
    const ref = objectAt(o, 'spec', 'parentRef');
    if (at(o, 'spec', 'parentRef') === undefined) return ['<none>', age(o, now)];
    const group = textAt(ref, 'group');
    const namespace = textAt(ref, 'namespace');
    const resource = textAt(ref, 'resource');
    const parent = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
    // There is a cell for the age, but no column.
    return [[parent, namespace, textAt(ref, 'name')].filter((p) => p !== '').join('/'), age(o, now)];
  }),
};
