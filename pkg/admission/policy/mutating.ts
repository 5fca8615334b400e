import {
  type AdmissionRequest,
  type AdmissionStep,
  ApiError,
  apiVersionOf,
  equalJson,
  errors,
  type JsonObject,
  type StatusReason,
  textAt,
} from '../../api/index.js';
import { CheckMemo, isError } from '../../cel/index.js';
import { applyPatch, ConfigurationError, PatchError } from '../../patch/index.js';
import { checkDecider } from './checks.js';
import { configurationOf, MutationError } from './configuration.js';
import { Evaluation, type Inputs, OutOfBudget, settled } from './evaluation.js';
import { ConversionFailure, matchedSubject, objectsIn } from './matching.js';
import { mutationRules, operationsOf } from './mutations.js';
import { collectParams, ParamsError, paramKindProblem } from './params.js';
import { type Binding, type BoundPolicy, PolicySource } from './source.js';
import { conditionsHold, isPolicy, namespaceOf, type PolicyWorld } from './validating.js';

const NAME = 'MutatingAdmissionPolicy';

/** A policy with one of its bindings and parameters. */
interface Invocation {
  readonly policy: BoundPolicy;
  readonly binding: Binding;
  readonly param: JsonObject | null;
  readonly key: string;
}

interface Problem {
  readonly message: string;
  readonly reason: string;
  readonly policy: string;
  /** Undefined if no binding of the policy can be evaluated. */
  readonly binding: string | undefined;
}

/** The state of the step between the two runs of the chain. */
interface Remembered {
  /** The object after this step. */
  output: JsonObject | undefined;
  /** Invocations with reinvocationPolicy IfNeeded. */
  readonly again: Set<string>;
  /** Invocations after which the object changed. */
  readonly due: Set<string>;
}

/** MutatingAdmissionPolicy: each bound policy that matches mutates the object in turn and sees earlier mutations. */
export function mutatingPolicyStep(world: PolicyWorld): AdmissionStep {
  const source = new PolicySource(world, 'mutating', mutationRules);
  return {
    name: NAME,
    mutate: (request) => {
      if (isPolicy(request) || request.object === undefined) return;
      const policies = source.current();
      if (policies instanceof Promise) return policies.then((all) => mutate(all, request, world));
      return policies.length === 0 ? undefined : mutate(policies, request, world);
    },
  };
}

async function mutate(policies: readonly BoundPolicy[], request: AdmissionRequest, world: PolicyWorld): Promise<void> {
  const { reinvocation } = request;
  const remembered = (reinvocation.state.get(NAME) as Remembered | undefined) ?? {
    output: undefined,
    again: new Set(),
    due: new Set(),
  };
  reinvocation.state.set(NAME, remembered);
  const changed = (): void => {
    for (const key of remembered.again) remembered.due.add(key);
  };
  if (reinvocation.active && !equalJson(remembered.output ?? null, request.object ?? null)) changed();
  const problems: Problem[] = [];
  /** Policies whose version of the object could not be made. It is reported once for all bindings. */
  const unconverted = new Set<BoundPolicy>();
  const checks = new CheckMemo(checkDecider(request, world.authorize));
  for (const invocation of await invocations(policies, request, world, problems)) {
    const { policy, key } = invocation;
    const isFatal = textAt(policy.object, 'spec', 'failurePolicy') !== 'Ignore';
    if (unconverted.has(policy)) continue;
    let inputs: Inputs;
    try {
      inputs = await inputsOf(invocation, request, world, checks);
    } catch (error) {
      if (!(error instanceof ConversionFailure)) throw error;
      unconverted.add(policy);
      const message = `failed to configure policy: ${error.message}`;
      if (isFatal) problems.push({ message, reason: 'Forbidden', policy: policy.name, binding: undefined });
      continue;
    }
    // kube-apiserver, too, counts those of mutating policies among the validating ones.
    const observe = world.conditions?.began({ kind: 'policy', name: policy.name, type: 'validate' }, request);
    const conditions = await settled(world.pace, (attempts) =>
      conditionsHold(policy, { inputs, attempts, observe }, isFatal),
    );
    if (typeof conditions === 'string') problems.push(problemOf(invocation, conditions, 'Invalid'));
    if (conditions !== true || (reinvocation.active && !remembered.due.has(key))) continue;
    const before = request.object;
    for (const mutation of policy.compiled.mutations)
      await mutateOnce(mutation, invocation, request, world, checks, problems, isFatal);
    if (!equalJson(before ?? null, request.object ?? null)) {
      changed();
      reinvocation.request();
    }
    if (textAt(policy.object, 'spec', 'reinvocationPolicy') === 'IfNeeded') remembered.again.add(key);
  }
  remembered.output = request.object;
  if (problems.length > 0) throw denied(request, problems);
}

/** The invocations, in order. Missing parameters of a binding are an error if failurePolicy is Fail. */
async function invocations(
  policies: readonly BoundPolicy[],
  request: AdmissionRequest,
  world: PolicyWorld,
  problems: Problem[],
): Promise<readonly Invocation[]> {
  const found: Invocation[] = [];
  for (const policy of policies) {
    if (matchedSubject(policy.constraints, request, world.objects) === undefined) continue;
    const spec = policy.object['spec']!;
    const isFatal = textAt(spec, 'failurePolicy') !== 'Ignore';
    const broken = paramKindProblem(spec, world.objects);
    if (broken !== undefined) {
      if (isFatal) problems.push({ message: broken, reason: 'Forbidden', policy: policy.name, binding: undefined });
      continue;
    }
    for (const binding of policy.bindings) {
      if (matchedSubject(binding.constraints, request, world.objects) === undefined) continue;
      try {
        const ref = (binding.object['spec'] as JsonObject)['paramRef'];
        const params = await collectParams(spec, ref, request, world.objects);
        for (const param of params)
          found.push({
            policy,
            binding,
            param,
            key: `${policy.name}/${binding.name}/${textAt(param ?? undefined, 'metadata', 'name')}`,
          });
      } catch (error) {
        if (!(error instanceof ParamsError)) throw error;
        if (!isFatal) continue;
        const message = `failed to configure binding: ${error.message}`;
        problems.push({ message, reason: 'Forbidden', policy: policy.name, binding: binding.name });
      }
    }
  }
  return found;
}

async function inputsOf(
  { policy, param }: Invocation,
  request: AdmissionRequest,
  world: PolicyWorld,
  checks: CheckMemo,
): Promise<Inputs> {
  const subject = matchedSubject(policy.constraints, request, world.objects) ?? request.requested;
  const matched = await objectsIn(request, subject);
  const namespace = await namespaceOf(request, world.objects);
  return { request, matched, params: param, namespace, checks, variables: policy.compiled.variables };
}

async function mutateOnce(
  mutation: BoundPolicy['compiled']['mutations'][number],
  invocation: Invocation,
  request: AdmissionRequest,
  world: PolicyWorld,
  checks: CheckMemo,
  problems: Problem[],
  isFatal: boolean,
): Promise<void> {
  const fail = (message: string): void => {
    if (isFatal) problems.push(problemOf(invocation, message, 'Invalid'));
  };
  try {
    const inputs = await inputsOf(invocation, request, world, checks);
    const value = await settled(world.pace, (attempts) =>
      new Evaluation(inputs, attempts).evaluate(mutation.compiled, mutation.expression),
    );
    if (isError(value)) return fail(value.message);
    const live = inputs.matched.object!;
    const { group, version } = inputs.matched.subject.kind;
    if (mutation.type === 'JSONPatch') {
      const { object } = applyPatch({
        kind: 'json',
        current: live,
        patch: operationsOf(value),
        schema: undefined,
        typed: false,
        nullIsValue: true,
      });
      await request.replace(object, { strict: true });
      return;
    }
    const configuration = {
      ...configurationOf(value),
      apiVersion: apiVersionOf({ group, version }),
      kind: live['kind']!,
    };
    await request.merge(live, configuration);
  } catch (error) {
    const kinds = [MutationError, OutOfBudget, ConfigurationError, ConversionFailure];
    if (error instanceof Error && kinds.some((k) => error instanceof k)) fail(error.message);
    else if (error instanceof PatchError) {
      // A failed test operation does not change the object.
      if (!error.message.endsWith('failed: test failed')) fail(`JSON Patch: ${error.message}`);
    } else throw error;
  }
}

function problemOf({ policy, binding }: Invocation, message: string, reason: string): Problem {
  return { message, reason, policy: policy.name, binding: binding.name };
}

/** The error of the first problem, with all of them as causes. */
function denied(request: AdmissionRequest, problems: readonly Problem[]): ApiError {
  const causes = problems.map((problem) => ({ message: sentenceOf(problem) }));
  const sentence = causes[0]!.message;
  const { details } = errors.forbidden(request.groupResource, request.name, sentence).status;
  return new ApiError(403, problems[0]!.reason as StatusReason, sentence, { ...details, causes });
}

function sentenceOf({ message, policy, binding }: Problem): string {
  const by = binding === undefined ? `policy "${policy}"` : `policy '${policy}' with binding '${binding}'`;
  return `${by} denied request: ${message}`;
}
