import {
  compareText,
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isObject,
  isPercent,
  type JsonObject,
  type JsonValue,
  type Shaped,
} from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import type { shapes } from '../../schema/index.js';
import type { WriteContext } from '../resource.js';
import { at, givenAt, nameOf, objectAt, objectIn } from './access.js';
import { defaultPodSpec, fill } from './core/pod/defaults.js';
import { alwaysRestarts, podWarnings, runningTemplate } from './core/pod/validation/index.js';
import { whenAbsent } from './defaults.js';
import { isEmptySelector, labelSelector, nonNegative, selects, shown } from './rules.js';

/** Helpers for kinds that create pods from a template. */

/** Helpers shared by the kinds that create pods from a template. */
interface Workload {
  readonly metadata?: shapes.MetaV1ObjectMeta;
  readonly spec?: {
    readonly selector?: shapes.MetaV1LabelSelector;
    readonly template?: shapes.CoreV1PodTemplateSpec;
  };
}

export function defaultTemplate(owner: Shaped<{ readonly template?: shapes.CoreV1PodTemplateSpec }>): void {
  const template = objectIn(owner, 'template');
  objectIn(template, 'metadata');
  defaultPodSpec(objectIn(template, 'spec'));
}

/** `maxUnavailable` and `maxSurge` of a rolling update, and the parent object that holds them. */
export function defaultRollingUpdate(
  strategy: Shaped<
    shapes.AppsV1DaemonSetUpdateStrategy | shapes.AppsV1DeploymentStrategy | shapes.AppsV1StatefulSetUpdateStrategy
  >,
  values: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
    readonly partition?: number;
  },
): void {
  fill(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = objectIn(strategy, 'rollingUpdate');
  for (const [field, value] of Object.entries(values)) whenAbsent<JsonObject>(rolling, field, value);
}

/** The oldest workload kinds default their labels and selector from the template. */
export function labelsFromTemplate(o: Shaped<Workload>, selectorToo: boolean): void {
  const labels = at(o, 'spec', 'template', 'metadata', 'labels');
  if (!isObject(labels) || Object.keys(labels).length === 0) return;
  const meta = objectIn(o, 'metadata');
  if (!isObject(meta['labels']) || Object.keys(meta['labels']).length === 0) meta['labels'] = { ...labels };
  const spec = objectIn(o, 'spec');
  if (selectorToo && (!isObject(spec['selector']) || Object.keys(spec['selector']).length === 0))
    spec['selector'] = { ...labels };
}

export interface SelectorRules {
  /** The owner's kind, as errors about its template name it. */
  readonly owner: string;
  /** The owner's kind, as the error about an empty selector names it. */
  readonly emptyFor: string;
  readonly required: boolean;
  /** The error for an invalid selector as a whole. If set, the template is then not compared with the selector. */
  readonly senseless?: string;
  /** The restart policy is checked beside an invalid selector, too. */
  readonly restartsBesideSelector?: boolean;
  /** The template is not validated, except that its pods restart. */
  readonly skipsTemplate?: boolean;
  /** Values in the selector need not be label values. */
  readonly anyValues?: boolean;
}

/** Validates the selector of a workload, and that it matches the labels of the template. */
export function selectorAndTemplate(
  o: Shaped<Workload>,
  rules: SelectorRules,
  errors: FieldErrors,
  old?: Shaped<Workload>,
): void {
  const path = FieldPath.in<Workload>().child('spec');
  const selector = at(o, 'spec', 'selector');
  const template = objectAt(o, 'spec', 'template');
  const here = path.child('template');
  let invalid = false;
  if (isObject(selector)) {
    errors.judge(
      () => labelSelector(selector, path.child('selector'), errors, rules.anyValues !== true),
      (added) => {
        invalid = added;
      },
    );
    if (isEmptySelector(selector))
      errors.invalid(
        path.child('selector'),
        shown('meta/v1.LabelSelector', selector),
        `empty selector is invalid for ${rules.emptyFor}`,
      );
  } else if (rules.required) errors.required(path.child('selector'));
  errors.after(() => {
    if (invalid && rules.senseless !== undefined) {
      errors.invalid(path.child('selector'), shown('meta/v1.LabelSelector', selector), rules.senseless);
      if (rules.restartsBesideSelector) alwaysRestarts(template, rules.owner, here, errors);
      return;
    }
    // a missing selector matches nothing, an empty one everything
    const labels = objectAt(template, 'metadata', 'labels');
    const selected =
      isObject(selector) && (rules.anyValues || isEmptySelector(selector) || selects(selector, labels) !== false);
    if (!selected && !invalid) mismatch(template, here, errors);
    if (rules.skipsTemplate) alwaysRestarts(template, rules.owner, here, errors);
    else runningTemplate(template, rules.owner, here, errors, old && objectAt(old, 'spec', 'template'));
  });
}

/** A map as Go prints it. */
const sortedMap = (map: JsonValue | undefined): JsonValue | undefined =>
  isObject(map) ? Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareText(a, b))) : map;

export function mismatch(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
): void {
  errors.invalid(
    path.child('metadata', 'labels'),
    sortedMap(givenAt(template, 'metadata', 'labels')),
    '`selector` does not match template `labels`',
  );
}

/** A selector is immutable. */
export function sameSelector(o: Shaped<Workload>, old: Shaped<Workload>, errors: FieldErrors): void {
  const selector = at(o, 'spec', 'selector');
  if (!equalJson(selector ?? null, at(old, 'spec', 'selector') ?? null))
    errors.invalid(
      FieldPath.in<Workload>().child('spec', 'selector'),
      shown('meta/v1.LabelSelector', selector),
      'field is immutable',
    );
}

/** Warnings about the template of a workload. */
export function* templateWarnings(
  o: Shaped<Workload>,
  old: Shaped<Workload> | undefined,
  context: WriteContext,
): Steps<void> {
  if (wantsOther(o, old)) yield* podWarnings(objectAt(o, 'spec', 'template'), 'spec.template', context.warn);
}

/** Warnings about a template are given only when the generation changes, not for changes of labels or status. */
export const wantsOther = (o: JsonObject, old: JsonObject | undefined): boolean =>
  old === undefined || at(o, 'metadata', 'generation') !== at(old, 'metadata', 'generation');

/** The same, with warnings about the name of the workload. */
export function* namedTemplateWarnings(
  o: Shaped<Workload>,
  old: Shaped<Workload> | undefined,
  context: WriteContext,
): Steps<void> {
  if (old === undefined) podNameWarning(o, context);
  yield* templateWarnings(o, old, context);
}

/** The names of workloads become pod names, which become host names. */
export function podNameWarning(o: Shaped<shapes.BatchV1CronJob | shapes.BatchV1Job>, context: WriteContext): void {
  const name = nameOf(o);
  const wrong = name.includes('.') ? ['must not contain dots'] : isDns1123Label(name);
  if (name !== '' && wrong.length > 0) {
    context.warn(
      `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${wrong.join(' ')}]`,
    );
  }
}

/** A number or percentage of pods, not negative. */
export function countOrPercent(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') for (const s of isPercent(value)) errors.invalid(path, value, s);
  else nonNegative(value, path, errors);
}

export function notOverHundredPercent(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string' && isPercent(value).length === 0 && Number.parseInt(value, 10) > 100)
    errors.invalid(path, value, 'must not be greater than 100%');
}

/** Whether a number or percentage is zero. Other text counts as zero. */
export const isNone = (value: JsonValue | undefined): boolean =>
  value === 0 ||
  value === undefined ||
  (typeof value === 'string' && !/^[-+]?0*[1-9]\d*$/.test(value) && !/^0*[1-9]\d*%$/.test(value));
