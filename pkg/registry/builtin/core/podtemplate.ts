import { FieldPath } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt } from '../access.js';
import { labelsText, versions } from '../form.js';
import { column, containersAndImages, table } from '../table.js';
import { defaultTemplate, wantsOther } from '../workloads.js';
import { podWarnings, podTemplate as validateTemplate } from './pod/validation/index.js';

export const podTemplate: ResourceDeclaration<shapes.CoreV1PodTemplate> = {
  group: '',
  resource: 'podtemplates',
  singular: 'podtemplate',
  kind: 'PodTemplate',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    defaults: defaultTemplate,
    create: {
      validate: (o, errors) =>
        validateTemplate(objectAt(o, 'template'), FieldPath.in<shapes.CoreV1PodTemplate>().child('template'), errors),
    },
    update: {
      validate: (o, old, errors) => {
        const path = FieldPath.in<shapes.CoreV1PodTemplate>().child('template');
        validateTemplate(objectAt(o, 'template'), path, errors, objectAt(old, 'template'));
      },
    },
    warn: function* (o, old, context) {
      if (wantsOther(o, old)) yield* podWarnings(objectAt(o, 'template'), 'template', context.warn);
    },
    deletion: { returnsObject: true },
  },
  table: table(
    [
      column('Containers', 'Names of the containers.'),
      column('Images', 'Images of the containers.'),
      column('Pod Labels', 'Labels that the pods get.'),
    ],
    (o) => [...containersAndImages(at(o, 'template')), labelsText(at(o, 'template', 'metadata', 'labels')) || '<none>'],
  ),
};
