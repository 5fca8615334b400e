import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isQualifiedName,
  type JsonValue,
  type Shaped,
  subdomainName,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { metaOf, validateFinalizerNames, validateMeta } from '../../meta.js';
import type { WriteContext } from '../../resource.js';
import { at, numberAt, objectAt, textAt } from '../access.js';
import { shown } from '../rules.js';

/**
 * Events without an `eventTime` have the older form and name only the object. Those with one also name the controller and action.
 * `events.k8s.io` accepts only the newer form, and an update may change only its series.
 */
export function validateEvent(o: Shaped<shapes.CoreV1Event>, errors: FieldErrors, context: WriteContext): void {
  known(o, errors, context);
  if (context.group === '') return;
  newMeta(o, errors);
  newOnly(o, errors);
}

export function validateEventUpdate(
  o: Shaped<shapes.CoreV1Event>,
  old: Shaped<shapes.CoreV1Event>,
  errors: FieldErrors,
  context: WriteContext,
): void {
  known(o, errors, context);
  if (context.group === '') return;
  validateFinalizerNames(metaOf(o), METADATA, errors);
  // A series that does not change is not validated again.
  if (!sameSeries(o, old)) series(o, errors);
  unchanged(o, old, errors);
}

const METADATA = FieldPath.of('metadata');

/** Only `events.k8s.io` has the usual rules for metadata; those of every kind follow if all is well. */
function newMeta(o: Shaped<shapes.CoreV1Event>, errors: FieldErrors): void {
  const meta = metaOf(o);
  validateMeta(meta, { namespaced: true, nameRule: subdomainName }, METADATA, errors);
  validateFinalizerNames(meta, METADATA, errors);
}

const root = (field: string): FieldPath => FieldPath.of(field);

function known(o: Shaped<shapes.CoreV1Event>, errors: FieldErrors, context: WriteContext): void {
  const about = textAt(o, 'involvedObject', 'namespace');
  const place = root('involvedObject').child('namespace');
  const namespace = textAt(o, 'metadata', 'namespace') || context.namespace;
  const ofTheCluster = about === '' && ['', 'default'].includes(namespace);
  if (textAt(o, 'eventTime') === '') {
    if (about !== namespace && !ofTheCluster) errors.invalid(place, about, 'does not match event.namespace');
    return;
  }
  if (about === '' && !ofTheCluster && namespace !== 'kube-system')
    errors.invalid(place, about, 'does not match event.namespace');
  reporter(o, root(context.group === '' ? 'reportingComponent' : 'reportingController'), errors);
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = textAt(o, field);
    if (value === '') errors.required(root(field));
    noLonger(value, 128, field, errors);
  }
  noLonger(textAt(o, 'message'), 1024, 'message', errors);
}

function reporter(o: Shaped<shapes.CoreV1Event>, path: FieldPath, errors: FieldErrors): void {
  const value = textAt(o, 'reportingComponent');
  if (value === '') errors.required(path);
  for (const s of isQualifiedName(value)) errors.invalid(path, value, s);
}

function noLonger(value: string, most: number, field: string, errors: FieldErrors): void {
  if (Buffer.byteLength(value) > most) errors.invalid(root(field), '', `can have at most ${most} characters`);
}

function newOnly(o: Shaped<shapes.CoreV1Event>, errors: FieldErrors): void {
  series(o, errors);
  if (textAt(o, 'eventTime') === '') errors.required(root('eventTime'));
  const type = textAt(o, 'type');
  if (type !== 'Normal' && type !== 'Warning') errors.invalid(root('type'), '', `has invalid value: ${type}`);
  for (const field of ['firstTimestamp', 'lastTimestamp'] as const)
    if (textAt(o, field) !== '') errors.invalid(root(field), '', 'needs to be unset');
  if (numberAt(o, 'count') !== 0) errors.invalid(root('count'), '', 'needs to be unset');
  if (Object.values(objectAt(o, 'source')).some((v) => v !== ''))
    errors.invalid(root('source'), '', 'needs to be unset');
}

/** A count of zero is absent in the stored form. */
const sameSeries = (o: Shaped<shapes.CoreV1Event>, old: Shaped<shapes.CoreV1Event>): boolean =>
  (at(o, 'series') === undefined) === (at(old, 'series') === undefined) &&
  numberAt(o, 'series', 'count') === numberAt(old, 'series', 'count') &&
  textAt(o, 'series', 'lastObservedTime') === textAt(old, 'series', 'lastObservedTime');

function series(o: Shaped<shapes.CoreV1Event>, errors: FieldErrors): void {
  if (at(o, 'series') === undefined) return;
  if (numberAt(o, 'series', 'count') < 2) errors.invalid(root('series').child('count'), '', 'should be at least 2');
  if (textAt(o, 'series', 'lastObservedTime') === '') errors.required(root('series').child('lastObservedTime'));
}

/** The fields that an update may not change, in the order of kube-apiserver, and the type of a value that is an object. */
const FIXED = [
  ['involvedObject', 'core/v1.ObjectReference'],
  ['reason'],
  ['message'],
  ['source', 'core/v1.EventSource'],
  ['firstTimestamp'],
  ['lastTimestamp'],
  ['count'],
  ['type'],
  ['eventTime'],
  ['action'],
  ['related', 'core/v1.ObjectReference'],
  ['reportingComponent'],
  ['reportingInstance'],
] as const;

function unchanged(o: Shaped<shapes.CoreV1Event>, old: Shaped<shapes.CoreV1Event>, errors: FieldErrors): void {
  for (const [field, type] of FIXED) {
    const zero = field in ZERO ? ZERO[field]! : '';
    const [now, before] = [at(o, field) || zero, at(old, field) || zero];
    if (equalJson(now, before)) continue;
    const path = root(field === 'reportingComponent' ? 'reportingController' : field);
    errors.invalid(path, type === undefined ? now : shown(type, at(o, field)), 'field is immutable');
  }
}

/** What an absent field is, where that is not the empty text. */
const ZERO: Readonly<Record<string, JsonValue>> = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  count: 0,
  eventTime: null,
  related: null,
};
