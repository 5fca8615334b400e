import { isObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateIngressClass, validateIngressClassUpdate } from './classvalidation.js';

export const ingressClass: ResourceDeclaration<shapes.NetworkingV1IngressClass> = {
  group: 'networking.k8s.io',
  resource: 'ingressclasses',
  singular: 'ingressclass',
  kind: 'IngressClass',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    defaults: (o) => {
      const parameters = at(o, 'spec', 'parameters');
      if (isObject(parameters)) whenAbsent(parameters, 'scope', 'Cluster');
    },
    create: { validate: validateIngressClass },
    update: { generation: 'spec', validate: validateIngressClassUpdate },
    compatibility: { checksUpdateLikeNew: true },
  },
  table: table(
    [
      column('Controller', 'The controller that handles the class.'),
      column('Parameters', 'Configuration for the controller.'),
      AGE,
    ],
    (o, now) => {
      const parameters = at(o, 'spec', 'parameters');
      const group = textAt(parameters, 'apiGroup');
      const kind = textAt(parameters, 'kind');
      return [
        textAt(o, 'spec', 'controller'),
        parameters === undefined
          ? '<none>'
          : `${group === '' ? kind : `${kind}.${group}`}/${textAt(parameters, 'name')}`,
        age(o, now),
      ];
    },
  ),
};
