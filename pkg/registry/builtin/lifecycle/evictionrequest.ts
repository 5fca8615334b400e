import type { JsonObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { progressOf, targetOf, validateConditions } from './status.js';

export const evictionRequest: ResourceDeclaration<shapes.LifecycleV1alpha1EvictionRequest> = {
  group: 'lifecycle.k8s.io',
  resource: 'evictionrequests',
  singular: 'evictionrequest',
  kind: 'EvictionRequest',
  versions: versions('v1alpha1'),
  storageVersion: 'v1alpha1',
  namespaced: true,
  featureGate: 'EvictionRequestAPI',
  strategy: withStatus({ update: { allowUnconditional: false } }),
  subresources: {
    status: statusAlone({
      update: { allowUnconditional: false, validate: (o, _old, errors) => validateConditions(o as JsonObject, errors) },
    }),
  },
  table: table(
    [
      column('Target', 'What is to be evicted.'),
      column('Target Type', 'The kind of the target.'),
      column('Status', 'Pending, progressing or how it ended.'),
      column('Requester', 'Who requests the eviction.'),
      column('Intent', 'Whether the eviction is still wanted.'),
      AGE,
    ],
    (o, now) => [
      ...targetOf(o as JsonObject),
      progressOf(o as JsonObject),
      textAt(o, 'spec', 'requester'),
      textAt(o, 'spec', 'intent'),
      age(o, now),
    ],
  ),
};
