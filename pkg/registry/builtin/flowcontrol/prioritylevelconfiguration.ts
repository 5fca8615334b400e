import { isObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateConditions, validatePriorityLevel } from './validation.js';

/** Defaults of a level that queues. */
const QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 } as const;
const QUEUING_FIELDS = ['queues', 'handSize', 'queueLengthLimit'] as const;

export const priorityLevelConfiguration: ResourceDeclaration<shapes.FlowcontrolV1PriorityLevelConfiguration> = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'prioritylevelconfigurations',
  singular: 'prioritylevelconfiguration',
  kind: 'PriorityLevelConfiguration',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({
    compatibility: { checksUpdateLikeNew: true },
    defaults: (o) => {
      const exempt = at(o, 'spec', 'exempt');
      if (isObject(exempt)) {
        whenAbsent(exempt, 'nominalConcurrencyShares', 0);
        whenAbsent(exempt, 'lendablePercent', 0);
      }
      const limited = at(o, 'spec', 'limited');
      if (!isObject(limited)) return;
      whenAbsent(limited, 'nominalConcurrencyShares', 30);
      whenAbsent(limited, 'lendablePercent', 0);
      const queuing = at(limited, 'limitResponse', 'queuing');
      if (!isObject(queuing)) return;
      for (const field of QUEUING_FIELDS) if (numberAt(queuing, field) === 0) queuing[field] = QUEUING[field];
    },
    create: { validate: validatePriorityLevel },
    update: { validate: (o, _old, errors) => validatePriorityLevel(o, errors) },
  }),
  subresources: {
    status: statusAlone(
      { compatibility: { anyFinalizers: true }, update: { validate: validateConditions } },
      { allMetadata: true },
    ),
  },
  table: table(
    [
      column('Type', 'Exempt or limited.'),
      column('NominalConcurrencyShares', 'Share of the seats.'),
      column('Queues', 'Number of queues.'),
      column('HandSize', 'Queues that a flow is dealt.'),
      column('QueueLengthLimit', 'Requests that may wait in a queue.'),
      AGE,
    ],
    (o, now) => {
      const queuing = at(o, 'spec', 'limited', 'limitResponse', 'queuing');
      const number = (v: ReturnType<typeof at>) => v ?? '<none>';
      return [
        textAt(o, 'spec', 'type'),
        number(at(o, 'spec', 'limited', 'nominalConcurrencyShares')),
        number(at(queuing, 'queues')),
        number(at(queuing, 'handSize')),
        number(at(queuing, 'queueLengthLimit')),
        age(o, now),
      ];
    },
  ),
};
