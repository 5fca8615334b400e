import {
  type BadValue,
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  isDns1123Label,
  type JsonValue,
  labelName,
  type Shaped,
  type Value,
} from '../../../api/index.js';
import { equalAs, type shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { claimSpec, claimWarnings } from '../core/claimspec.js';
import { fill, roundAmounts, roundClaim } from '../core/pod/defaults.js';
import { templateMeta } from '../core/pod/validation/index.js';
import { whenAbsent } from '../defaults.js';
import { scaleSubresource, selectorText, statusSubresource, versions, withStatus } from '../form.js';
import { labelSelector, nonNegative, oneOf, passes, sentences, shown } from '../rules.js';
import { statefulSetStatus } from '../status/counts.js';
import { AGE, age, column, containersAndImages, table, wide } from '../table.js';
import {
  countOrPercent,
  defaultRollingUpdate,
  defaultTemplate,
  isNone,
  notOverHundredPercent,
  selectorAndTemplate,
  templateWarnings,
  wantsOther,
} from '../workloads.js';

export const statefulSet: ResourceDeclaration<shapes.AppsV1StatefulSet> = {
  group: 'apps',
  resource: 'statefulsets',
  singular: 'statefulset',
  kind: 'StatefulSet',
  emptyObject: { spec: { replicas: 0 } },
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['sts'],
  categories: ['all'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      fill(spec, 'podManagementPolicy', 'OrderedReady');
      const strategy = objectIn(spec, 'updateStrategy');
      // A strategy with a type may omit the parameters.
      if (textAt(strategy, 'type') !== 'RollingUpdate' || at(strategy, 'rollingUpdate') !== undefined)
        defaultRollingUpdate(strategy, { partition: 0, maxUnavailable: 1 });
      whenAbsent(spec, 'replicas', 1);
      whenAbsent(spec, 'revisionHistoryLimit', 10);
      const retention = objectIn(spec, 'persistentVolumeClaimRetentionPolicy');
      fill(retention, 'whenDeleted', 'Retain');
      fill(retention, 'whenScaled', 'Retain');
      for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
        claim['kind'] = 'PersistentVolumeClaim';
        claim['apiVersion'] = 'v1';
        const inner = objectIn(claim, 'spec');
        whenAbsent(inner, 'volumeMode', 'Filesystem');
        roundClaim(inner);
        const status = objectIn(claim, 'status');
        fill(status, 'phase', 'Pending');
        for (const field of ['capacity', 'allocatedResources'] as const) roundAmounts(objectAt(status, field));
      }
      defaultTemplate(spec);
    },
    create: {
      validateName: labelName,
      validate: (o, errors, context) => {
        validate(o, errors, { old: undefined, mayRecreate: context.featureEnabled(RECREATE_GATE) });
      },
    },
    update: {
      validate: (o, old, errors, context) => {
        const recreated = textAt(old, 'spec', 'updateStrategy', 'type') === RECREATE;
        const mayRecreate = recreated || context.featureEnabled(RECREATE_GATE);
        validate(o, errors, { old, mayRecreate, skipsTemplate: keepsTemplate(o, old, mayRecreate) });
        identityUnchanged(o, old, errors);
      },
    },
    *warn(o, old, context) {
      yield* templateWarnings(o, old, context);
      if (!wantsOther(o, old)) return;
      for (const [i, claim] of objectsAt(o, 'spec', 'volumeClaimTemplates').entries()) {
        // kube-apiserver omits the spec from this path
        claimWarnings(objectAt(claim, 'spec'), `spec.volumeClaimTemplates[${i}]`, context.warn);
        yield;
      }
      if (numberAt(o, 'spec', 'revisionHistoryLimit') < 0)
        context.warn(
          'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
        );
    },
  }),
  subresources: {
    scale: scaleSubresource((o) => selectorText(at(o, 'spec', 'selector'))),
    status: statusSubresource({
      update: { validate: statefulSetStatus },
    }),
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

const SPEC = FieldPath.in<shapes.AppsV1StatefulSet>().child('spec');
const RECREATE = 'Recreate';
const RECREATE_GATE = 'StatefulSetRecreateStrategy';

/** The fields that identify the pods and their volumes, each with a function that formats its value for errors. */
const IMMUTABLE: readonly (readonly [
  FieldName<shapes.AppsV1StatefulSetSpec>,
  (value: JsonValue | undefined) => BadValue,
])[] = [
  ['selector', (v) => shown('meta/v1.LabelSelector', v)],
  ['volumeClaimTemplates', (v) => (v === undefined ? null : shown('[]core/v1.PersistentVolumeClaim', v))],
  ['serviceName', (v) => v ?? ''],
  ['podManagementPolicy', (v) => v ?? ''],
];

function identityUnchanged(
  o: Shaped<shapes.AppsV1StatefulSet>,
  old: Shaped<shapes.AppsV1StatefulSet>,
  errors: FieldErrors,
): void {
  for (const [field, show] of IMMUTABLE) {
    const now = at(o, 'spec', field);
    const before = at(old, 'spec', field) ?? null;
    const same =
      field === 'volumeClaimTemplates'
        ? equalAs('[]core/v1.PersistentVolumeClaim', now ?? null, before)
        : equalJson(now ?? null, before);
    if (!same) errors.invalid(SPEC.child(field), show(now), 'field is immutable');
  }
}

interface Write {
  /** The service and the claims of an old object are not validated again. */
  readonly old: Shaped<shapes.AppsV1StatefulSet> | undefined;
  /** The update strategy Recreate is allowed. */
  readonly mayRecreate: boolean;
  readonly skipsTemplate?: boolean;
}

/**
 * Whether an update is accepted with any template. It is if the stored object has a fault, in its template or elsewhere. The template of a
 * stored object without a fault is known to be valid.
 */
function keepsTemplate(
  o: Shaped<shapes.AppsV1StatefulSet>,
  old: Shaped<shapes.AppsV1StatefulSet>,
  mayRecreate: boolean,
): boolean {
  const [now, before] = [o, old].map((x) => objectAt(templateOfPods(x), 'spec', 'template'));
  return equalJson(now!, before!) || !passes((found) => validate(old, found, { old, mayRecreate }));
}

function validate(o: Shaped<shapes.AppsV1StatefulSet>, errors: FieldErrors, write: Write): void {
  const { old, mayRecreate, skipsTemplate = false } = write;
  const isNew = old === undefined;
  const management = textAt(o, 'spec', 'podManagementPolicy');
  if (management === '') errors.required(SPEC.child('podManagementPolicy'));
  else if (management !== 'OrderedReady' && management !== 'Parallel')
    errors.invalid(SPEC.child('podManagementPolicy'), management, "must be 'OrderedReady' or 'Parallel'");
  updateStrategy(o, errors, mayRecreate);
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = textAt(o, 'spec', 'persistentVolumeClaimRetentionPolicy', field);
    oneOf(value, SPEC.child('persistentVolumeClaimRetentionPolicy', field), ['Retain', 'Delete'], errors, false);
  }
  if (isNew) validateClaims(o, errors);
  nonNegative(at(o, 'spec', 'replicas'), SPEC.child('replicas'), errors);
  nonNegative(at(o, 'spec', 'minReadySeconds'), SPEC.child('minReadySeconds'), errors);
  nonNegative(at(o, 'spec', 'ordinals', 'start'), SPEC.child('ordinals', 'start'), errors);
  if (isNew) serviceName(o, errors);
  selectorAndTemplate(
    templateOfPods(o),
    {
      owner: 'StatefulSet',
      emptyFor: 'statefulset',
      required: true,
      senseless: '',
      restartsBesideSelector: true,
      skipsTemplate,
    },
    errors,
    old && templateOfPods(old),
  );
  const template = objectAt(o, 'spec', 'template');
  const before = old && objectAt(old, 'spec', 'template');
  // As in kube-apiserver, a template is looked at only beside a selector that can be parsed.
  const selects = passes((found) => labelSelector(at(o, 'spec', 'selector'), SPEC.child('selector'), found));
  if (selects) errors.after(() => templateMeta(template, SPEC.child('template'), errors, before));
}

function serviceName(o: Shaped<shapes.AppsV1StatefulSet>, errors: FieldErrors): void {
  const service = textAt(o, 'spec', 'serviceName');
  if (service !== '') sentences(service, isDns1123Label, SPEC.child('serviceName'), errors);
}

/**
 * Every pod has a volume for each claim template, with the template's name. Its host name and subdomain are its own and
 * the service's, so that those of the template are not validated.
 */
function templateOfPods(o: Shaped<shapes.AppsV1StatefulSet>): Shaped<shapes.AppsV1StatefulSet> {
  const claims = objectsAt(o, 'spec', 'volumeClaimTemplates').map((c) => textAt(c, 'metadata', 'name'));
  const spec = objectAt(o, 'spec');
  const template = objectAt(spec, 'template');
  const { hostname: _hostname, subdomain: _subdomain, ...podSpec } = objectAt(template, 'spec');
  const own = objectsAt(podSpec, 'volumes').filter((v) => !claims.includes(textAt(v, 'name')));
  const named = [...new Set(claims)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const volumes = [...named, ...own];
  return {
    ...o,
    spec: { ...spec, template: { ...template, spec: { ...podSpec, ...(volumes.length > 0 && { volumes }) } } },
  };
}

function validateClaims(o: Shaped<shapes.AppsV1StatefulSet>, errors: FieldErrors): void {
  errors.each(objectsAt(o, 'spec', 'volumeClaimTemplates'), (claim, i) =>
    claimSpec(objectAt(claim, 'spec'), SPEC.child('volumeClaimTemplates').index(i).child('spec'), errors),
  );
}

function updateStrategy(o: Shaped<shapes.AppsV1StatefulSet>, errors: FieldErrors, mayRecreate: boolean): void {
  const s = at(o, 'spec', 'updateStrategy');
  const path = SPEC.child('updateStrategy');
  const rolling = at(s, 'rollingUpdate');
  const type = textAt(s, 'type');
  if (type === '') errors.required(path);
  else if (type === 'RollingUpdate') rollingUpdate(rolling, path.child('rollingUpdate'), errors);
  else if (type === 'OnDelete' || (type === RECREATE && mayRecreate)) {
    if (rolling !== undefined)
      errors.invalid(
        path.child('rollingUpdate'),
        shown('apps/v1.RollingUpdateStatefulSetStrategy', rolling),
        "only allowed for updateStrategy 'RollingUpdate'",
      );
  } else {
    const types = mayRecreate ? "'RollingUpdate', 'OnDelete', or 'Recreate'" : "'RollingUpdate' or 'OnDelete'";
    errors.invalid(path, shown('apps/v1.StatefulSetUpdateStrategy', s), `must be ${types}`);
  }
}

function rollingUpdate(
  rolling: Value<shapes.AppsV1RollingUpdateStatefulSetStrategy> | undefined,
  path: FieldPath<shapes.AppsV1RollingUpdateStatefulSetStrategy>,
  errors: FieldErrors,
): void {
  nonNegative(at(rolling, 'partition'), path.child('partition'), errors);
  const unavailable = at(rolling, 'maxUnavailable');
  if (unavailable === undefined) return;
  const here = path.child('maxUnavailable');
  countOrPercent(unavailable, here, errors);
  if (isNone(unavailable)) errors.invalid(here, unavailable, 'cannot be 0');
  notOverHundredPercent(unavailable, here, errors);
}
