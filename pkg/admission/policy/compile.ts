import { type JsonObject, type JsonValue, objectsAt, textAt } from '../../api/index.js';
import {
  BOOL,
  type Compilation,
  compile,
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

/** Compiles the mutations of a policy, if any. */
export type CompileMutation = (type: string, expression: string, environment: Environment) => Compilation;

/**
 * Compiles all expressions of a policy. `minor` is the release whose functions they may use: the oldest compatible one for
 * objects that are being written, the current one for stored objects.
 */
export function compilePolicy(spec: JsonValue, minor: Minor, compileMutation?: CompileMutation): CompiledPolicy {
  const issues: ExpressionIssue[] = [];
  const check = (compiled: Compilation, expression: string, ...path: (string | number)[]): Compilation => {
    if (failed(compiled)) issues.push({ path, expression, error: compiled.error, internal: compiled.internal });
    return compiled;
  };
  const params = textAt(spec, 'paramKind', 'kind') !== '';
  const conditionEnvironment = policyEnvironment(minor, { params, authorizer: true });
  const conditions = objectsAt(spec, 'matchConditions').map((c, i) => {
    const expression = textAt(c, 'expression');
    return {
      name: textAt(c, 'name'),
      compiled: check(
        compile(expression, conditionEnvironment, [BOOL]),
        expression,
        'matchConditions',
        i,
        'expression',
      ),
    };
  });
  const types = new Map<string, Type>();
  const declared = objectsAt(spec, 'variables').length > 0 ? { variables: types } : {};
  const environment = policyEnvironment(minor, { params, authorizer: true, ...declared });
  const plain = policyEnvironment(minor, { params, authorizer: false, ...declared });
  const variables = objectsAt(spec, 'variables').map((v, i): PolicyVariable => {
    const [name, expression] = [textAt(v, 'name'), textAt(v, 'expression')];
    const compiled = check(compile(expression, environment, [DYN]), expression, 'variables', i, 'expression');
    // Uses of a variable that does not compile are not reported. A variable without an expression does not exist.
    if (expression.trim() !== '') types.set(name, failed(compiled) ? DYN : compiled.checked.type);
    return { name, compiled };
  });
  const validations = objectsAt(spec, 'validations').map((v, i) => compileValidation(v, i, environment, plain, check));
  const auditAnnotations = objectsAt(spec, 'auditAnnotations').map((a, i) => {
    const expression = textAt(a, 'valueExpression');
    const compiled = compile(expression, environment, [STRING, NULL]);
    return {
      key: textAt(a, 'key'),
      expression,
      compiled: check(compiled, expression, 'auditAnnotations', i, 'valueExpression'),
    };
  });
  const mutations = objectsAt(spec, 'mutations').map((m, i) => {
    const type = textAt(m, 'patchType');
    const field = type === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
    const expression = textAt(m, field, 'expression');
    const compiled = compileMutation?.(type, expression, environment) ?? compile(expression, environment, [DYN]);
    return { type, expression, compiled: check(compiled, expression, 'mutations', i, field, 'expression') };
  });
  return { conditions, variables, validations, auditAnnotations, mutations, issues };
}

/** Compile errors of the match conditions of a webhook, which have no parameters and variables. */
export function compileConditions(holder: JsonValue, minor: Minor): readonly ExpressionIssue[] {
  return compilePolicy({ matchConditions: [...objectsAt(holder, 'matchConditions')] }, minor).issues;
}

type Check = (compiled: Compilation, expression: string, ...path: (string | number)[]) => Compilation;

function compileValidation(
  v: JsonObject,
  i: number,
  environment: Environment,
  plain: Environment,
  check: Check,
): Validation {
  const expression = textAt(v, 'expression');
  const messageExpression = textAt(v, 'messageExpression');
  return {
    expression,
    compiled: check(compile(expression, environment, [BOOL]), expression, 'validations', i, 'expression'),
    message: textAt(v, 'message').trim(),
    messageExpression:
      messageExpression.trim() === ''
        ? undefined
        : check(compile(messageExpression, plain, [STRING]), messageExpression, 'validations', i, 'messageExpression'),
    reason: textAt(v, 'reason') || 'Invalid',
  };
}
