import type { ResourceDeclaration } from '../../resource.js';
import { at, textAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';

export const priorityLevelConfiguration: ResourceDeclaration = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'prioritylevelconfigurations',
  singular: 'prioritylevelconfiguration',
  kind: 'PriorityLevelConfiguration',
  versions: versions('flowcontrol', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({}),
  subresources: { status: statusSubresource() },
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
      const number = (v: ReturnType<typeof at>) => (v === undefined ? '<none>' : String(v));
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
