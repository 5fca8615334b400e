import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { numberAt, objectIn, objectsAt, textAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateConditions, validateFlowSchema } from './validation.js';

export const flowSchema: ResourceDeclaration<shapes.FlowcontrolV1FlowSchema> = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'flowschemas',
  singular: 'flowschema',
  kind: 'FlowSchema',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      if (numberAt(spec, 'matchingPrecedence') === 0) spec['matchingPrecedence'] = 1000;
    },
    create: { validate: validateFlowSchema },
    update: { validate: (o, _old, errors) => validateFlowSchema(o, errors) },
    compatibility: { checksUpdateLikeNew: true },
  }),
  subresources: {
    status: statusAlone({ update: { validate: validateConditions } }, { allMetadata: true }),
  },
  table: table(
    [
      column('PriorityLevel', 'The level that its requests go to.'),
      column('MatchingPrecedence', 'Order among schemas, lowest first.'),
      column('DistinguisherMethod', 'How requests are divided into flows.'),
      AGE,
      column('MissingPL', 'Whether the level does not exist.'),
    ],
    (o, now) => [
      textAt(o, 'spec', 'priorityLevelConfiguration', 'name'),
      numberAt(o, 'spec', 'matchingPrecedence'),
      textAt(o, 'spec', 'distinguisherMethod', 'type') || '<none>',
      age(o, now),
      textAt(
        objectsAt(o, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Dangling'),
        'status',
      ) || '?',
    ],
  ),
};
