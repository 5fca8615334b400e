import {
  cloneJson,
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  isDns1123Label,
  isObject,
  isQualifiedName,
  type Shaped,
  type Value,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, boolAt, givenAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { podTemplate, podWarnings } from '../core/pod/validation/index.js';
import { keep } from '../form.js';
import { domainPrefixedPath, labelSelector, nonNegative, oneOf, selects, sentences, shown } from '../rules.js';
import { indexesIn } from './indexes.js';

/** Validation of jobs, and of the job templates of cron jobs. */

const PARALLEL_INDEXES_MAX = 100_000;
/** Above this number of completions, failed indexes and parallelism are limited. */
const MANY_COMPLETIONS = 100_000;
const POLICY_RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const PATTERNS_MAX = 20;
const MANAGED_BY_MAX = 63;
const MODES = ['NonIndexed', 'Indexed'];
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const RESTARTS = ['OnFailure', 'Never'];

/** Whether indexes do not count. An unknown mode is neither plain nor indexed, so that it gets no further errors. */
const isPlain = (spec: Shaped<shapes.BatchV1JobSpec>): boolean =>
  [undefined, 'NonIndexed'].includes(at(spec, 'completionMode') as string);
const isIndexed = (spec: Shaped<shapes.BatchV1JobSpec>): boolean => textAt(spec, 'completionMode') === 'Indexed';

/** Rules that also apply to the job template of a cron job. */
export function jobSpec(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: FieldPath<shapes.BatchV1JobSpec>,
  errors: FieldErrors,
): void {
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
  ] as const)
    nonNegative(at(spec, field), path.child(field), errors);
  perIndex(spec, path, errors);
  const managedBy = at(spec, 'managedBy');
  if (typeof managedBy === 'string') {
    const here = path.child('managedBy');
    if (managedBy === '') errors.required(here);
    else domainPrefixedPath(managedBy, here, errors);
    if (managedBy.length > MANAGED_BY_MAX) errors.tooLong(here, MANAGED_BY_MAX);
  }
  const mode = at(spec, 'completionMode');
  if (typeof mode === 'string') {
    oneOf(mode, path.child('completionMode'), MODES, errors, false);
    if (mode === 'Indexed') indexed(spec, path, errors);
  }
  const policy = at(spec, 'podFailurePolicy');
  if (policy !== undefined) failurePolicy(spec, path.child('podFailurePolicy'), errors);
  if (at(spec, 'successPolicy') !== undefined) successPolicy(spec, path.child('successPolicy'), errors);
  const replacement = at(spec, 'podReplacementPolicy');
  if (typeof replacement === 'string')
    oneOf(
      replacement,
      path.child('podReplacementPolicy'),
      policy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'],
      errors,
      false,
    );
  const template = objectAt(spec, 'template');
  podTemplate(template, path.child('template'), errors);
  restartPolicy(template, policy !== undefined, path.child('template', 'spec', 'restartPolicy'), errors);
}

/** Pods of a job must terminate, so they are not restarted always. */
function restartPolicy(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  hasPolicy: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const policy = textAt(template, 'spec', 'restartPolicy');
  if (policy === '' || policy === 'Always')
    errors.required(path, `valid values: ${RESTARTS.map((r) => JSON.stringify(r)).join(', ')}`);
  else if (!RESTARTS.includes(policy)) errors.notSupported(path, policy, RESTARTS);
  else if (hasPolicy && policy !== 'Never')
    errors.invalid(path, policy, `only "Never" is supported when podFailurePolicy is specified`);
}

function perIndex(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: FieldPath<shapes.BatchV1JobSpec>,
  errors: FieldErrors,
): void {
  const limit = at(spec, 'backoffLimitPerIndex');
  if (limit !== undefined && isPlain(spec))
    errors.invalid(path.child('backoffLimitPerIndex'), limit, 'requires indexed completion mode');
  const failed = at(spec, 'maxFailedIndexes');
  const here = path.child('maxFailedIndexes');
  if (failed === undefined) return;
  nonNegative(failed, here, errors);
  if (limit === undefined) errors.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
  if (isPlain(spec)) errors.invalid(here, failed, 'requires indexed completion mode');
}

function indexed(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: FieldPath<shapes.BatchV1JobSpec>,
  errors: FieldErrors,
): void {
  const completions = at(spec, 'completions');
  if (completions === undefined) errors.required(path.child('completions'), 'when completion mode is Indexed');
  const parallelism = numberAt(spec, 'parallelism');
  if (parallelism > PARALLEL_INDEXES_MAX)
    errors.invalid(
      path.child('parallelism'),
      parallelism,
      `must be less than or equal to ${PARALLEL_INDEXES_MAX} when completion mode is Indexed`,
    );
  const failed = at(spec, 'maxFailedIndexes');
  if (typeof completions !== 'number') return;
  const here = path.child('maxFailedIndexes');
  if (typeof failed === 'number' && failed > completions)
    errors.invalid(here, failed, 'must be less than or equal to completions');
  if (at(spec, 'backoffLimitPerIndex') !== undefined && completions > MANY_COMPLETIONS) {
    if (failed === undefined) errors.required(here, `must be specified when completions is above ${MANY_COMPLETIONS}`);
    else if (numberAt(spec, 'maxFailedIndexes') > 10_000)
      errors.invalid(
        here,
        failed,
        `must be less than or equal to 10000 when completions are above ${MANY_COMPLETIONS}`,
      );
    if (parallelism > 10_000)
      errors.invalid(
        path.child('parallelism'),
        parallelism,
        `must be less than or equal to 10000 when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`,
      );
  }
}

function failurePolicy(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: FieldPath<shapes.BatchV1PodFailurePolicy>,
  errors: FieldErrors,
): void {
  const rules = objectsAt(spec, 'podFailurePolicy', 'rules');
  const here = path.child('rules');
  if (rules.length > POLICY_RULES_MAX) errors.tooMany(here, rules.length, POLICY_RULES_MAX);
  const containers = new Set(
    [
      ...objectsAt(spec, 'template', 'spec', 'containers'),
      ...objectsAt(spec, 'template', 'spec', 'initContainers'),
    ].map((c) => textAt(c, 'name')),
  );
  for (const [i, rule] of rules.entries()) failureRule(rule, spec, containers, here.index(i), errors);
}

const goList = (values: readonly string[]): string =>
  `valid values: [${values.map((v) => JSON.stringify(v)).join(' ')}]`;

function failureRule(
  rule: Shaped<shapes.BatchV1PodFailurePolicyRule>,
  spec: Shaped<shapes.BatchV1JobSpec>,
  containers: ReadonlySet<string>,
  path: FieldPath<shapes.BatchV1PodFailurePolicyRule>,
  errors: FieldErrors,
): void {
  const action = textAt(rule, 'action');
  if (action === '') errors.required(path.child('action'), goList(ACTIONS));
  else if (action === 'FailIndex' && at(spec, 'backoffLimitPerIndex') === undefined)
    errors.invalid(path.child('action'), action, 'requires the backoffLimitPerIndex to be set');
  else if (!ACTIONS.includes(action)) errors.notSupported(path.child('action'), action, ACTIONS);
  const codes = at(rule, 'onExitCodes');
  const conditions = objectsAt(rule, 'onPodConditions');
  if (codes !== undefined) exitCodes(codes, containers, path.child('onExitCodes'), errors);
  podConditions(conditions, path.child('onPodConditions'), errors);
  if (codes !== undefined && conditions.length > 0)
    errors.add(
      'FieldValueInvalid',
      path,
      'Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
    );
  else if (codes === undefined && conditions.length === 0)
    errors.add(
      'FieldValueInvalid',
      path,
      'Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    );
}

function podConditions(
  conditions: readonly Shaped<shapes.BatchV1PodFailurePolicyOnPodConditionsPattern>[],
  path: FieldPath<readonly shapes.BatchV1PodFailurePolicyOnPodConditionsPattern[]>,
  errors: FieldErrors,
): void {
  if (conditions.length > PATTERNS_MAX) errors.tooMany(path, conditions.length, PATTERNS_MAX);
  for (const [j, condition] of conditions.entries()) {
    sentences(textAt(condition, 'type'), isQualifiedName, path.index(j).child('type'), errors);
    const status = textAt(condition, 'status');
    const values = ['False', 'True', 'Unknown'];
    if (status === '') errors.required(path.index(j).child('status'), goList(values));
    else if (!values.includes(status)) errors.notSupported(path.index(j).child('status'), status, values);
  }
}

function exitCodes(
  codes: Value<shapes.BatchV1PodFailurePolicyOnExitCodesRequirement>,
  containers: ReadonlySet<string>,
  path: FieldPath<shapes.BatchV1PodFailurePolicyOnExitCodesRequirement>,
  errors: FieldErrors,
): void {
  const operator = textAt(codes, 'operator');
  if (operator === '') errors.required(path.child('operator'), goList(OPERATORS));
  else if (!OPERATORS.includes(operator)) errors.notSupported(path.child('operator'), operator, OPERATORS);
  const name = at(codes, 'containerName');
  if (typeof name === 'string' && !containers.has(name))
    errors.invalid(
      path.child('containerName'),
      name,
      'must be one of the container or initContainer names in the pod template',
    );
  const values = listAt(codes, 'values').map(Number);
  const here = path.child('values');
  if (values.length === 0) errors.invalid(here, givenAt(codes, 'values'), 'at least one value is required');
  else if (values.length > EXIT_CODES_MAX) errors.tooMany(here, values.length, EXIT_CODES_MAX);
  let ordered = true;
  const seen = new Set<number>();
  for (const [j, v] of values.entries()) {
    if (operator === 'In' && v === 0) errors.invalid(here.index(j), v, 'must not be 0 for the In operator');
    if (seen.has(v)) errors.duplicate(here.index(j), v);
    else seen.add(v);
    if (j > 0 && values[j - 1]! > v) ordered = false;
  }
  if (!ordered) errors.invalid(here, values, 'must be ordered');
}

const SUCCESS_RULES_MAX = 20;

function successPolicy(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: FieldPath<shapes.BatchV1SuccessPolicy>,
  errors: FieldErrors,
): void {
  if (!isIndexed(spec)) {
    errors.invalid(
      path,
      shown('batch/v1.SuccessPolicy', at(spec, 'successPolicy')),
      'requires indexed completion mode',
    );
    return;
  }
  const rules = objectsAt(spec, 'successPolicy', 'rules');
  const here = path.child('rules');
  if (rules.length === 0)
    errors.required(here, 'at least one rules must be specified when the successPolicy is specified');
  if (rules.length > SUCCESS_RULES_MAX) errors.tooMany(here, rules.length, SUCCESS_RULES_MAX);
  for (const [i, rule] of rules.entries()) successRule(rule, numberAt(spec, 'completions'), here.index(i), errors);
}

function successRule(
  rule: Shaped<shapes.BatchV1SuccessPolicyRule>,
  completions: number,
  path: FieldPath<shapes.BatchV1SuccessPolicyRule>,
  errors: FieldErrors,
): void {
  const count = at(rule, 'succeededCount');
  const indexes = at(rule, 'succeededIndexes');
  if (count === undefined && indexes === undefined)
    errors.required(path, 'at least one of succeededCount or succeededIndexes must be specified');
  let total = 0;
  if (typeof indexes === 'string') {
    const parsed = indexesIn(indexes, completions);
    if (typeof parsed === 'number') total = parsed;
    else errors.invalid(path.child('succeededIndexes'), indexes, `error parsing succeededIndexes: ${parsed}`);
  }
  if (typeof count !== 'number') return;
  const here = path.child('succeededCount');
  nonNegative(count, here, errors);
  if (count > completions)
    errors.invalid(here, count, `must be less than or equal to ${completions} (the number of specified completions)`);
  if (typeof indexes === 'string' && count > total)
    errors.invalid(
      here,
      count,
      `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
    );
}

const SPEC = FieldPath.in<shapes.BatchV1Job>().child('spec');

/** Validates a job on create, after its selector and labels are generated. */
export function validateJob(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  if (!boolAt(spec, 'manualSelector') && at(spec, 'selector') !== undefined) generatedLabels(o, errors);
  chosenPods(spec, errors);
  nameAllowsIndexes(o, errors);
}

/** Validates the template and the selector. */
function chosenPods(spec: Shaped<shapes.BatchV1JobSpec>, errors: FieldErrors): void {
  jobSpec(spec, SPEC, errors);
  const selector = at(spec, 'selector');
  if (selector === undefined) errors.required(SPEC.child('selector'));
  else labelSelector(selector, SPEC.child('selector'), errors);
  const matches = isObject(selector) && selects(selector, objectAt(spec, 'template', 'metadata', 'labels'));
  if (matches === false || selector === undefined)
    errors.invalid(
      SPEC.child('template', 'metadata', 'labels'),
      givenAt(spec, 'template', 'metadata', 'labels'),
      '`selector` does not match template `labels`',
    );
}

/** Labels that distinguish the pods of one job from those of another of the same name. */
function generatedLabels(o: Shaped<shapes.BatchV1Job>, errors: FieldErrors): void {
  const labels = objectAt(o, 'spec', 'template', 'metadata', 'labels');
  const path = SPEC.child('template', 'metadata', 'labels');
  const wanted = generated(o);
  for (const [key, value] of Object.entries(wanted)) {
    const v = labels[key];
    if (v === undefined) errors.required(path.key(key), `must be '${value}'`);
    else if (v !== value) errors.invalid(path.key(key), v, `must be '${value}'`);
  }
}

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
  chosenPods(spec, errors);
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
    if (!equalJson(now, was))
      errors.invalid(SPEC.child('template'), shown('core/v1.PodTemplateSpec', now), 'field is immutable');
    return;
  }
  const allowed = cloneJson(objectAt(was, 'spec'));
  const wanted = objectAt(now, 'spec');
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) keep(field, allowed, wanted);
  allowNodeAffinity(allowed, wanted);
  for (const list of ['containers', 'initContainers'] as const) allowResources(allowed, wanted, list);
  if (!equalJson(wanted, allowed))
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

/** Above this parallelism a job with many completions may outgrow the size limit of `completedIndexes`. */
const PARALLEL_WHEN_MANY = 10_000;

export function jobSpecWarnings(spec: Shaped<shapes.BatchV1JobSpec>, path: string, warn: (text: string) => void): void {
  if (
    isIndexed(spec) &&
    numberAt(spec, 'completions') > MANY_COMPLETIONS &&
    numberAt(spec, 'parallelism') > PARALLEL_WHEN_MANY
  )
    warn(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  podWarnings(objectAt(spec, 'template'), `${path}.template`, warn);
}
