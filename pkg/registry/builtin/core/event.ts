import { type JsonObject, type JsonValue, pathSegmentName, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, textAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { column, since, wide } from '../table.js';
import { validateEvent, validateEventUpdate } from './eventvalidation.js';

/** Events are one stored kind in two groups. The core form is stored; `events.k8s.io` renames its fields. */
export const event = ({ eventSeconds }: ClusterConfig): ResourceDeclaration<shapes.CoreV1Event> => ({
  group: '',
  resource: 'events',
  singular: 'event',
  kind: 'Event',
  versions: [
    { version: 'v1' },
    {
      group: 'events.k8s.io',
      version: 'v1',
      toStorage,
      fromStorage,
      fieldLabels: {
        reason: 'reason',
        type: 'type',
        reportingController: 'reportingComponent',
        'regarding.kind': 'involvedObject.kind',
        'regarding.namespace': 'involvedObject.namespace',
        'regarding.name': 'involvedObject.name',
        'regarding.uid': 'involvedObject.uid',
        'regarding.apiVersion': 'involvedObject.apiVersion',
        'regarding.resourceVersion': 'involvedObject.resourceVersion',
        'regarding.fieldPath': 'involvedObject.fieldPath',
      },
    },
  ],
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['ev'],
  strategy: {
    create: { validateName: pathSegmentName, validate: validateEvent, metaLast: true },
    update: { allowCreate: true, generation: 'none', validate: validateEventUpdate },
    // As in kube-apiserver, 0 seconds means that events are kept.
    storage: eventSeconds === 0 ? {} : { ttlSeconds: eventSeconds },
    deletion: { propagation: 'Unsupported' },
    compatibility: { anyFinalizers: true, uncached: true },
  },
  selectableFields: {
    'involvedObject.kind': (o) => textAt(o, 'involvedObject', 'kind'),
    'involvedObject.namespace': (o) => textAt(o, 'involvedObject', 'namespace'),
    'involvedObject.name': (o) => textAt(o, 'involvedObject', 'name'),
    'involvedObject.uid': (o) => textAt(o, 'involvedObject', 'uid'),
    'involvedObject.apiVersion': (o) => textAt(o, 'involvedObject', 'apiVersion'),
    'involvedObject.resourceVersion': (o) => textAt(o, 'involvedObject', 'resourceVersion'),
    'involvedObject.fieldPath': (o) => textAt(o, 'involvedObject', 'fieldPath'),
    reason: (o) => textAt(o, 'reason'),
    reportingComponent: (o) => textAt(o, 'reportingComponent'),
    source: (o) => textAt(o, 'source', 'component') || textAt(o, 'reportingComponent'),
    type: (o) => textAt(o, 'type'),
  },
  table: {
    columns: [
      column('Last Seen', 'Time since the event was last seen.'),
      column('Type', 'Normal or Warning; more may come.'),
      column('Reason', 'Short machine-readable cause.'),
      column('Object', 'The object that the event is about.'),
      wide('Subobject', 'The part of the object that the event is about.'),
      wide('Source', 'Component and host that reported it.'),
      column('Message', 'What happened, for people.'),
      wide('First Seen', 'Time since the event was first seen.'),
      wide('Count', 'How often it was seen.'),
      column('Name', 'Name of the event object.', { format: 'name', priority: 1 }),
    ],
    cells: (o, now) => {
      const first = firstSeen(o, now);
      const count = numberAt(o, 'series', 'count') || numberAt(o, 'count') || 1;
      const kind = textAt(o, 'involvedObject', 'kind').toLowerCase();
      const name = textAt(o, 'involvedObject', 'name');
      return [
        lastSeen(o, now, first),
        textAt(o, 'type'),
        textAt(o, 'reason'),
        name === '' ? kind : `${kind}/${name}`,
        textAt(o, 'involvedObject', 'fieldPath'),
        source(o),
        textAt(o, 'message').trim(),
        first,
        count,
        textAt(o, 'metadata', 'name'),
      ];
    },
  },
});

function firstSeen(o: Shaped<shapes.CoreV1Event>, now: number): string {
  const first = textAt(o, 'firstTimestamp');
  return since(first === '' ? textAt(o, 'eventTime') : first, now);
}

function lastSeen(o: Shaped<shapes.CoreV1Event>, now: number, first: string): string {
  const observed = textAt(o, 'series', 'lastObservedTime');
  if (observed !== '') return since(observed, now);
  const last = textAt(o, 'lastTimestamp');
  return last === '' ? first : since(last, now);
}

function source(o: Shaped<shapes.CoreV1Event>): string {
  const component = textAt(o, 'source', 'component') || textAt(o, 'reportingComponent');
  const host = textAt(o, 'source', 'host') || textAt(o, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

/** Maps `events.k8s.io/v1` names to core names. Fields that are not listed have the same name in both. */
const RENAMED = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const;

function toStorage(o: JsonObject): void {
  for (const [theirs, ours] of RENAMED) move(o, theirs, ours);
}

function fromStorage(o: JsonObject): void {
  for (const [theirs, ours] of RENAMED) move(o, ours, theirs);
}

function move(o: JsonObject, from: string, to: string): void {
  const v: JsonValue | undefined = at(o, from);
  delete o[from];
  if (v !== undefined) o[to] = v;
}
