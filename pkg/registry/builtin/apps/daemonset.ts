import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectIn } from '../access.js';
import { keepLabels, labelsText, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';

import { defaultRollingUpdate, defaultTemplate, fillAbsent, labelsFromTemplate } from '../workloads.js';

export const daemonSet: ResourceDeclaration = {
  group: 'apps',
  resource: 'daemonsets',
  singular: 'daemonset',
  kind: 'DaemonSet',
  versions: versions('apps', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['ds'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      defaultRollingUpdate(objectIn(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
      fillAbsent(spec, 'revisionHistoryLimit', 10);
      labelsFromTemplate(o, false);
      defaultTemplate(spec);
    },
  }),
  subresources: { status: statusSubresource({ prepareForUpdate: keepLabels }) },
  table: table(
    [
      column('Desired', 'Nodes that should run the pod.', { type: 'integer' }),
      column('Current', 'Nodes that run it.', { type: 'integer' }),
      column('Ready', 'Nodes on which it is ready.', { type: 'integer' }),
      column('Up-to-date', 'Nodes that run the newest template.', { type: 'integer' }),
      column('Available', 'Nodes on which it has been ready for long enough.', { type: 'integer' }),
      column('Node Selector', 'Labels of the nodes that should run it.'),
      AGE,
      wide('Containers', 'Names of the containers.'),
      wide('Images', 'Images of the containers.'),
      wide('Selector', 'Labels of the pods that are counted.'),
    ],
    (o, now) => [
      numberAt(o, 'status', 'desiredNumberScheduled'),
      numberAt(o, 'status', 'currentNumberScheduled'),
      numberAt(o, 'status', 'numberReady'),
      numberAt(o, 'status', 'updatedNumberScheduled'),
      numberAt(o, 'status', 'numberAvailable'),
      labelsText(at(o, 'spec', 'template', 'spec', 'nodeSelector')) || '<none>',
      age(o, now),
      ...containersAndImages(at(o, 'spec', 'template')),
      selectorText(at(o, 'spec', 'selector')),
    ],
  ),
};
