import { apiVersionOf, type GroupVersionKind, type JsonObject, listAt, objectsAt, textAt } from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { CURRENT, compileSteps, DYN, type Environment, failed, type Type } from '../../cel/index.js';
import type { Schema } from '../../schema/index.js';
import { policyEnvironment } from './environment.js';
import { SchemaTypes } from './schematypes.js';

/** A field of a policy with the errors of its expression, for some of the types that the policy matches. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** A served kind with its schema. */
export interface KnownKind {
  readonly kind: GroupVersionKind;
  readonly schema: Schema;
}

/** The kinds of the cluster. */
export interface KnownKinds {
  ofResource(group: string, version: string, resource: string): KnownKind | undefined;
  ofKind(kind: GroupVersionKind): KnownKind | undefined;
}

/** Maximum number of checked types for each rule of a policy. */
const TYPES_MAX = 10;

/**
 * Checks the expressions of a ValidatingAdmissionPolicy against the types of its resources, as in
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking, in steps.
 */
export function* typeCheck(spec: JsonObject, kinds: KnownKinds): Steps<readonly ExpressionWarning[]> {
  const found: ExpressionWarning[] = [];
  const environments: { readonly known: KnownKind; readonly env: Environment }[] = [];
  for (const known of typesToCheck(spec, kinds))
    environments.push({ known, env: yield* environmentOf(spec, known, kinds) });
  const check = function* (fieldRef: string, expression: string): Steps<void> {
    const warnings: string[] = [];
    for (const { known, env } of environments) {
      const compiled = yield* compileSteps(expression, env);
      yield;
      if (!failed(compiled)) continue;
      const { group, version, kind } = known.kind;
      warnings.push(`${group}/${version}, Kind=${kind}: ${withoutPrefix(compiled.error)}\n`);
    }
    if (warnings.length > 0) found.push({ fieldRef, warning: warnings.join('\n') });
  };
  for (const [i, validation] of objectsAt(spec, 'validations').entries()) {
    const place = `spec.validations[${i}]`;
    yield* check(`${place}.expression`, textAt(validation, 'expression'));
    const message = textAt(validation, 'messageExpression');
    if (message !== '') yield* check(`${place}.messageExpression`, message);
  }
  return found;
}

const PREFIX = 'compilation failed: ';
const withoutPrefix = (error: string): string => (error.startsWith(PREFIX) ? error.slice(PREFIX.length) : error);

/** The kinds of the resources in rules without wildcards, in order. */
function typesToCheck(spec: JsonObject, kinds: KnownKinds): readonly KnownKind[] {
  const found = new Map<string, KnownKind>();
  for (const rule of objectsAt(spec, 'matchConstraints', 'resourceRules')) if (!collect(rule, kinds, found)) break;
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, known]) => known);
}

/** Returns false if the rule has reached the limit. */
function collect(rule: JsonObject, kinds: KnownKinds, found: Map<string, KnownKind>): boolean {
  const texts = (field: string): readonly string[] => listAt(rule, field).map(String).sort();
  const [groups, versions] = [texts('apiGroups'), texts('apiVersions')];
  if ([...groups, ...versions].some((t) => t.includes('*'))) return true;
  const resources = texts('resources').filter((r) => !r.includes('*') && !r.includes('/'));
  let count = 0;
  for (const group of groups)
    for (const version of versions)
      for (const resource of resources) {
        const known = kinds.ofResource(group, version, resource);
        if (known === undefined) continue;
        found.set([known.kind.group, known.kind.version, known.kind.kind].join(' '), known);
        if (++count === TYPES_MAX) return false;
      }
  return true;
}

/** The environment of a policy for objects of one kind, with its variables. */
function* environmentOf(spec: JsonObject, known: KnownKind, kinds: KnownKinds): Steps<Environment> {
  const types = new SchemaTypes();
  const variables = new Map<string, Type>();
  const paramKind = paramKindOf(spec);
  const params = paramKind === undefined ? undefined : kinds.ofKind(paramKind);
  const environment = policyEnvironment(CURRENT, {
    params: paramKind !== undefined,
    authorizer: true,
    requestResource: false,
    variables,
    object: types.typeOf(known.schema, known.kind.kind) ?? DYN,
    paramsType: (params === undefined ? undefined : types.typeOf(params.schema, params.kind.kind)) ?? DYN,
  }).withStructs(types.resolve);
  for (const variable of objectsAt(spec, 'variables')) {
    const compiled = yield* compileSteps(textAt(variable, 'expression'), environment);
    yield;
    variables.set(textAt(variable, 'name'), failed(compiled) ? DYN : compiled.checked.type);
  }
  return environment;
}

function paramKindOf(spec: JsonObject): GroupVersionKind | undefined {
  const kind = textAt(spec, 'paramKind', 'kind');
  if (kind === '') return undefined;
  const apiVersion = textAt(spec, 'paramKind', 'apiVersion');
  const slash = apiVersion.indexOf('/');
  const of = { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
  return apiVersionOf(of) === apiVersion ? of : undefined;
}
