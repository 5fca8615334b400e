import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './validation.js';

export const runtimeClass: ResourceDeclaration = {
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  singular: 'runtimeclass',
  kind: 'RuntimeClass',
  versions: versions('node', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    generation: 'none',
    createOnUpdate: true,
  },
  table: table([column('Handler', 'Runtime configuration on the node.'), AGE], (o, now) => [
    textAt(o, 'handler'),
    age(o, now),
  ]),
};
