import { migrated, rows, type Statement } from './statement.js';

const SVM = 'StorageVersionMigration';
export const migration: readonly Statement[] = [
  ...rows(
    SVM,
    'migration',
    'create',
    ['the resource is required', { 'spec.resource.resource': undefined }, 'spec.resource.resource'],
    ['the group may be empty', { 'spec.resource.group': undefined, 'spec.resource.resource': 'pods' }, 201],
    [
      'a create does not set the status',
      { status: { resourceVersion: '5' } },
      { shows: { 'status.resourceVersion': undefined } },
    ],
  ),
  ...rows(SVM, 'migration', 'update', ['the resource does not change', { 'spec.resource.resource': 'others' }, 'spec']),
  ...rows(
    SVM,
    'migration',
    'status',
    ['a condition is valid', { status: { conditions: [migrated()] } }, 200],
    ['a condition has a type', { status: { conditions: [migrated({ type: '' })] } }, 'status.conditions[0].type'],
    [
      'the status of a condition is True, False or Unknown',
      { status: { conditions: [migrated({ status: 'Odd' })] } },
      'status.conditions[0].status',
    ],
    ['a condition has a reason', { status: { conditions: [migrated({ reason: '' })] } }, 'status.conditions[0].reason'],
    [
      'a condition has a time',
      { status: { conditions: [migrated({ lastTransitionTime: null as never })] } },
      'status.conditions[0].lastTransitionTime',
    ],
    ['a resource version is a number', { status: { resourceVersion: 'x' } }, 'status.resourceVersion'],
    [
      'a migration does not succeed and fail',
      { status: { conditions: [migrated({ type: 'Succeeded' }), migrated({ type: 'Failed' })] } },
      'status.conditions',
    ],
    [
      'the resource version is set once',
      { 'status.resourceVersion': '6' },
      { code: 422, field: 'status.resourceVersion', status: { resourceVersion: '5' } },
    ],
    [
      'a success stays',
      { 'status.conditions': [] },
      { code: 422, field: 'status.conditions', status: { conditions: [migrated({ type: 'Succeeded' })] } },
    ],
  ),
  ...rows(SVM, 'migration', 'strategic', [
    'conditions are merged by type',
    { status: { conditions: [migrated({ type: 'Other' })] } },
    {
      below: 'status',
      status: { conditions: [migrated()] },
      shows: { 'status.conditions.0.type': 'Other', 'status.conditions.1.type': 'Running' },
    },
  ]),
];
