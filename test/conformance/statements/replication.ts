import { condition, LOOSE, rows, type Statement } from './statement.js';

const RC = 'ReplicationController';

export const replicationController: readonly Statement[] = [
  ...rows(
    RC,
    'replicationcontroller',
    'create',
    ['empty labels default to those of the pods', {}, { shows: { 'metadata.labels': { app: 'web' } } }],
    ['given labels stay', { 'metadata.labels': { a: 'b' } }, { shows: { 'metadata.labels': { a: 'b' } } }],
    ['an empty selector defaults to the labels of the template', {}, { shows: { 'spec.selector': { app: 'web' } } }],
    ['replicas default to 1', {}, { shows: { 'spec.replicas': 1 } }],
    ['0 replicas differ from none given', { 'spec.replicas': 0 }, { shows: { 'spec.replicas': 0 } }],
    ['replicas are not negative', { 'spec.replicas': -1 }, 'spec.replicas'],
    ['minReadySeconds is not negative', { 'spec.minReadySeconds': -1 }, 'spec.minReadySeconds'],
    ['minReadySeconds defaults to 0', {}, { shows: { 'spec.minReadySeconds': undefined } }],
    [
      'the restart policy is Always',
      { 'spec.template.spec.restartPolicy': 'Never' },
      'spec.template.spec.restartPolicy',
    ],
    [
      'the selector matches the labels of the template',
      { 'spec.selector': { app: 'other' } },
      'spec.template.metadata.labels',
    ],
    ['the template is required', { 'spec.template': undefined }, 'spec.template'],
    ['a create does not set the status', { status: { replicas: 7 } }, { shows: { 'status.replicas': 0 } }],
  ),
  ...rows(
    RC,
    'replicationcontroller',
    'update',
    ['an update does not set the status', { status: { replicas: 7 } }, { shows: { 'status.replicas': 0 } }],
    ['a change of the spec raises the generation', { 'spec.replicas': 3 }, { shows: { 'metadata.generation': 2 } }],
  ),
  ...rows(
    RC,
    'replicationcontroller',
    'status',
    [
      'the status has counts',
      {
        status: { replicas: 2, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 2, observedGeneration: 1 },
      },
      { shows: { 'status.fullyLabeledReplicas': 2, 'status.observedGeneration': 1 } },
    ],
    ['replicas of the status are not negative', { status: { replicas: -1 } }, 'status.replicas'],
    ['readyReplicas are at most replicas', { status: { replicas: 1, readyReplicas: 2 } }, 'status.readyReplicas'],
    [
      'availableReplicas are at most readyReplicas',
      { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
      'status.availableReplicas',
    ],
    [
      'fullyLabeledReplicas are at most replicas',
      { status: { replicas: 1, fullyLabeledReplicas: 2 } },
      'status.fullyLabeledReplicas',
    ],
    ['a condition is valid', { status: { replicas: 0, conditions: [condition()] } }, 200],
    [
      'a condition has a type',
      { status: { replicas: 0, conditions: [condition({ type: '' })] } },
      { code: 422, field: 'status.conditions[0].type', differs: LOOSE },
    ],
    [
      'the status of a condition is True, False or Unknown',
      { status: { replicas: 0, conditions: [condition({ status: 'Odd' })] } },
      { code: 422, field: 'status.conditions[0].status', differs: LOOSE },
    ],
    [
      'the status does not change the spec',
      { 'spec.replicas': 5, status: { replicas: 1 } },
      { shows: { 'spec.replicas': 1, 'status.replicas': 1 } },
    ],
  ),
  ...rows(RC, 'replicationcontroller', 'strategic', [
    'conditions are merged by type',
    { status: { conditions: [condition({ type: 'Other' })] } },
    {
      below: 'status',
      status: { replicas: 0, conditions: [condition()] },
      shows: { 'status.conditions.0.type': 'Other', 'status.conditions.1.type': 'ReplicaFailure' },
    },
  ]),
  ...rows(RC, 'replicationcontroller', 'get', [
    'has a scale',
    {},
    { below: 'scale', shows: { kind: 'Scale', 'spec.replicas': 1 } },
  ]),
  ...rows(RC, 'replicationcontroller', 'merge', [
    'a patch of the scale sets the replicas',
    { spec: { replicas: 4 } },
    { below: 'scale', shows: { kind: 'Scale', 'spec.replicas': 4 } },
  ]),
  ...rows(RC, 'replicationcontroller', 'list', [
    'a list has its items',
    {},
    { shows: { kind: 'ReplicationControllerList', 'items.0.metadata.name': 'rule' } },
  ]),
];
