import {
  type AdmissionObjects,
  type AdmissionRequest,
  type AdmissionStep,
  ApiError,
  type JsonObject,
  listAt,
  type StatusReason,
  type StoredObjects,
  textAt,
} from '../../api/index.js';
import { CheckMemo, isError, type Pace } from '../../cel/index.js';
import { forbidden } from '../step.js';
import { type AuthorizeCheck, checkDecider } from './checks.js';
import type { CompiledPolicy } from './compile.js';
import type { ConditionsObserver, MatchConditionMetrics } from './conditionmetrics.js';
import { type Attempts, Evaluation, type Inputs, OutOfBudget, settled } from './evaluation.js';
import { ConversionFailure, matchedSubject, objectsIn } from './matching.js';
import type { Enforcement, PolicyMetrics } from './metrics.js';
import { collectParams, ParamsError, paramKindProblem } from './params.js';
import { type Binding, type BoundPolicy, PolicySource } from './source.js';

export const POLICY_RESOURCES: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Policies do not apply to policies, because one that denies everything could not be deleted. */
export function isPolicy({ groupResource }: AdmissionRequest): boolean {
  return groupResource.group === 'admissionregistration.k8s.io' && POLICY_RESOURCES.has(groupResource.resource);
}

export interface PolicyWorld {
  readonly objects: StoredObjects;
  readonly authorize: AuthorizeCheck;
  /** Decides when evaluation yields. */
  readonly pace: Pace;
  readonly conditions?: MatchConditionMetrics;
}

/** A failed validation, or one with an evaluation error and failurePolicy Fail. */
interface Failure {
  readonly message: string;
  readonly reason: string;
  /** The index of the expression; -1 for a failure of the binding or the whole policy. */
  readonly index: number;
  /** Configuration errors deny the request regardless of the binding's actions. */
  readonly always: boolean;
  /** How long the check took, in milliseconds; undefined if nothing was evaluated. */
  readonly took: number | undefined;
}

interface Denial {
  readonly policy: BoundPolicy;
  /** Undefined if no binding of the policy can be evaluated. */
  readonly binding: Binding | undefined;
  readonly failure: Failure;
}

interface AuditedFailure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly expressionIndex: number;
  readonly validationActions: readonly string[];
}

const AUDITED_MAX = 50;
const ANNOTATION_BYTES_MAX = 10 * 1024;
const MESSAGE_BYTES_MAX = 5 * 1024;

/** ValidatingAdmissionPolicy: evaluates every bound policy that matches. The first denial is the response. */
export function validatingPolicyStep(policies: PolicyWorld, metrics: PolicyMetrics): AdmissionStep {
  const source = new PolicySource(policies, 'validating');
  const world: ValidatingWorld = { ...policies, metrics };
  return {
    name: 'ValidatingAdmissionPolicy',
    validate: (request) => {
      if (isPolicy(request)) return;
      const policies = source.current();
      if (policies instanceof Promise) return policies.then((all) => decide(all, request, world));
      return policies.length === 0 ? undefined : decide(policies, request, world);
    },
  };
}

interface ValidatingWorld extends PolicyWorld {
  readonly metrics: PolicyMetrics;
}

async function decide(
  policies: readonly BoundPolicy[],
  request: AdmissionRequest,
  world: ValidatingWorld,
): Promise<void> {
  const denials: Denial[] = [];
  const audited: AuditedFailure[] = [];
  const checks = new CheckMemo(checkDecider(request, world.authorize));
  for (const policy of policies) {
    if (matchedSubject(policy.constraints, request, world.objects) === undefined) continue;
    const broken = paramKindProblem(policy.object['spec']!, world.objects);
    if (broken !== undefined) {
      const failure: Failure = { message: broken, reason: 'Invalid', index: -1, always: true, took: undefined };
      if (fails(policy)) denials.push({ policy, binding: undefined, failure });
      continue;
    }
    const annotations = new Map<string, Set<string>>();
    for (const binding of policy.bindings) {
      if (matchedSubject(binding.constraints, request, world.objects) === undefined) continue;
      for (const failure of await failuresOf(policy, binding, request, world, checks, annotations))
        act({ policy, binding, failure }, request, world.metrics, { denials, audited });
    }
    for (const [key, values] of annotations) request.annotate(`${policy.name}/${key}`, [...values].join(', '));
  }
  if (audited.length > 0) {
    const value = JSON.stringify(audited.slice(0, AUDITED_MAX));
    request.annotate('validation.policy.admission.k8s.io/validation_failure', value);
  }
  if (denials.length > 0) throw denied(request, denials[0]!);
}

/** Applies the validation actions of the binding to a failure. */
function act(
  denial: Denial & { readonly binding: Binding },
  request: AdmissionRequest,
  metrics: PolicyMetrics,
  { denials, audited }: { readonly denials: Denial[]; readonly audited: AuditedFailure[] },
): void {
  const { policy, binding, failure } = denial;
  const actions = listAt(binding.object, 'spec', 'validationActions').map(String);
  const count = (action: string): void => {
    if (failure.took !== undefined)
      metrics.failed(denial, action.toLowerCase() as Enforcement, failure.message, failure.took);
  };
  if (failure.always) {
    count('deny');
    denials.push(denial);
    return;
  }
  for (const action of actions) {
    count(action);
    if (action === 'Deny') denials.push(denial);
    else if (action === 'Warn')
      request.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${failure.message}`,
      );
    else if (action === 'Audit')
      audited.push({
        message: failure.message,
        policy: policy.name,
        binding: binding.name,
        expressionIndex: failure.index,
        validationActions: actions,
      });
  }
}

const CODES: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function denied(request: AdmissionRequest, { policy, binding, failure }: Denial): ApiError {
  const by = binding === undefined ? '' : ` with binding '${binding.name}'`;
  const message = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${failure.message}`;
  const { message: sentence, details } = forbidden(request, message).status;
  const causes = [...(details?.causes ?? []), { message }];
  const reason = failure.reason as StatusReason;
  return new ApiError(CODES[failure.reason] ?? 422, reason, sentence ?? message, { ...details, causes });
}

const fails = (policy: BoundPolicy) => textAt(policy.object, 'spec', 'failurePolicy') !== 'Ignore';

/** Evaluates one binding with each of its parameters. */
async function failuresOf(
  policy: BoundPolicy,
  binding: Binding,
  request: AdmissionRequest,
  world: ValidatingWorld,
  checks: CheckMemo,
  annotations: Map<string, Set<string>>,
): Promise<readonly Failure[]> {
  const isFatal = fails(policy);
  let params: readonly (JsonObject | null)[];
  let matched: AdmissionObjects;
  try {
    const spec = policy.object['spec']!;
    const ref = (binding.object['spec'] as JsonObject)['paramRef'];
    params = await collectParams(spec, ref, request, world.objects);
    matched = await objectsIn(request, matchedSubject(policy.constraints, request, world.objects)!);
  } catch (error) {
    const why = bindingProblem(error);
    if (!isFatal) return [];
    const message = `failed to configure binding: ${why}`;
    return [{ message, reason: 'Invalid', index: -1, always: true, took: undefined }];
  }
  const namespace = await namespaceOf(request, world.objects);
  const failures: Failure[] = [];
  for (const param of params) {
    const inputs: Inputs = { request, matched, params: param, namespace, checks, variables: policy.compiled.variables };
    const observe = world.metrics.conditions.began({ kind: 'policy', name: policy.name, type: 'validate' }, request);
    const now = (): number => world.metrics.now();
    const found = await settled(world.pace, (attempts) =>
      evaluate(policy, { inputs, attempts, observe, now }, isFatal, annotations),
    );
    failures.push(...found.failures);
    for (const { message, took } of found.ignored) world.metrics.failed({ policy, binding }, 'allow', message, took);
  }
  return failures;
}

/** Why a binding cannot be evaluated for a request. Any other error is thrown. */
function bindingProblem(error: unknown): string {
  if (error instanceof ParamsError) return error.message;
  if (error instanceof ConversionFailure) return `failed to convert object version: ${error.message}`;
  throw error;
}

/** Returns the namespace of the object. A Namespace has none. */
export async function namespaceOf(request: AdmissionRequest, objects: StoredObjects): Promise<JsonObject | undefined> {
  const { kind } = request.requested;
  if (request.namespace === '' || (kind.kind === 'Namespace' && kind.group === '')) return undefined;
  return objects.get({ group: '', resource: 'namespaces' }, '', request.namespace);
}

/** The inputs of a policy, and the progress of its evaluation. */
interface Run {
  readonly inputs: Inputs;
  readonly attempts: Attempts;
  /** Called after the match conditions, if there are any. */
  readonly observe?: ConditionsObserver | undefined;
}

interface TimedRun extends Run {
  /** The monotonic time, in milliseconds. */
  readonly now: () => number;
}

/** What a policy found: failures, and errors that failurePolicy Ignore lets pass. */
interface Findings {
  readonly failures: readonly Failure[];
  readonly ignored: readonly { readonly message: string; readonly took: number }[];
}

const NOTHING: Findings = { failures: [], ignored: [] };

function evaluate(
  policy: BoundPolicy,
  run: TimedRun,
  isFatal: boolean,
  annotations: Map<string, Set<string>>,
): Findings {
  const { inputs, attempts, now } = run;
  const whole = (message: string, took: number): Findings =>
    isFatal ? { failures: [{ message, reason: 'Invalid', index: 0, always: false, took }], ignored: [] } : NOTHING;
  const conditions = attempts.timed('conditions', now, () => conditionsHold(policy, run, isFatal));
  if (typeof conditions.value === 'string') return whole(conditions.value, conditions.took);
  if (!conditions.value) return NOTHING;
  const evaluation = new Evaluation(inputs, attempts);
  let found: Findings;
  const began = now();
  try {
    found = validationFailures(policy, evaluation, run, isFatal);
  } catch (error) {
    if (error instanceof OutOfBudget) return whole(error.message, now() - began);
    throw error;
  }
  const failures = [...found.failures, ...annotationFailures(policy, run, isFatal, annotations)];
  return { failures, ignored: found.ignored };
}

/** Whether all match conditions hold, or the text of an evaluation error if failurePolicy is Fail. */
export function conditionsHold(
  { compiled }: { readonly compiled: Pick<CompiledPolicy, 'conditions'> },
  { inputs, attempts, observe }: Run,
  isFatal: boolean,
  budget?: number,
): boolean | string {
  if (compiled.conditions.length === 0) return true;
  const evaluation = new Evaluation({ ...inputs, variables: [] }, attempts, budget);
  const problems: string[] = [];
  try {
    for (const { compiled: condition, name } of compiled.conditions) {
      const found = evaluation.evaluate(condition, 'text' in condition ? condition.text : name);
      if (isError(found)) problems.push(found.message);
      else if (found === false) {
        observe?.(problems.length);
        return false;
      }
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    problems.push(error.message);
  }
  observe?.(problems.length);
  if (problems.length === 0) return true;
  if (!isFatal) return false;
  return problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`;
}

function validationFailures(
  policy: BoundPolicy,
  evaluation: Evaluation,
  { inputs, attempts, now }: TimedRun,
  isFatal: boolean,
): Findings {
  const { validations } = policy.compiled;
  const found = validations.map((v, i) =>
    attempts.timed(`validation ${i}`, now, () => evaluation.evaluate(v.compiled, v.expression)),
  );
  // Message expressions share the remaining budget and have no authorizer.
  const messages = new Evaluation({ ...inputs, checks: undefined }, attempts, evaluation.budget);
  const failures: Failure[] = [];
  const ignored: { message: string; took: number }[] = [];
  for (const [index, v] of validations.entries()) {
    const { value, took } = found[index]!;
    if (isError(value)) {
      const { message } = value;
      if (isFatal) failures.push({ message, reason: 'Invalid', index, always: false, took });
      else ignored.push({ message, took });
    } else if (value !== true)
      failures.push({ message: messageOf(v, messages), reason: v.reason, index, always: false, took });
  }
  return { failures, ignored };
}

function messageOf(v: BoundPolicy['compiled']['validations'][number], messages: Evaluation): string {
  let message = '';
  if (v.messageExpression !== undefined) {
    const found = messages.evaluate(v.messageExpression, v.expression);
    if (typeof found === 'string') message = found.trim();
    if (Buffer.byteLength(message) > MESSAGE_BYTES_MAX || message.includes('\n')) message = '';
  }
  return message || v.message || `failed expression: ${v.expression.trim()}`;
}

function annotationFailures(
  policy: BoundPolicy,
  { inputs, attempts, now }: TimedRun,
  isFatal: boolean,
  annotations: Map<string, Set<string>>,
): readonly Failure[] {
  const evaluation = new Evaluation({ ...inputs, checks: undefined }, attempts);
  const failures: Failure[] = [];
  for (const { key, expression, compiled } of policy.compiled.auditAnnotations) {
    const { value: found, took } = attempts.timed(`annotation ${key}`, now, () =>
      evaluation.evaluate(compiled, expression),
    );
    if (isError(found)) {
      if (isFatal) failures.push({ message: found.message, reason: 'Invalid', index: -1, always: true, took });
    } else if (typeof found === 'string' && found.trim() !== '') {
      const values = annotations.get(key) ?? new Set();
      values.add(found.trim().slice(0, ANNOTATION_BYTES_MAX));
      annotations.set(key, values);
    }
  }
  return failures;
}
