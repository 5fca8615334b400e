import type { JsonObject } from '../../api/index.js';
import {
  BOOL,
  type Compilation,
  type Compiled,
  CURRENT,
  compile,
  fromJson,
  isError,
  kubernetesEnvironment,
  listOf,
  mapOf,
  STRING,
  type StructType,
  struct,
  type Type,
} from '../../cel/index.js';

function structType(name: string, fields: Readonly<Record<string, Type>>): StructType {
  return { name, field: (f) => (Object.hasOwn(fields, f) ? fields[f] : undefined) };
}

const SELECTOR = { rawSelector: STRING, requirements: listOf(struct('kubernetes.SelectorRequirement')) };

/** The type of `request`: the spec of a SubjectAccessReview of authorization.k8s.io/v1. */
const TYPES: readonly StructType[] = [
  structType('kubernetes.SubjectAccessReviewSpec', {
    resourceAttributes: struct('kubernetes.ResourceAttributes'),
    nonResourceAttributes: struct('kubernetes.NonResourceAttributes'),
    user: STRING,
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
    uid: STRING,
  }),
  structType('kubernetes.ResourceAttributes', {
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: struct('kubernetes.FieldSelectorAttributes'),
    labelSelector: struct('kubernetes.LabelSelectorAttributes'),
  }),
  structType('kubernetes.FieldSelectorAttributes', SELECTOR),
  structType('kubernetes.LabelSelectorAttributes', SELECTOR),
  structType('kubernetes.SelectorRequirement', { key: STRING, operator: STRING, values: listOf(STRING) }),
  structType('kubernetes.NonResourceAttributes', { path: STRING, verb: STRING }),
];

const ENVIRONMENT = kubernetesEnvironment(CURRENT).extend(
  { request: struct('kubernetes.SubjectAccessReviewSpec') },
  TYPES,
);

/** Compiles a match condition of an authorization webhook, over the variable `request`. */
export function compileCondition(expression: string): Compilation {
  return compile(expression, ENVIRONMENT, [BOOL]);
}

/** Cost units of one condition for one request: clients choose the names in requests. */
const COST_MAX = 100_000;

export type Matching =
  | { readonly kind: 'matches' }
  | { readonly kind: 'excluded' }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * A condition that is false excludes the request, even if another one fails. `request` has every text field of the
 * spec.
 */
export function matchConditions(conditions: readonly Compiled[], request: JsonObject): Matching {
  const value = fromJson(request);
  const failures: string[] = [];
  for (const { program, text } of conditions) {
    const found = program.run((name) => (name === 'request' ? value : undefined), COST_MAX).value;
    if (found === false) return { kind: 'excluded' };
    if (found === true) continue;
    const why = isError(found) ? found.message : 'the result is not a bool';
    failures.push(`cel evaluation error: expression '${text}' resulted in error: ${why}`);
  }
  if (failures.length === 0) return { kind: 'matches' };
  return { kind: 'failed', reason: failures.length === 1 ? failures[0]! : `[${failures.join(', ')}]` };
}
