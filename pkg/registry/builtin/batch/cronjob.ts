import type { ResourceDeclaration } from '../../resource.js';
import { at, boolAt, listAt, objectIn, textAt } from '../access.js';
import { fill } from '../core/pod/defaults.js';
import { selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, containersAndImages, since, table, wide } from '../table.js';
import { defaultTemplate, fillAbsent } from '../workloads.js';

export const cronJob: ResourceDeclaration = {
  group: 'batch',
  resource: 'cronjobs',
  singular: 'cronjob',
  kind: 'CronJob',
  versions: versions('batch', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['cj'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      fill(spec, 'concurrencyPolicy', 'Allow');
      fillAbsent(spec, 'suspend', false);
      fillAbsent(spec, 'successfulJobsHistoryLimit', 3);
      fillAbsent(spec, 'failedJobsHistoryLimit', 1);
      const template = objectIn(spec, 'jobTemplate');
      objectIn(template, 'metadata');
      defaultTemplate(objectIn(template, 'spec'));
    },
  }),
  subresources: { status: statusSubresource() },
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
        boolAt(o, 'spec', 'suspend'),
        listAt(o, 'status', 'active').length,
        last === '' ? '<none>' : since(last, now),
        age(o, now),
        ...containersAndImages(at(o, 'spec', 'jobTemplate', 'spec', 'template')),
        selectorText(at(o, 'spec', 'jobTemplate', 'spec', 'selector')) || '<none>',
      ];
    },
  ),
};
