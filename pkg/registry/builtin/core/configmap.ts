import type { ResourceDeclaration } from '../../resource.js';
import { objectAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';

export const configMap: ResourceDeclaration = {
  group: '',
  resource: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['cm'],
  strategy: { generation: 'none' },
  table: table([column('Data', 'Number of keys, text and binary.'), AGE], (o, now) => [
    String(Object.keys(objectAt(o, 'data')).length + Object.keys(objectAt(o, 'binaryData')).length),
    age(o, now),
  ]),
};
