import type { ResourceDeclaration } from '../../resource.js';
import { versions } from '../form.js';

export const limitRange: ResourceDeclaration = {
  group: '',
  resource: 'limitranges',
  singular: 'limitrange',
  kind: 'LimitRange',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['limits'],
  strategy: { generation: 'none' },
};
