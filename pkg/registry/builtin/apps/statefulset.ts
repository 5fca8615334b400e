import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectIn, objectsAt } from '../access.js';
import { fill } from '../core/pod/defaults.js';
import { keepLabels, scaleSubresource, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';
import { defaultRollingUpdate, defaultTemplate, fillAbsent } from '../workloads.js';

export const statefulSet: ResourceDeclaration = {
  group: 'apps',
  resource: 'statefulsets',
  singular: 'statefulset',
  kind: 'StatefulSet',
  emptyObject: { spec: { replicas: 0 } },
  versions: versions('apps', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['sts'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      fill(spec, 'podManagementPolicy', 'OrderedReady');
      defaultRollingUpdate(objectIn(spec, 'updateStrategy'), { partition: 0 });
      fillAbsent(spec, 'replicas', 1);
      fillAbsent(spec, 'revisionHistoryLimit', 10);
      const retention = objectIn(spec, 'persistentVolumeClaimRetentionPolicy');
      fill(retention, 'whenDeleted', 'Retain');
      fill(retention, 'whenScaled', 'Retain');
      for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
        const claimSpec = objectIn(claim, 'spec');
        fill(claimSpec, 'volumeMode', 'Filesystem');
        fill(objectIn(claim, 'status'), 'phase', 'Pending');
      }
      defaultTemplate(spec);
    },
  }),
  subresources: {
    scale: scaleSubresource((o) => selectorText(at(o, 'spec', 'selector'))),
    status: statusSubresource({ prepareForUpdate: keepLabels }),
  },
  table: table(
    [
      column('Ready', 'Ready pods of wanted pods.'),
      AGE,
      wide('Containers', 'Names of the containers.'),
      wide('Images', 'Images of the containers.'),
    ],
    (o, now) => [
      `${numberAt(o, 'status', 'readyReplicas')}/${numberAt(o, 'spec', 'replicas')}`,
      age(o, now),
      ...containersAndImages(at(o, 'spec', 'template')),
    ],
  ),
};
