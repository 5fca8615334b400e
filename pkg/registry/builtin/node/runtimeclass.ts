import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectAt, textAt } from '../access.js';
import { renamedLabel } from '../core/pod/validation/index.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './validation.js';

export const runtimeClass: ResourceDeclaration<shapes.NodeV1RuntimeClass> = {
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  singular: 'runtimeclass',
  kind: 'RuntimeClass',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    compatibility: { checksUpdateLikeNew: true, anyFinalizers: true },
    create: { validate: validateRuntimeClass },
    update: { allowCreate: true, allowUnconditional: false, generation: 'none', validate: validateRuntimeClassUpdate },
    warn: (o, _old, context) => {
      for (const label of Object.keys(objectAt(o, 'scheduling', 'nodeSelector'))) {
        const why = renamedLabel(label);
        if (why !== undefined) context.warn(`scheduling.nodeSelector: ${why}`);
      }
    },
  },
  table: table([column('Handler', 'Runtime configuration on the node.'), AGE], (o, now) => [
    textAt(o, 'handler'),
    age(o, now),
  ]),
};
