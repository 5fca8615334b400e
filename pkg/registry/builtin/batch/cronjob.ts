import { type FieldErrors, FieldPath, nameOf, type Shaped } from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, boolAt, listAt, objectAt, objectIn, textAt } from '../access.js';
import { fill } from '../core/pod/defaults.js';
import { whenAbsent } from '../defaults.js';
import { selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { nonNegative, oneOf, shown } from '../rules.js';
import { AGE, age, column, containersAndImages, since, table, wide } from '../table.js';
import { defaultTemplate, podNameWarning, wantsOther } from '../workloads.js';
import { jobSpec, jobSpecWarnings } from './jobspec.js';
import { scheduleProblem } from './schedule.js';
import { isTimeZone } from './timezones.js';

export const cronJob: ResourceDeclaration<shapes.BatchV1CronJob> = {
  group: 'batch',
  resource: 'cronjobs',
  singular: 'cronjob',
  kind: 'CronJob',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['cj'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      fill(spec, 'concurrencyPolicy', 'Allow');
      whenAbsent(spec, 'suspend', false);
      whenAbsent(spec, 'successfulJobsHistoryLimit', 3);
      whenAbsent(spec, 'failedJobsHistoryLimit', 1);
      const template = objectIn(spec, 'jobTemplate');
      objectIn(template, 'metadata');
      defaultTemplate(objectIn(template, 'spec'));
    },
    create: {
      validate: (o, errors) => {
        validate(o, errors);
        const name = nameOf(o);
        if (name.length > NAME_MAX)
          errors.invalid(FieldPath.of('metadata', 'name'), name, `must be no more than ${NAME_MAX} characters`);
      },
    },
    update: { validate: (o, old, errors) => validate(o, errors, old) },
    warn: (o, old, context) => {
      if (old === undefined) podNameWarning(o, context);
      return warnings(o, old, context);
    },
  }),
  subresources: { status: statusSubresource({ compatibility: { anyFinalizers: true } }) },
  table: table(
    [
      column('Schedule', 'When it runs, in cron form.'),
      column('Timezone', 'Time zone of the schedule.'),
      column('Suspend', 'Whether no further runs are started.', { type: 'boolean' }),
      column('Active', 'Runs that are under way.', { type: 'integer' }),
      column('Last Schedule', 'Time since the last run was started.'),
      AGE,
      wide('Containers', 'Names of the containers.'),
      wide('Images', 'Images of the containers.'),
      wide('Selector', 'Labels of the pods of a run.'),
    ],
    (o, now) => {
      const last = textAt(o, 'status', 'lastScheduleTime');
      return [
        textAt(o, 'spec', 'schedule'),
        textAt(o, 'spec', 'timeZone') || '<none>',
        at(o, 'spec', 'suspend') === undefined ? '<unset>' : boolAt(o, 'spec', 'suspend') ? 'True' : 'False',
        listAt(o, 'status', 'active').length,
        last === '' ? '<none>' : since(last, now),
        age(o, now),
        ...containersAndImages(at(o, 'spec', 'jobTemplate', 'spec', 'template')),
        selectorText(at(o, 'spec', 'jobTemplate', 'spec', 'selector')) || '<none>',
      ];
    },
  ),
};

const SPEC = FieldPath.in<shapes.BatchV1CronJob>().child('spec');

function* warnings(
  o: Shaped<shapes.BatchV1CronJob>,
  old: Shaped<shapes.BatchV1CronJob> | undefined,
  context: WriteContext,
): Steps<void> {
  if (wantsOther(o, old))
    yield* jobSpecWarnings(objectAt(o, 'spec', 'jobTemplate', 'spec'), 'spec.jobTemplate.spec', context.warn);
  // kube-apiserver repeats the spec in this path.
  if (textAt(o, 'spec', 'schedule').includes('TZ'))
    context.warn(
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    );
}

/** The names of its jobs append eleven characters to its own. */
const NAME_MAX = 52;

function validate(o: Shaped<shapes.BatchV1CronJob>, errors: FieldErrors, old?: Shaped<shapes.BatchV1CronJob>): void {
  const spec = objectAt(o, 'spec');
  schedule(spec, errors, textAt(old, 'spec', 'schedule').includes('TZ'));
  nonNegative(at(spec, 'startingDeadlineSeconds'), SPEC.child('startingDeadlineSeconds'), errors);
  if (old === undefined || at(spec, 'timeZone') !== at(old, 'spec', 'timeZone')) timeZone(at(spec, 'timeZone'), errors);
  oneOf(textAt(spec, 'concurrencyPolicy'), SPEC.child('concurrencyPolicy'), ['Allow', 'Forbid', 'Replace'], errors);
  for (const field of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const)
    nonNegative(at(spec, field), SPEC.child(field), errors);
  const job = objectAt(spec, 'jobTemplate', 'spec');
  const path = SPEC.child('jobTemplate', 'spec');
  jobSpec(job, path, errors, old && objectAt(old, 'spec', 'jobTemplate', 'spec'));
  if (at(job, 'selector') !== undefined)
    errors.invalid(
      path.child('selector'),
      shown('meta/v1.LabelSelector', at(job, 'selector')),
      '`selector` will be auto-generated',
    );
  if (at(job, 'manualSelector') === true) errors.notSupported(path.child('manualSelector'), true, ['nil', 'false']);
}

/** Splits a schedule that begins with a time zone. */
function zoneOf(schedule: string): { readonly zone: string | undefined; readonly times: string } {
  const end = schedule.indexOf(' ');
  if (end < 0 || !/^(?:CRON_)?TZ=/.test(schedule)) return { zone: undefined, times: schedule };
  return { zone: schedule.slice(schedule.indexOf('=') + 1, end), times: schedule.slice(end).trim() };
}

/** With `mayHaveZone`, the schedule may begin with a time zone, as the stored one does. */
function schedule(spec: Shaped<shapes.BatchV1CronJobSpec>, errors: FieldErrors, mayHaveZone: boolean): void {
  const text = textAt(spec, 'schedule');
  const path = SPEC.child('schedule');
  if (text === '') {
    errors.required(path);
    return;
  }
  const hasZone = text.includes('TZ');
  if (hasZone && !mayHaveZone) {
    errors.invalid(path, text, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
    return;
  }
  const { zone, times } = zoneOf(text);
  if (zone !== undefined && zone !== '' && zone !== 'Local' && !isTimeZone(zone))
    errors.invalid(path, text, `provided bad location ${zone}: unknown time zone ${zone}`);
  else {
    const problem = scheduleProblem(times);
    if (problem !== undefined) errors.invalid(path, text, problem);
  }
  if (hasZone && at(spec, 'timeZone') !== undefined)
    errors.invalid(path, text, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function timeZone(value: ReturnType<typeof at>, errors: FieldErrors): void {
  if (typeof value !== 'string') return;
  const path = SPEC.child('timeZone');
  if (value === '') errors.invalid(path, value, 'timeZone must be nil or non-empty string');
  if (value.toLowerCase() === 'local')
    errors.invalid(path, value, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  // kube-apiserver reports each fault; it can load its own zone, `Local`.
  if (value !== '' && value !== 'Local' && !isTimeZone(value))
    errors.invalid(path, value, `unknown time zone ${value}`);
}
