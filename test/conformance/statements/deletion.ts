import type { Changes } from '../resourceobjects.js';
import { rows, type Statement } from './statement.js';

const FINALIZER: Changes = { 'metadata.finalizers': ['example.com/f'] };
export const deletion: readonly Statement[] = [
  ...rows(
    'Deletion',
    'ingressclass',
    'delete',
    ['a completed one answers 200 with a Status', {}, { shows: { kind: 'Status', status: 'Success' } }],
    [
      'a pending one answers with the object',
      {},
      { given: FINALIZER, shows: { kind: 'IngressClass', 'metadata.finalizers.0': 'example.com/f' } },
    ],
    [
      'a pending one of a foreground deletion answers with the object',
      { propagationPolicy: 'Foreground' },
      { given: FINALIZER, shows: { kind: 'IngressClass', 'metadata.finalizers.1': 'foregroundDeletion' } },
    ],
    ['one with a wrong uid conflicts', { preconditions: { uid: 'x' } }, { code: 409 }],
    ['a dry run deletes nothing', { dryRun: ['All'] }, { shows: { kind: 'Status', status: 'Success' } }],
  ),
  ...rows('Deletion', 'endpointslice', 'delete', ['a slice is deleted', {}, { shows: { kind: 'Status' } }]),
  ...rows('Deletion', 'replicationcontroller', 'delete', [
    'a controller is deleted',
    { propagationPolicy: 'Background' },
    { shows: { kind: 'Status' } },
  ]),
  ...rows('Deletion', 'deviceclass', 'delete', [
    'a class is deleted and shown',
    {},
    { shows: { kind: 'DeviceClass' } },
  ]),
];
