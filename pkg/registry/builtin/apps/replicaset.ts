import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectIn } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { scaleSubresource, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { nonNegative } from '../rules.js';
import { replicaSetStatus } from '../status/counts.js';
import { replicaTable } from '../table.js';
import { defaultTemplate, namedTemplateWarnings, sameSelector, selectorAndTemplate } from '../workloads.js';

export const replicaSet: ResourceDeclaration<shapes.AppsV1ReplicaSet> = {
  group: 'apps',
  resource: 'replicasets',
  singular: 'replicaset',
  kind: 'ReplicaSet',
  emptyObject: { spec: { replicas: 0 } },
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['rs'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      whenAbsent(spec, 'replicas', 1);
      defaultTemplate(spec);
    },
    create: { validate: (o, errors) => validate(o, errors) },
    update: {
      validate: (o, old, errors) => {
        validate(o, errors, old);
        sameSelector(o, old, errors);
      },
    },
    warn: namedTemplateWarnings,
  }),
  subresources: {
    scale: scaleSubresource((o) => selectorText(at(o, 'spec', 'selector'))),
    status: statusSubresource({ update: { validate: replicaSetStatus } }),
  },
  table: replicaTable((o) => selectorText(at(o, 'spec', 'selector')) || '<none>'),
};

const SPEC = FieldPath.in<shapes.AppsV1ReplicaSet>().child('spec');

function validate(
  o: Shaped<shapes.AppsV1ReplicaSet>,
  errors: FieldErrors,
  old?: Shaped<shapes.AppsV1ReplicaSet>,
): void {
  nonNegative(at(o, 'spec', 'replicas'), SPEC.child('replicas'), errors);
  nonNegative(at(o, 'spec', 'minReadySeconds'), SPEC.child('minReadySeconds'), errors);
  selectorAndTemplate(
    o,
    { owner: 'ReplicaSet', emptyFor: 'deployment', required: true, senseless: 'invalid label selector' },
    errors,
    old,
  );
}
