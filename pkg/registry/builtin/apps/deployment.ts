import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectIn } from '../access.js';
import { keepLabels, scaleSubresource, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';

import { defaultRollingUpdate, defaultTemplate, fillAbsent } from '../workloads.js';

export const deployment: ResourceDeclaration = {
  group: 'apps',
  resource: 'deployments',
  singular: 'deployment',
  kind: 'Deployment',
  versions: versions('apps', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['deploy'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      fillAbsent(spec, 'replicas', 1);
      fillAbsent(spec, 'revisionHistoryLimit', 10);
      fillAbsent(spec, 'progressDeadlineSeconds', 600);
      defaultRollingUpdate(objectIn(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
      defaultTemplate(spec);
    },
  }),
  subresources: {
    scale: scaleSubresource((o) => selectorText(at(o, 'spec', 'selector'))),
    // Labels are not taken from a status write, so they are not owned through one either.
    status: statusSubresource({ resetFields: [['spec'], ['metadata', 'labels']], prepareForUpdate: keepLabels }),
  },
  table: table(
    [
      column('Ready', 'Ready pods of wanted pods.'),
      column('Up-to-date', 'Pods of the newest template.'),
      column('Available', 'Pods that have been ready for long enough.'),
      AGE,
      wide('Containers', 'Names of the containers.'),
      wide('Images', 'Images of the containers.'),
      wide('Selector', 'Labels of the pods that are counted.'),
    ],
    (o, now) => [
      `${numberAt(o, 'status', 'readyReplicas')}/${numberAt(o, 'spec', 'replicas')}`,
      numberAt(o, 'status', 'updatedReplicas'),
      numberAt(o, 'status', 'availableReplicas'),
      age(o, now),
      ...containersAndImages(at(o, 'spec', 'template')),
      selectorText(at(o, 'spec', 'selector')),
    ],
  ),
};
