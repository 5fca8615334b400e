import {
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  type JsonValue,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, boolAt, listAt, numberAt, objectsAt, textAt } from '../access.js';
import { nonNegative } from '../rules.js';
import { indexesIn, indexSet } from './indexes.js';

/**
 * Validation of a job's status, for any job controller: a finished job stays finished, in one way, and has no uncounted
 * pods. Each rule runs only when the write changes its fields, so that old errors do not block other status updates.
 */

const STATUS = FieldPath.in<shapes.BatchV1Job>().child('status');
const CONDITIONS = STATUS.child('conditions');
const TERMINAL = ['Failed', 'Complete', 'FailureTarget'] as const;

const is = (o: Shaped<shapes.BatchV1Job>, type: string): boolean =>
  objectsAt(o, 'status', 'conditions').some((c) => textAt(c, 'type') === type && textAt(c, 'status') === 'True');
const isFinished = (o: Shaped<shapes.BatchV1Job>): boolean => is(o, 'Complete') || is(o, 'Failed');
const isIndexed = (o: Shaped<shapes.BatchV1Job>): boolean => textAt(o, 'spec', 'completionMode') === 'Indexed';
const same = (
  o: Shaped<shapes.BatchV1Job>,
  old: Shaped<shapes.BatchV1Job>,
  field: FieldName<shapes.BatchV1JobStatus>,
): boolean => equalJson(at(o, 'status', field) ?? null, at(old, 'status', field) ?? null);

/** The error for a whole object omits the value. */
const refuse = (
  path: FieldPath<readonly shapes.BatchV1JobCondition[]>,
  sentence: string,
  errors: FieldErrors,
): void => {
  errors.add('FieldValueInvalid', path, `Invalid value: ${sentence}`);
};

export function validateJobStatus(
  o: Shaped<shapes.BatchV1Job>,
  old: Shaped<shapes.BatchV1Job>,
  errors: FieldErrors,
): void {
  const changed = (...fields: readonly FieldName<shapes.BatchV1JobStatus>[]): boolean =>
    fields.some((f) => !same(o, old, f));
  const turned = (...types: readonly string[]): boolean => types.some((t) => is(o, t) !== is(old, t));
  const asked: Asked = { changed, turned, finished: isFinished(o) !== isFinished(old) };
  counters(o, errors);
  uncounted(o, errors);
  outcome(o, asked, errors);
  finishedWithRest(o, asked, errors);
  indexes(o, asked, errors);
  restAfterIndexes(o, asked, errors);
  neverBack(o, old, asked, errors);
}

interface Asked {
  readonly changed: (...fields: readonly FieldName<shapes.BatchV1JobStatus>[]) => boolean;
  readonly turned: (...types: readonly string[]) => boolean;
  readonly finished: boolean;
}

function counters(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const)
    nonNegative(at(o, 'status', field), STATUS.child(field), errors);
}

/** Terminated pods that the counters do not include yet: each appears once, in one of the two lists. */
function uncounted(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  const seen = new Set<JsonValue>();
  for (const list of ['succeeded', 'failed'] as const) {
    errors.each(listAt(o, 'status', 'uncountedTerminatedPods', list), (uid, i) => {
      const here = STATUS.child('uncountedTerminatedPods', list).index(i);
      if (uid === '') errors.invalid(here, uid, 'must not be empty');
      else if (seen.has(uid)) errors.duplicate(here, uid);
      seen.add(uid);
    });
  }
}

function outcome(o: Shaped<shapes.BatchV1Job>, { changed, turned }: Asked, errors: FieldErrors): void {
  const complete = is(o, 'Complete');
  const failed = is(o, 'Failed');
  const completionTime = textAt(o, 'status', 'completionTime');
  const startTime = textAt(o, 'status', 'startTime');
  const path = STATUS.child('completionTime');
  if (turned('Complete', 'Failed') && complete && failed)
    refuse(CONDITIONS, 'cannot set Complete=True and Failed=true conditions', errors);
  if (turned('Complete', 'FailureTarget') && complete && is(o, 'FailureTarget'))
    refuse(CONDITIONS, 'cannot set Complete=True and FailureTarget=true conditions', errors);
  if (turned('Complete') || changed('completionTime')) {
    if (completionTime !== '' && !complete)
      errors.invalid(path, completionTime, 'cannot set completionTime when there is no Complete=True condition');
    if (completionTime === '' && complete) errors.required(path, 'completionTime is required for Complete jobs');
  }
  const ordered = startTime === '' || completionTime === '' || Date.parse(completionTime) >= Date.parse(startTime);
  if (changed('startTime', 'completionTime') && !ordered)
    errors.invalid(path, completionTime, 'must be equal to or after `startTime`');
  if (turned('Failed', 'FailureTarget') && failed && !is(o, 'FailureTarget'))
    refuse(CONDITIONS, 'cannot set Failed=True condition without the FailureTarget=true condition', errors);
  if (turned('Complete', 'SuccessCriteriaMet') && complete && !is(o, 'SuccessCriteriaMet'))
    refuse(CONDITIONS, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition', errors);
}

function finishedWithRest(o: Shaped<shapes.BatchV1Job>, { changed, finished }: Asked, errors: FieldErrors): void {
  if (!isFinished(o)) return;
  const active = numberAt(o, 'status', 'active');
  if ((finished || changed('active')) && active > 0)
    errors.invalid(STATUS.child('active'), active, 'active>0 is invalid for finished job');
  const neverBegan = boolAt(o, 'spec', 'suspend') && at(o, 'spec', 'completions') === 0;
  if ((finished || changed('startTime')) && !neverBegan && textAt(o, 'status', 'startTime') === '')
    errors.required(STATUS.child('startTime'), 'startTime is required for finished job');
  const lists = (['succeeded', 'failed'] as const).map((field) => {
    const list = listAt(o, 'status', 'uncountedTerminatedPods', field);
    return [field === 'failed' ? 'Failed' : 'Succeeded', list.length === 0 ? null : list] as const;
  });
  if ((finished || changed('uncountedTerminatedPods')) && lists.some(([, list]) => list !== null))
    errors.invalid(
      STATUS.child('uncountedTerminatedPods'),
      Object.fromEntries(lists),
      'uncountedTerminatedPods needs to be empty for finished job',
    );
}

function indexes(o: Shaped<shapes.BatchV1Job>, { changed }: Asked, errors: FieldErrors): void {
  const completions = at(o, 'spec', 'completions');
  const completed = textAt(o, 'status', 'completedIndexes');
  const failed = at(o, 'status', 'failedIndexes');
  const perIndex = at(o, 'spec', 'backoffLimitPerIndex') !== undefined;
  const [completedPath, failedPath] = [STATUS.child('completedIndexes'), STATUS.child('failedIndexes')];
  const readable = (text: string, name: string, path: FieldPath): void => {
    const parsed = typeof completions === 'number' ? indexesIn(text, completions) : 0;
    if (typeof parsed === 'string') errors.invalid(path, text, `error parsing ${name}: ${parsed}`);
  };
  if (changed('completedIndexes')) readable(completed, 'completedIndexes', completedPath);
  if (changed('failedIndexes') && perIndex && typeof failed === 'string') readable(failed, 'failedIndexes', failedPath);
  if (changed('completedIndexes') && completed !== '' && !isIndexed(o))
    errors.invalid(completedPath, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode');
  if (changed('failedIndexes') && !perIndex && failed !== undefined)
    errors.invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  if (!changed('failedIndexes', 'completedIndexes') || typeof completions !== 'number' || typeof failed !== 'string')
    return;
  const both = firstCommon(completed, failed, completions);
  if (both !== undefined)
    errors.invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${both}`);
}

/** An index cannot be both failed and completed. Lists that do not parse are reported elsewhere. */
function firstCommon(a: string, b: string, completions: number): number | undefined {
  const [one, other] = [indexSet(a, completions), indexSet(b, completions)];
  if (one === undefined || other === undefined) return undefined;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [first, last] = one[i]!;
    const [from, to] = other[j]!;
    if (last < from) i++;
    else if (to < first) j++;
    else return Math.max(first, from);
  }
  return undefined;
}

function restAfterIndexes(o: Shaped<shapes.BatchV1Job>, { changed, finished }: Asked, errors: FieldErrors): void {
  const terminating = numberAt(o, 'status', 'terminating');
  if ((finished || changed('terminating')) && isFinished(o) && terminating > 0)
    errors.invalid(STATUS.child('terminating'), terminating, 'terminating>0 is invalid for finished job');
  const ready = at(o, 'status', 'ready');
  if (changed('ready', 'active') && typeof ready === 'number' && ready > numberAt(o, 'status', 'active'))
    errors.invalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active');
  const success = is(o, 'SuccessCriteriaMet');
  if (success && is(o, 'Failed'))
    refuse(CONDITIONS, 'cannot set SuccessCriteriaMet=True and Failed=true conditions', errors);
  if (success && is(o, 'FailureTarget'))
    refuse(CONDITIONS, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions', errors);
  if (at(o, 'spec', 'successPolicy') !== undefined && !success && is(o, 'Complete'))
    refuse(CONDITIONS, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True', errors);
}

function neverBack(
  o: Shaped<shapes.BatchV1Job>,
  old: Shaped<shapes.BatchV1Job>,
  { changed }: Asked,
  errors: FieldErrors,
): void {
  for (const type of TERMINAL)
    if (is(old, type) && !is(o, type)) refuse(CONDITIONS, `cannot disable the terminal ${type}=True condition`, errors);
  const fewer = (field: FieldName<shapes.BatchV1JobStatus>): boolean =>
    numberAt(o, 'status', field) < numberAt(old, 'status', field);
  if (fewer('failed'))
    errors.invalid(STATUS.child('failed'), numberAt(o, 'status', 'failed'), 'cannot decrease the failed counter');
  // an indexed job that runs all its indexes in parallel may be scaled down
  const elastic = isIndexed(o) && at(o, 'spec', 'completions') === at(o, 'spec', 'parallelism');
  if (!elastic && fewer('succeeded'))
    errors.invalid(
      STATUS.child('succeeded'),
      numberAt(o, 'status', 'succeeded'),
      'cannot decrease the succeeded counter',
    );
  const [ended, before] = [textAt(o, 'status', 'completionTime'), textAt(old, 'status', 'completionTime')];
  if (ended !== '' && before !== '' && ended !== before)
    errors.invalid(STATUS.child('completionTime'), ended, 'completionTime cannot be mutated');
  if (changed('startTime') && textAt(old, 'status', 'startTime') !== '' && !boolAt(o, 'spec', 'suspend'))
    errors.invalid(
      STATUS.child('startTime'),
      at(o, 'status', 'startTime') ?? null,
      'field is immutable for unsuspended job once set',
    );
  if (is(old, 'SuccessCriteriaMet') && !is(o, 'SuccessCriteriaMet'))
    refuse(CONDITIONS, 'cannot disable the SuccessCriteriaMet=True condition', errors);
  if (is(old, 'Complete') && !is(old, 'SuccessCriteriaMet') && is(o, 'SuccessCriteriaMet'))
    refuse(CONDITIONS, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions', errors);
}
