import type { ResourceDeclaration } from '../../resource.js';
import { at } from '../access.js';
import { selectorText, versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';

export const networkPolicy: ResourceDeclaration = {
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  singular: 'networkpolicy',
  kind: 'NetworkPolicy',
  versions: versions('networking', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['netpol'],
  strategy: { generation: 'spec' },
  table: table([column('Pod-Selector', 'Labels of the pods that it is for.'), AGE], (o, now) => [
    selectorText(at(o, 'spec', 'podSelector')) || '<none>',
    age(o, now),
  ]),
};
