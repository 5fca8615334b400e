import {
  type FieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type Shaped,
  whyNotInt64,
} from '../../../api/index.js';
import { equalAs, type shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectIn, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { labelsText, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { hasInvalidValue, nonNegative, shown } from '../rules.js';
import { daemonSetStatus } from '../status/counts.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';
import {
  countOrPercent,
  defaultRollingUpdate,
  defaultTemplate,
  isNone,
  notOverHundredPercent,
  sameSelector,
  selectorAndTemplate,
  templateWarnings,
} from '../workloads.js';

const GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSet: ResourceDeclaration<shapes.AppsV1DaemonSet> = {
  group: 'apps',
  resource: 'daemonsets',
  singular: 'daemonset',
  kind: 'DaemonSet',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['ds'],
  categories: ['all'],
  hiddenAnnotations: [GENERATION],
  emptyObject: { metadata: { annotations: { [GENERATION]: '0' } } },
  unreadable: (o) => {
    const text = at(o, 'metadata', 'annotations', GENERATION);
    return typeof text === 'string' ? whyNotInt64(text) : undefined;
  },
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      defaultRollingUpdate(objectIn(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
      // numbers of the internal version, not pointers: of another strategy they are zero
      const rolling = at(spec, 'updateStrategy', 'rollingUpdate');
      if (isObject(rolling))
        for (const field of ['maxUnavailable', 'maxSurge'] as const) whenAbsent<JsonObject>(rolling, field, 0);
      whenAbsent(spec, 'revisionHistoryLimit', 10);
      defaultTemplate(spec);
      // the count exists in every object that is read, so its writer owns it
      if (at(o, 'metadata', 'annotations', GENERATION) === undefined) setTemplateCount(o, 0);
    },
    create: { prepare: (o) => countTemplate(o, undefined), validate: (o, errors) => validate(o, errors) },
    update: {
      prepare: (o, old) => countTemplate(o, old),
      validate: (o, old, errors) => {
        sameSelector(o, old, errors);
        validate(o, errors, old);
      },
    },
    warn: templateWarnings,
  }),
  subresources: {
    status: statusSubresource({ update: { prepare: keepTemplateCount, validate: daemonSetStatus } }),
  },
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
      selectorText(at(o, 'spec', 'selector')) || '<none>',
    ],
  ),
};

const templateCount = (o: Shaped<shapes.AppsV1DaemonSet>): number =>
  Number(textAt(o, 'metadata', 'annotations', GENERATION)) || 0;

/** Counts changes of the template, in an annotation that old clients read. */
function countTemplate(o: Shaped<shapes.AppsV1DaemonSet>, old: Shaped<shapes.AppsV1DaemonSet> | undefined): void {
  const before = old === undefined ? Math.max(templateCount(o), 1) : templateCount(old);
  const changed =
    old !== undefined && !equalAs('core/v1.PodTemplateSpec', at(o, 'spec', 'template'), at(old, 'spec', 'template'));
  setTemplateCount(o, before + (changed ? 1 : 0));
}

/** A write of the status does not change the count. */
function keepTemplateCount(o: Shaped<shapes.AppsV1DaemonSet>, old: Shaped<shapes.AppsV1DaemonSet>): void {
  setTemplateCount(o, templateCount(old));
}

function setTemplateCount(o: Shaped<shapes.AppsV1DaemonSet>, count: number): void {
  objectIn(objectIn(o, 'metadata'), 'annotations')[GENERATION] = String(count);
}

const SPEC = FieldPath.in<shapes.AppsV1DaemonSet>().child('spec');

function validate(o: Shaped<shapes.AppsV1DaemonSet>, errors: FieldErrors, old?: Shaped<shapes.AppsV1DaemonSet>): void {
  // The selector is immutable.
  const anyValues = hasInvalidValue(at(old, 'spec', 'selector'));
  selectorAndTemplate(o, { owner: 'DaemonSet', emptyFor: 'daemonset', required: false, anyValues }, errors, old);
  nonNegative(at(o, 'spec', 'minReadySeconds'), SPEC.child('minReadySeconds'), errors);
  updateStrategy(o, errors);
  nonNegative(at(o, 'spec', 'revisionHistoryLimit'), SPEC.child('revisionHistoryLimit'), errors);
}

function updateStrategy(o: Shaped<shapes.AppsV1DaemonSet>, errors: FieldErrors): void {
  const s = at(o, 'spec', 'updateStrategy');
  const path = SPEC.child('updateStrategy');
  const rolling = at(s, 'rollingUpdate');
  const type = textAt(s, 'type');
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    errors.notSupported(path, shown('apps/v1.DaemonSetUpdateStrategy', s), ['RollingUpdate', 'OnDelete']);
    return;
  }
  const here = path.child('rollingUpdate');
  if (rolling === undefined) {
    errors.required(here);
    return;
  }
  const unavailable = at(rolling, 'maxUnavailable');
  const surge = at(rolling, 'maxSurge');
  countOrPercent(unavailable, here.child('maxUnavailable'), errors);
  countOrPercent(surge, here.child('maxSurge'), errors);
  notOverHundredPercent(unavailable, here.child('maxUnavailable'), errors);
  notOverHundredPercent(surge, here.child('maxSurge'), errors);
  if (isNone(unavailable) && isNone(surge))
    errors.required(here.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0');
  else if (!isNone(unavailable) && !isNone(surge))
    errors.invalid(here.child('maxSurge'), surge, 'may not be set when maxUnavailable is non-zero');
}
