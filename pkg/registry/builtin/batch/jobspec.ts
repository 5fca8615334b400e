import { type FieldErrors, type FieldPath, isQualifiedName, type Shaped, type Value } from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, givenAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { podTemplate, podWarnings } from '../core/pod/validation/index.js';
import { domainPrefixedPath, nonNegative, oneOf, sentences, shown } from '../rules.js';
import { indexesIn } from './indexes.js';

/** Validation of the specification of jobs, also in the templates of cron jobs. */

const FAILED_INDEXES_MAX = 100_000;
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
export const isIndexed = (spec: Shaped<shapes.BatchV1JobSpec>): boolean => textAt(spec, 'completionMode') === 'Indexed';

/** Rules that also apply to the job template of a cron job. */
export function jobSpec(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: FieldPath<shapes.BatchV1JobSpec>,
  errors: FieldErrors,
  old?: Shaped<shapes.BatchV1JobSpec>,
): void {
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const)
    nonNegative(at(spec, field), path.child(field), errors);
  if (at(spec, 'maxFailedIndexes') !== undefined && at(spec, 'backoffLimitPerIndex') === undefined)
    errors.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
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
  if (isPlain(spec))
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (at(spec, field) !== undefined)
        errors.invalid(path.child(field), at(spec, field), 'requires indexed completion mode');
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
  podTemplate(template, path.child('template'), errors, old && objectAt(old, 'template'));
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
  if (typeof failed === 'number' && failed > FAILED_INDEXES_MAX)
    errors.invalid(here, failed, `must be less than or equal to ${FAILED_INDEXES_MAX}`);
  if (at(spec, 'backoffLimitPerIndex') !== undefined && completions > MANY_COMPLETIONS) {
    if (failed === undefined) errors.required(here, `must be specified when completions is above ${MANY_COMPLETIONS}`);
    const rule = `must be less than or equal to 10000 when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
    if (parallelism > 10_000) errors.invalid(path.child('parallelism'), parallelism, rule);
    if (typeof failed === 'number' && failed > 10_000) errors.invalid(here, failed, rule);
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
  errors.each(rules, (rule, i) => failureRule(rule, spec, containers, here.index(i), errors));
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
  errors.each(conditions, (condition, j) => {
    sentences(textAt(condition, 'type'), isQualifiedName, path.index(j).child('type'), errors);
    const status = textAt(condition, 'status');
    const values = ['False', 'True', 'Unknown'];
    if (status === '') errors.required(path.index(j).child('status'), goList(values));
    else if (!values.includes(status)) errors.notSupported(path.index(j).child('status'), status, values);
  });
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
  errors.each(rules, (rule, i) => successRule(rule, numberAt(spec, 'completions'), here.index(i), errors));
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

/** Above this parallelism a job with many completions may outgrow the size limit of `completedIndexes`. */
const PARALLEL_WHEN_MANY = 10_000;

export function* jobSpecWarnings(
  spec: Shaped<shapes.BatchV1JobSpec>,
  path: string,
  warn: (text: string) => void,
): Steps<void> {
  if (
    isIndexed(spec) &&
    numberAt(spec, 'completions') > MANY_COMPLETIONS &&
    numberAt(spec, 'parallelism') > PARALLEL_WHEN_MANY
  )
    warn(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  yield* podWarnings(objectAt(spec, 'template'), `${path}.template`, warn);
}
