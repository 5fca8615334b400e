import { equalJson, type FieldErrors, FieldPath, type Shaped, whyNotInt64 } from '../../../api/index.js';
import { equalAs, type shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectIn, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { keepLabels, scaleSubresource, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { nonNegative, shown } from '../rules.js';
import { deploymentStatus } from '../status/counts.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';
import {
  countOrPercent,
  defaultRollingUpdate,
  defaultTemplate,
  isNone,
  namedTemplateWarnings,
  notOverHundredPercent,
  sameSelector,
  selectorAndTemplate,
} from '../workloads.js';

export const deployment: ResourceDeclaration<shapes.AppsV1Deployment> = {
  group: 'apps',
  resource: 'deployments',
  singular: 'deployment',
  kind: 'Deployment',
  emptyObject: { spec: { replicas: 0 } },
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['deploy'],
  categories: ['all'],
  // The annotation belongs to removed API versions. Rollback was removed with them, but a conversion still parses the annotation.
  unreadable: (o) => {
    const text = textAt(o, 'metadata', 'annotations', ROLLBACK);
    const why = text === '' ? undefined : whyNotInt64(text);
    return why === undefined ? undefined : `failed to parse annotation[${ROLLBACK}]=${text} as int64: ${why}`;
  },
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      whenAbsent(spec, 'replicas', 1);
      whenAbsent(spec, 'revisionHistoryLimit', 10);
      whenAbsent(spec, 'progressDeadlineSeconds', 600);
      defaultRollingUpdate(objectIn(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
      defaultTemplate(spec);
    },
    create: { validate: (o, errors) => validate(o, errors) },
    update: {
      // Annotations count, too: old versions of the controller kept the rollback revision there.
      generation: (o, old) =>
        !equalAs('apps/v1.DeploymentSpec', at(o, 'spec') ?? {}, at(old, 'spec') ?? {}) ||
        !equalJson(at(o, 'metadata', 'annotations') ?? {}, at(old, 'metadata', 'annotations') ?? {}),
      validate: (o, old, errors) => {
        validate(o, errors, old);
        sameSelector(o, old, errors);
      },
    },
    warn: namedTemplateWarnings,
  }),
  subresources: {
    scale: scaleSubresource((o) => selectorText(at(o, 'spec', 'selector'))),
    // A status write does not change labels, so it does not own them either.
    status: statusSubresource({
      update: { resetFields: [['spec'], ['metadata', 'labels']], prepare: keepLabels, validate: deploymentStatus },
    }),
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

const SPEC = FieldPath.in<shapes.AppsV1Deployment>().child('spec');
const ROLLBACK = 'deprecated.deployment.rollback.to';

function validate(
  o: Shaped<shapes.AppsV1Deployment>,
  errors: FieldErrors,
  old?: Shaped<shapes.AppsV1Deployment>,
): void {
  nonNegative(at(o, 'spec', 'replicas'), SPEC.child('replicas'), errors);
  selectorAndTemplate(
    o,
    { owner: 'ReplicaSet', emptyFor: 'deployment', required: true, senseless: 'invalid label selector' },
    errors,
    old,
  );
  strategy(o, errors);
  const ready = numberAt(o, 'spec', 'minReadySeconds');
  nonNegative(ready, SPEC.child('minReadySeconds'), errors);
  nonNegative(at(o, 'spec', 'revisionHistoryLimit'), SPEC.child('revisionHistoryLimit'), errors);
  const progress = at(o, 'spec', 'progressDeadlineSeconds');
  nonNegative(progress, SPEC.child('progressDeadlineSeconds'), errors);
  if (typeof progress === 'number' && progress <= ready)
    errors.invalid(SPEC.child('progressDeadlineSeconds'), progress, 'must be greater than minReadySeconds');
}

function strategy(o: Shaped<shapes.AppsV1Deployment>, errors: FieldErrors): void {
  const s = at(o, 'spec', 'strategy');
  const path = SPEC.child('strategy');
  const rolling = at(s, 'rollingUpdate');
  switch (textAt(s, 'type')) {
    case 'Recreate':
      if (rolling !== undefined)
        errors.forbidden(path.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'");
      break;
    case 'RollingUpdate': {
      const unavailable = at(rolling, 'maxUnavailable');
      const surge = at(rolling, 'maxSurge');
      const here = path.child('rollingUpdate');
      countOrPercent(unavailable, here.child('maxUnavailable'), errors);
      countOrPercent(surge, here.child('maxSurge'), errors);
      if (isNone(unavailable) && isNone(surge))
        errors.invalid(here.child('maxUnavailable'), unavailable, 'may not be 0 when `maxSurge` is 0');
      notOverHundredPercent(unavailable, here.child('maxUnavailable'), errors);
      break;
    }
    default:
      errors.notSupported(path, shown('apps/v1.DeploymentStrategy', s), ['Recreate', 'RollingUpdate']);
  }
}
