import { errors } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { column, table } from '../table.js';

/** The health of components as objects, which are not stored. Deprecated upstream since 1.19 and kept for old clients. */
export const componentStatus: ResourceDeclaration<shapes.CoreV1ComponentStatus> = {
  group: '',
  resource: 'componentstatuses',
  singular: 'componentstatus',
  kind: 'ComponentStatus',
  deprecated: 'v1.19+',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['cs'],
  verbs: ['get', 'list'],
  strategy: {},
  virtual: async (request) => {
    if (request.verb === 'list') return { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: [] };
    throw errors.notFound({ group: '', resource: 'componentstatuses' }, request.name);
  },
  table: table(
    [
      column('Status', 'Healthy or not.'),
      column('Message', 'What the component says.'),
      column('Error', 'What went wrong.'),
    ],
    (o) => {
      const healthy = objectsAt(o, 'conditions').find((c) => textAt(c, 'type') === 'Healthy');
      return [
        textAt(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy',
        textAt(healthy, 'message'),
        textAt(healthy, 'error'),
      ];
    },
  ),
};
