import { type FieldErrors, FieldPath, formatDuration, isDns1123Subdomain, Printed } from '../../api/index.js';
import { type Compiled, failed } from '../../cel/index.js';
import { compileCondition } from '../webhook/conditions.js';

/** The fields of an AuthorizationConfiguration (apiserver.config.k8s.io/v1 and v1beta1), with defaults. Absent strings are ''. */
export interface AuthorizationConfig {
  readonly authorizers: readonly AuthorizerConfig[];
}

export interface AuthorizerConfig {
  readonly type: string;
  /** The name in reasons and metrics. */
  readonly name: string;
  readonly webhook: WebhookConfig | undefined;
}

/** Durations are nanoseconds. */
export interface WebhookConfig {
  readonly authorizedTTL: bigint;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTTL: bigint;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeout: bigint;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  readonly failurePolicy: string;
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile: string | undefined };
  readonly matchConditions: readonly { readonly expression: string }[];
}

/** An authorizer with the match conditions of a webhook compiled. */
export interface CompiledAuthorizer {
  readonly config: AuthorizerConfig;
  readonly conditions: readonly Compiled[];
}

const TYPES: readonly string[] = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const CONDITIONS_MAX = 64;
const TIMEOUT_MAX = 30_000_000_000n;

/** Checks a path: it is a regular file, or the reason why it cannot be used. */
export type FileProblem = (path: string) => string | undefined;

/**
 * Validates an AuthorizationConfiguration and compiles its match conditions. All problems are added to `errors`, with
 * the paths and messages of kube-apiserver; the result is valid only if there are none.
 */
export function compileAuthorization(
  { authorizers }: AuthorizationConfig,
  fileProblem: FileProblem,
  errors: FieldErrors,
): readonly CompiledAuthorizer[] {
  const root = FieldPath.of('authorizers');
  if (authorizers.length === 0) errors.required(root, 'at least one authorization mode must be defined');
  const types = new Set<string>();
  const names = new Set<string>();
  const compiled: CompiledAuthorizer[] = [];
  for (const [i, config] of authorizers.entries()) {
    const path = root.index(i);
    const { type, name, webhook } = config;
    if (type === '') errors.required(path.child('type'));
    else if (!TYPES.includes(type)) errors.notSupported(path.child('type'), type, TYPES);
    else if (types.has(type) && type !== 'Webhook') errors.duplicate(path.child('type'), type);
    else {
      types.add(type);
      checkName(name, names, path.child('name'), errors);
      names.add(name);
      compiled.push({ config, conditions: conditionsOf(type, webhook, path, fileProblem, errors) });
    }
  }
  return compiled;
}

function checkName(name: string, seen: ReadonlySet<string>, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path);
  else if (seen.has(name)) errors.duplicate(path, name);
  else {
    const problems = isDns1123Subdomain(name);
    if (problems.length > 0) errors.invalid(path, name, `authorizer name is invalid: ${problems.join(', ')}`);
  }
}

function conditionsOf(
  type: string,
  webhook: WebhookConfig | undefined,
  path: FieldPath,
  fileProblem: FileProblem,
  errors: FieldErrors,
): readonly Compiled[] {
  if (type !== 'Webhook') {
    if (webhook !== undefined)
      errors.invalid(path.child('webhook'), 'non-null', 'may only be specified when type=Webhook');
    return [];
  }
  if (webhook === undefined) {
    errors.required(path.child('webhook'), 'required when type=Webhook');
    return [];
  }
  // The paths of the fields of a webhook omit `webhook`, as in kube-apiserver.
  checkWebhook(webhook, path, errors);
  checkConnection(webhook.connectionInfo, path.child('connectionInfo'), fileProblem, errors);
  return compileConditions(webhook.matchConditions, path, errors);
}

function checkWebhook(webhook: WebhookConfig, path: FieldPath, errors: FieldErrors): void {
  const { timeout, authorizedTTL, unauthorizedTTL, failurePolicy } = webhook;
  if (timeout === 0n) errors.required(path.child('timeout'));
  else if (timeout > TIMEOUT_MAX || timeout < 0n)
    errors.invalid(path.child('timeout'), formatDuration(timeout), 'must be > 0s and <= 30s');
  for (const [field, time] of [
    ['authorizedTTL', authorizedTTL],
    ['unauthorizedTTL', unauthorizedTTL],
  ] as const)
    if (time === 0n) errors.required(path.child(field));
    else if (time < 0n) errors.invalid(path.child(field), formatDuration(time), 'must be > 0s');
  const version = webhook.subjectAccessReviewVersion;
  if (version === '') errors.required(path.child('subjectAccessReviewVersion'));
  else if (version !== 'v1' && version !== 'v1beta1')
    errors.notSupported(path.child('subjectAccessReviewVersion'), version, ['v1', 'v1beta1']);
  const matchVersion = webhook.matchConditionSubjectAccessReviewVersion;
  const matchPath = path.child('matchConditionSubjectAccessReviewVersion');
  if (matchVersion === '') {
    if (webhook.matchConditions.length > 0) errors.required(matchPath, 'required if match conditions are specified');
  } else if (matchVersion !== 'v1') errors.notSupported(matchPath, matchVersion, ['v1']);
  if (failurePolicy === '') errors.required(path.child('failurePolicy'));
  else if (failurePolicy !== 'NoOpinion' && failurePolicy !== 'Deny')
    errors.notSupported(path.child('failurePolicy'), failurePolicy, ['NoOpinion', 'Deny']);
}

function checkConnection(
  { type, kubeConfigFile }: WebhookConfig['connectionInfo'],
  path: FieldPath,
  fileProblem: FileProblem,
  errors: FieldErrors,
): void {
  const file = path.child('kubeConfigFile');
  if (type === '') errors.required(path.child('type'));
  else if (type === 'InClusterConfig') {
    if (kubeConfigFile !== undefined) errors.invalid(file, kubeConfigFile, 'can only be set when type=KubeConfigFile');
    // kube-apiserver cannot be its own client here, and would fail later.
    else errors.invalid(path.child('type'), type, 'not allowed for this server');
  } else if (type !== 'KubeConfigFile')
    // kube-apiserver prints the whole connection, in its internal form.
    errors.notSupported(
      path.child('type'),
      new Printed(JSON.stringify({ Type: type, KubeConfigFile: kubeConfigFile ?? null })),
      ['InClusterConfig', 'KubeConfigFile'],
    );
  else if (kubeConfigFile === undefined || kubeConfigFile === '') errors.required(file);
  else if (!kubeConfigFile.startsWith('/')) errors.invalid(file, kubeConfigFile, 'must be an absolute path');
  else {
    const problem = fileProblem(kubeConfigFile);
    if (problem !== undefined) errors.invalid(file, kubeConfigFile, problem);
  }
}

function compileConditions(
  conditions: WebhookConfig['matchConditions'],
  path: FieldPath,
  errors: FieldErrors,
): readonly Compiled[] {
  const root = path.child('matchConditions');
  if (conditions.length > CONDITIONS_MAX) {
    errors.tooMany(root, conditions.length, CONDITIONS_MAX);
    return [];
  }
  const seen = new Set<string>();
  const compiled: Compiled[] = [];
  for (const [i, { expression }] of conditions.entries()) {
    const at = root.index(i).child('expression');
    if (expression.trim() === '') errors.required(at);
    else if (seen.has(expression)) errors.duplicate(at, expression);
    else {
      seen.add(expression);
      const found = compileCondition(expression);
      if (!failed(found)) compiled.push(found);
      else if (found.internal) errors.internal(at, found.error);
      else errors.invalid(at, expression, found.error);
    }
  }
  return compiled;
}

/** Returns the problems specific to kube-apiserver: names of authorizers, and types that a reload must keep. */
export function typeProblems(
  { authorizers }: AuthorizationConfig,
  required: ReadonlySet<string> | undefined,
): readonly string[] {
  const own = authorizers.filter(({ type }) => type !== 'Webhook');
  const problems = own
    .filter(({ type, name }) => name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);
  const missing = [...(required ?? [])].filter((type) => !own.some((a) => a.type === type)).sort();
  if (missing.length > 0) problems.push(`missing required types: [${missing.join(' ')}]`);
  return problems;
}
