import { at, isObject, type JsonObject, type JsonValue, objectsAt, textAt } from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import {
  BOOL,
  type Compilation,
  compileSteps,
  DYN,
  type Environment,
  failed,
  type Minor,
  NULL,
  STRING,
  type Type,
} from '../../cel/index.js';
import { policyEnvironment } from './environment.js';

/** A compile error in an expression of a policy. */
export interface ExpressionIssue {
  /** The path from the spec to the field: `['validations', 0, 'expression']`. */
  readonly path: readonly (string | number)[];
  readonly expression: string;
  readonly error: string;
  /** Whether this is an evaluation error that was found at compile time. */
  readonly internal: boolean;
}

export interface PolicyVariable {
  readonly name: string;
  readonly compiled: Compilation;
}

export interface Validation {
  readonly expression: string;
  readonly compiled: Compilation;
  readonly message: string;
  readonly messageExpression: Compilation | undefined;
  readonly reason: string;
}

/** A ValidatingAdmissionPolicy or MutatingAdmissionPolicy with its expressions compiled. */
export interface CompiledPolicy {
  readonly conditions: readonly { readonly name: string; readonly compiled: Compilation }[];
  readonly variables: readonly PolicyVariable[];
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly {
    readonly key: string;
    readonly expression: string;
    readonly compiled: Compilation;
  }[];
  readonly mutations: readonly { readonly type: string; readonly expression: string; readonly compiled: Compilation }[];
  /** The environment of the mutations, with the variables declared. */
  readonly issues: readonly ExpressionIssue[];
}

/** What the mutations of a policy may use and return. */
export interface MutationRules {
  /** The environment of the policy with the functions and types of mutations. */
  environment(of: Environment): Environment;
  /** The result of a mutation of this patch type. */
  result(patchType: string): Type;
}

type At = readonly (string | number)[];

/**
 * Compiles all expressions of a policy, in steps: a policy may have thousands. `minor` is the release whose functions they may use: the
 * oldest compatible one for objects that are being written, the current one for stored objects.
 */
export function* compilePolicy(spec: JsonValue, minor: Minor, mutationRules?: MutationRules): Steps<CompiledPolicy> {
  const issues: ExpressionIssue[] = [];
  const check = function* (steps: Steps<Compilation>, expression: string, path: At): Steps<Compilation> {
    const compiled = yield* steps;
    if (failed(compiled)) issues.push({ path, expression, error: compiled.error, internal: compiled.internal });
    yield;
    return compiled;
  };
  const params = isObject(at(spec, 'paramKind'));
  const conditionEnvironment = policyEnvironment(minor, { params, authorizer: true });
  const conditions: CompiledPolicy['conditions'][number][] = [];
  for (const [i, c] of objectsAt(spec, 'matchConditions').entries()) {
    const expression = textAt(c, 'expression');
    const steps = compileSteps(expression, conditionEnvironment, [BOOL]);
    const compiled = yield* check(steps, expression, ['matchConditions', i, 'expression']);
    conditions.push({ name: textAt(c, 'name'), compiled });
  }
  const types = new Map<string, Type>();
  // Mutations have `variables` even if there are none.
  const declaresVariables = (['variables', 'mutations'] as const).some((list) => objectsAt(spec, list).length > 0);
  const declared = declaresVariables ? { variables: types } : {};
  const environment = policyEnvironment(minor, { params, authorizer: true, ...declared });
  const plain = policyEnvironment(minor, { params, authorizer: false, ...declared });
  const variables: PolicyVariable[] = [];
  for (const [i, v] of objectsAt(spec, 'variables').entries()) {
    const [name, expression] = [textAt(v, 'name'), textAt(v, 'expression')];
    const steps = compileSteps(expression, environment, [DYN]);
    const compiled = yield* check(steps, expression, ['variables', i, 'expression']);
    // Uses of a variable that does not compile are not reported. A variable without an expression does not exist.
    if (expression.trim() !== '') types.set(name, failed(compiled) ? DYN : compiled.checked.type);
    variables.push({ name, compiled });
  }
  const validations: Validation[] = [];
  for (const [i, v] of objectsAt(spec, 'validations').entries())
    validations.push(yield* compileValidation(v, i, environment, plain, check));
  const auditAnnotations: CompiledPolicy['auditAnnotations'][number][] = [];
  for (const [i, a] of objectsAt(spec, 'auditAnnotations').entries()) {
    const expression = textAt(a, 'valueExpression');
    const steps = compileSteps(expression, environment, [STRING, NULL]);
    const compiled = yield* check(steps, expression, ['auditAnnotations', i, 'valueExpression']);
    auditAnnotations.push({ key: textAt(a, 'key'), expression, compiled });
  }
  const extended = mutationRules?.environment(environment) ?? environment;
  const mutations: CompiledPolicy['mutations'][number][] = [];
  for (const [i, m] of objectsAt(spec, 'mutations').entries()) {
    const type = textAt(m, 'patchType');
    const field = type === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
    const expression = textAt(m, field, 'expression');
    const steps = compileSteps(expression, extended, [mutationRules?.result(type) ?? DYN]);
    const compiled = yield* check(steps, expression, ['mutations', i, field, 'expression']);
    mutations.push({ type, expression, compiled });
  }
  return { conditions, variables, validations, auditAnnotations, mutations, issues };
}

/** Compiles the match conditions of a webhook, which have no parameters and variables, in steps. */
export function compileConditions(holder: JsonValue, minor: Minor): Steps<CompiledPolicy> {
  return compilePolicy({ matchConditions: [...objectsAt(holder, 'matchConditions')] }, minor);
}

type Check = (steps: Steps<Compilation>, expression: string, path: At) => Steps<Compilation>;

function* compileValidation(
  v: JsonObject,
  i: number,
  environment: Environment,
  plain: Environment,
  check: Check,
): Steps<Validation> {
  const expression = textAt(v, 'expression');
  const messageExpression = textAt(v, 'messageExpression');
  const compiled = yield* check(compileSteps(expression, environment, [BOOL]), expression, [
    'validations',
    i,
    'expression',
  ]);
  return {
    expression,
    compiled,
    message: textAt(v, 'message').trim(),
    messageExpression:
      messageExpression.trim() === ''
        ? undefined
        : yield* check(compileSteps(messageExpression, plain, [STRING]), messageExpression, [
            'validations',
            i,
            'messageExpression',
          ]),
    reason: textAt(v, 'reason') || 'Invalid',
  };
}
