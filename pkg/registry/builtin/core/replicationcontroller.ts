import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { labelsText, scaleSubresource, statusSubresource, versions, withStatus } from '../form.js';
import { declaredName, isEmptySelector, nonNegative, oneOf, selects } from '../rules.js';
import { typedOnce } from '../status/conditions.js';
import { replicationControllerStatus } from '../status/counts.js';
import { replicaTable } from '../table.js';
import {
  defaultTemplate,
  labelsFromTemplate,
  mismatch,
  namedTemplateWarnings,
  templateWarnings,
  wantsOther,
} from '../workloads.js';
import { runningTemplate } from './pod/validation/index.js';

export const replicationController: ResourceDeclaration<shapes.CoreV1ReplicationController> = {
  group: '',
  resource: 'replicationcontrollers',
  singular: 'replicationcontroller',
  kind: 'ReplicationController',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['rc'],
  categories: ['all'],
  storagePrefix: 'controllers',
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      labelsFromTemplate(o, true);
      whenAbsent(spec, 'replicas', 1);
      if (spec['template'] !== undefined) defaultTemplate(spec);
    },
    create: { validateName: declaredName, validate: (o, errors) => validate(o, errors) },
    update: { validate: (o, old, errors) => validate(o, errors, old) },
    // on update kube-apiserver reports errors of the old object
    warn: (o, old, context) => {
      if (old === undefined) return namedTemplateWarnings(o, old, context);
      return wantsOther(o, old) ? templateWarnings(old, undefined, context) : undefined;
    },
    deletion: { propagation: 'Orphan' },
  }),
  subresources: {
    scale: scaleSubresource((o) => labelsText(at(o, 'spec', 'selector'))),
    status: statusSubresource({
      update: {
        validate: (o, old, errors) => {
          replicationControllerStatus(o, old, errors);
          const path = FieldPath.in<shapes.CoreV1ReplicationController>().child('status', 'conditions');
          const conditions = objectsAt(o, 'status', 'conditions');
          typedOnce(conditions, path, errors);
          errors.each(conditions, (c, i) =>
            oneOf(textAt(c, 'status'), path.index(i).child('status'), ['False', 'True', 'Unknown'], errors),
          );
        },
      },
    }),
  },
  selectableFields: {
    'status.replicas': (o) => String(numberAt(o, 'status', 'replicas')),
    name: (o) => textAt(o, 'metadata', 'name'),
  },
  table: replicaTable((o) => labelsText(at(o, 'spec', 'selector')) || '<none>'),
};

const SPEC = FieldPath.in<shapes.CoreV1ReplicationController>().child('spec');

/** The selector of a ReplicationController is a map of labels. */
function validate(
  o: Shaped<shapes.CoreV1ReplicationController>,
  errors: FieldErrors,
  old?: Shaped<shapes.CoreV1ReplicationController>,
): void {
  nonNegative(at(o, 'spec', 'minReadySeconds'), SPEC.child('minReadySeconds'), errors);
  const selector = { matchLabels: objectAt(o, 'spec', 'selector') };
  if (isEmptySelector(selector)) errors.required(SPEC.child('selector'));
  nonNegative(at(o, 'spec', 'replicas'), SPEC.child('replicas'), errors);
  const template = at(o, 'spec', 'template');
  const path = SPEC.child('template');
  if (template === undefined) {
    errors.required(path);
    return;
  }
  const inner = objectAt(o, 'spec', 'template');
  if (!isEmptySelector(selector) && selects(selector, objectAt(inner, 'metadata', 'labels')) === false)
    mismatch(inner, path, errors);
  runningTemplate(inner, 'ReplicationController', path, errors, old && objectAt(old, 'spec', 'template'));
}
