import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt } from '../access.js';
import { keepLabels, scaleSubresource, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';

export const statefulSet: ResourceDeclaration = {
  group: 'apps',
  resource: 'statefulsets',
  singular: 'statefulset',
  kind: 'StatefulSet',
  versions: versions('apps', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['sts'],
  categories: ['all'],
  strategy: withStatus({}),
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
