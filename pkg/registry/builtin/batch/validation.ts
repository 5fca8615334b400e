import {
  cloneJson,
  equalJson,
  FieldErrors,
  type FieldName,
  FieldPath,
  goJson,
  isDns1123Label,
  isObject,
  Printed,
  type Shaped,
} from '../../../api/index.js';
import { equalAs, type shapes } from '../../../schema/index.js';
import { at, boolAt, givenAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { keep } from '../form.js';
import { hasInvalidValue, labelSelector, selects, shown } from '../rules.js';
import { isIndexed, jobSpec } from './jobspec.js';

/** Validation of jobs: what concerns the whole object, and updates. */

const SPEC = FieldPath.in<shapes.BatchV1Job>().child('spec');

/** Validates a job on create, after its selector and labels are generated. */
export function validateJob(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  if (!boolAt(spec, 'manualSelector') && at(spec, 'selector') !== undefined) generatedLabels(o, errors);
  chosenPods(spec, errors);
  nameAllowsIndexes(o, errors);
}

/** Validates the template and the selector. */
function chosenPods(
  spec: Shaped<shapes.BatchV1JobSpec>,
  errors: FieldErrors,
  old?: Shaped<shapes.BatchV1JobSpec>,
): void {
  jobSpec(spec, SPEC, errors, old);
  const selector = at(spec, 'selector');
  // The selector is immutable. One with a value that is not a label value selects nothing.
  const anyValues = hasInvalidValue(at(old, 'selector'));
  if (selector === undefined) errors.required(SPEC.child('selector'));
  else if (errors.adds(() => labelSelector(selector, SPEC.child('selector'), errors, !anyValues))) return;
  if (anyValues) return;
  const matches = isObject(selector) && selects(selector, objectAt(spec, 'template', 'metadata', 'labels'));
  if (matches === false || selector === undefined)
    errors.invalid(
      SPEC.child('template', 'metadata', 'labels'),
      new Printed(() => goJson(givenAt(spec, 'template', 'metadata', 'labels') ?? null)),
      '`selector` does not match template `labels`',
    );
}

/** Labels that distinguish the pods of one job from those of another of the same name, and the selector of one of them. */
function generatedLabels(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  const labels = objectAt(o, 'spec', 'template', 'metadata', 'labels');
  const path = SPEC.child('template', 'metadata', 'labels');
  const wanted = generated(o);
  for (const [key, value] of Object.entries(wanted)) {
    const v = labels[key];
    if (v === undefined) errors.required(path.key(key), `must be '${value}'`);
    else if (v !== value) errors.invalid(path.key(key), new Printed(() => goJson(labels)), `must be '${value}'`);
  }
  const selector = objectAt(o, 'spec', 'selector');
  const found = new FieldErrors();
  labelSelector(selector, SPEC.child('selector'), found);
  if (found.empty && selects(selector, wanted) === false)
    errors.invalid(SPEC.child('selector'), shown('meta/v1.LabelSelector', selector), '`selector` not auto-generated');
}

/** The label by which a generated selector selects. */
export const SELECTED = 'batch.kubernetes.io/controller-uid';

export function generated(o: Shaped<shapes.BatchV1Job>): Readonly<Record<string, string>> {
  const uid = textAt(o, 'metadata', 'uid');
  const name = textAt(o, 'metadata', 'name');
  return {
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
  };
}

/** Immutable fields, with the type name of those that are not scalars. */
const FIXED = {
  completionMode: undefined,
  podFailurePolicy: 'batch/v1.PodFailurePolicy',
  backoffLimitPerIndex: undefined,
  managedBy: undefined,
  successPolicy: 'batch/v1.SuccessPolicy',
} satisfies Readonly<Partial<Record<FieldName<shapes.BatchV1JobSpec>, string | undefined>>>;

export function validateJobUpdate(
  o: Shaped<shapes.BatchV1Job>,
  old: Shaped<shapes.BatchV1Job>,
  errors: FieldErrors,
): void {
  const spec = objectAt(o, 'spec');
  const before = objectAt(old, 'spec');
  chosenPods(spec, errors, before);
  completions(spec, before, errors);
  fixed(spec, before, 'selector', 'meta/v1.LabelSelector', errors);
  template(spec, before, old, errors);
  for (const [field, type] of Object.entries(FIXED) as [keyof typeof FIXED, string | undefined][])
    fixed(spec, before, field, type, errors);
  nameAllowsIndexes(o, errors);
}

/** The pods of an indexed job use the job's name and the index as their hostname. */
function nameAllowsIndexes(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  const completed = numberAt(o, 'spec', 'completions');
  if (!isIndexed(objectAt(o, 'spec')) || completed <= 0) return;
  const name = textAt(o, 'metadata', 'name');
  const hostname = `${name}-${completed - 1}`;
  if (isDns1123Label(hostname).length > 0)
    errors.invalid(
      FieldPath.in<shapes.BatchV1Job>().child('metadata', 'name'),
      name,
      `will not able to create pod with invalid DNS label: ${hostname}`,
    );
}

function fixed(
  spec: Shaped<shapes.BatchV1JobSpec>,
  before: Shaped<shapes.BatchV1JobSpec>,
  field: FieldName<shapes.BatchV1JobSpec>,
  type: string | undefined,
  errors: FieldErrors,
): void {
  const now = at(spec, field);
  if (equalJson(now ?? null, at(before, field) ?? null)) return;
  errors.invalid(SPEC.child(field), type === undefined ? now : shown(type, now), 'field is immutable');
}

/** Elastic indexed jobs: completions may change together with parallelism. */
function completions(
  spec: Shaped<shapes.BatchV1JobSpec>,
  before: Shaped<shapes.BatchV1JobSpec>,
  errors: FieldErrors,
): void {
  const now = at(spec, 'completions');
  if (equalJson(now ?? null, at(before, 'completions') ?? null)) return;
  const path = SPEC.child('completions');
  if (!isIndexed(spec)) errors.invalid(path, now, 'field is immutable');
  else if (now !== undefined && now !== at(spec, 'parallelism'))
    errors.invalid(path, now, 'can only be modified in tandem with spec.parallelism');
}

/**
 * The template may change only while the job is suspended, has no active pods, and either never started or reports that it is
 * suspended. Then the scheduling fields, labels, annotations and container resources are mutable.
 */
function template(
  spec: Shaped<shapes.BatchV1JobSpec>,
  before: Shaped<shapes.BatchV1JobSpec>,
  old: Shaped<shapes.BatchV1Job>,
  errors: FieldErrors,
): void {
  const now = objectAt(spec, 'template');
  const was = objectAt(before, 'template');
  const reported = objectsAt(old, 'status', 'conditions').some(
    (c) => textAt(c, 'type') === 'Suspended' && textAt(c, 'status') === 'True',
  );
  const notStarted = textAt(old, 'status', 'startTime') === '';
  const mutable = boolAt(before, 'suspend') && (notStarted || reported) && numberAt(old, 'status', 'active') === 0;
  if (!mutable) {
    if (!equalAs('core/v1.PodTemplateSpec', now, was))
      errors.invalid(SPEC.child('template'), shown('core/v1.PodTemplateSpec', now), 'field is immutable');
    return;
  }
  const allowed = cloneJson(objectAt(was, 'spec'));
  const wanted = objectAt(now, 'spec');
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) keep(field, allowed, wanted);
  allowNodeAffinity(allowed, wanted);
  for (const list of ['containers', 'initContainers'] as const) allowResources(allowed, wanted, list);
  if (!equalAs('core/v1.PodSpec', wanted, allowed))
    errors.invalid(SPEC.child('template', 'spec'), shown('core/v1.PodSpec', wanted), 'field is immutable');
}

/** Copies the node affinity of `wanted` into `allowed`. Pod affinity stays. */
function allowNodeAffinity(allowed: Shaped<shapes.CoreV1PodSpec>, wanted: Shaped<shapes.CoreV1PodSpec>): void {
  const affinity = { ...objectAt(allowed, 'affinity') };
  delete affinity['nodeAffinity'];
  const node = at(wanted, 'affinity', 'nodeAffinity');
  if (node !== undefined) affinity['nodeAffinity'] = node;
  if (isObject(wanted['affinity']) || Object.keys(affinity).length > 0) allowed['affinity'] = affinity;
  else delete allowed['affinity'];
}

function allowResources(
  allowed: Shaped<shapes.CoreV1PodSpec>,
  wanted: Shaped<shapes.CoreV1PodSpec>,
  list: 'containers' | 'initContainers',
): void {
  const [now, was] = [objectsAt(wanted, list), objectsAt(allowed, list)];
  if (now.length !== was.length) return;
  for (const [i, c] of was.entries()) if (textAt(c, 'name') === textAt(now[i], 'name')) keep('resources', c, now[i]!);
}
