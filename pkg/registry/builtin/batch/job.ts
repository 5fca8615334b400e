import { isObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, boolAt, numberAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, containersAndImages, humanDuration, table, wide } from '../table.js';

import { labelsFromTemplate, podNameWarning, wantsOther } from '../workloads.js';
import { defaultJob } from './defaults.js';
import { jobSpecWarnings } from './jobspec.js';
import { validateJobStatus } from './jobstatus.js';
import { generated, SELECTED, validateJob, validateJobUpdate } from './validation.js';

export const job: ResourceDeclaration<shapes.BatchV1Job> = {
  group: 'batch',
  resource: 'jobs',
  singular: 'job',
  kind: 'Job',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      defaultJob(o);
      defaultLabels(o);
    },
    create: {
      // Labels by default also get the generated ones, because in kube-apiserver they and those of the template are one map, except in the
      // copy that gets a generated name. Labels of the client do not, even if they equal those of the template.
      prepare: (o, context) => {
        const given = at(o, 'spec', 'template', 'metadata', 'labels');
        const shared = isObject(given) && given === at(o, 'metadata', 'labels') ? given : undefined;
        const own = { ...shared };
        if (!boolAt(o, 'spec', 'manualSelector')) generateSelector(o);
        if (shared !== undefined) objectIn(o, 'metadata')['labels'] = context.namedByServer ? own : { ...shared };
      },
      validate: validateJob,
    },
    update: { validate: validateJobUpdate },
    complete: (o) => labelsFromTemplate(o, false),
    warn: (o, old, context) => {
      if (old === undefined) podNameWarning(o, context);
      return wantsOther(o, old) ? jobSpecWarnings(objectAt(o, 'spec'), 'spec', context.warn) : undefined;
    },
    deletion: {
      propagation: 'Orphan',
      propagationWarning:
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    },
  }),
  subresources: { status: statusSubresource({ update: { validate: validateJobStatus } }) },
  unknownFieldLabel: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
  selectableFields: { 'status.successful': (o) => String(numberAt(o, 'status', 'succeeded')) },
  table: table(
    [
      column('Status', 'Whether it runs, is complete, has failed or is suspended.'),
      column('Completions', 'Successful pods of wanted pods.'),
      column('Duration', 'Time that it has run.'),
      AGE,
      wide('Containers', 'Names of the containers.'),
      wide('Images', 'Images of the containers.'),
      wide('Selector', 'Labels of the pods that are counted.'),
    ],
    (o, now) => [
      status(o),
      completions(o),
      duration(o, now),
      age(o, now),
      ...containersAndImages(at(o, 'spec', 'template')),
      selectorText(at(o, 'spec', 'selector')) || '<none>',
    ],
  ),
};

function status(o: Shaped<shapes.BatchV1Job>): string {
  const has = (type: string) =>
    objectsAt(o, 'status', 'conditions').some((c) => textAt(c, 'type') === type && textAt(c, 'status') === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (textAt(o, 'metadata', 'deletionTimestamp') !== '') return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  if (has('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

function completions(o: Shaped<shapes.BatchV1Job>): string {
  const done = numberAt(o, 'status', 'succeeded');
  const wanted = at(o, 'spec', 'completions');
  if (typeof wanted === 'number') return `${done}/${wanted}`;
  const parallel = numberAt(o, 'spec', 'parallelism');
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function duration(o: Shaped<shapes.BatchV1Job>, now: number): string {
  const start = textAt(o, 'status', 'startTime');
  if (start === '') return '';
  const end = textAt(o, 'status', 'completionTime');
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}

/** Labels by default are the very object of the template, by which `prepare` knows them. A webhook that changes the job separates them. */
function defaultLabels(o: Shaped<shapes.BatchV1Job>): void {
  const given = at(o, 'metadata', 'labels');
  labelsFromTemplate(o, false);
  if (at(o, 'metadata', 'labels') === given) return;
  objectIn(o, 'metadata')['labels'] = objectAt(o, 'spec', 'template', 'metadata', 'labels');
}

/** A job selects its pods by its own uid, so that it never adopts those of an earlier job of the same name. */
function generateSelector(o: Shaped<shapes.BatchV1Job>): void {
  const spec = objectIn(o, 'spec');
  const labels = generated(o);
  const mine = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels');
  for (const [key, value] of Object.entries(labels)) if (mine[key] === undefined) mine[key] = value;
  const selector = objectIn(spec, 'selector');
  const matched = objectIn(selector, 'matchLabels');
  if (matched[SELECTED] === undefined) matched[SELECTED] = labels[SELECTED]!;
}
