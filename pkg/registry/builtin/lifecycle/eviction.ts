import type { FieldName, JsonObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, humanDuration, since, table, wide } from '../table.js';
import { progressOf, targetOf, validateEvictionStatus } from './status.js';

export const evictionRecord: ResourceDeclaration<shapes.LifecycleV1alpha1Eviction> = {
  group: 'lifecycle.k8s.io',
  resource: 'evictions',
  singular: 'eviction',
  kind: 'Eviction',
  versions: versions('v1alpha1'),
  storageVersion: 'v1alpha1',
  namespaced: true,
  featureGate: 'EvictionRequestAPI',
  strategy: withStatus({ update: { allowUnconditional: false } }),
  subresources: {
    status: statusAlone({
      update: {
        allowUnconditional: false,
        validate: (o, old, errors) => validateEvictionStatus(o as JsonObject, old as JsonObject, errors),
      },
    }),
  },
  table: table(
    [
      column('Target', 'What is to be evicted.'),
      column('Target Type', 'The kind of the target.'),
      column('Status', 'Pending, progressing or how it ended.'),
      column('Active Responder', 'The responder that works on it, and its place among all.'),
      column('Responder Status', 'What that responder has reported.'),
      column('Responder Expected Finish', 'When that responder expects to be done.'),
      column('Requesters', 'Who requests the eviction.'),
      AGE,
      wide('Responder Heartbeat', 'When that responder last reported.'),
      wide('Responder Status Message', 'The message of that responder.'),
    ],
    (o, now) => {
      const targets = objectsAt(o, 'status', 'targetResponders');
      const place = targets.findIndex((t) => textAt(t, 'state') === 'Active');
      const name = textAt(targets[place], 'name');
      const responder = objectsAt(o, 'status', 'responders').find((r) => place >= 0 && textAt(r, 'name') === name);
      const ago = (field: FieldName<shapes.LifecycleV1alpha1ResponderStatus>): string | undefined =>
        textAt(responder, field) === '' ? undefined : `${since(textAt(responder, field), now)} ago`;
      const started = ago('startTime');
      const expected = textAt(responder, 'expectedCompletionTime');
      const requesters = objectsAt(o, 'status', 'requesters').filter((r) => textAt(r, 'intent') === 'Eviction');
      const more = requesters.length > 1 ? ` + ${requesters.length - 1} more...` : '';
      return [
        ...targetOf(o as JsonObject),
        progressOf(o as JsonObject),
        `${name || '<unset>'} (${place + 1}/${targets.length})`,
        started === undefined ? '<unset>' : `Started (${started})`,
        expected === '' ? '<unknown>' : `in ${humanDuration(Math.max(0, Date.parse(expected) - now))}`,
        requesters.length === 0 ? '<none>' : `${textAt(requesters[0], 'name')}${more}`,
        age(o, now),
        ago('heartbeatTime') ?? '<unset>',
        textAt(responder, 'message') || '<unset>',
      ];
    },
  ),
};
