import {
  differsAsGiven,
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  givenAt,
  isDns1035Label,
  isDns1123Subdomain,
  isObject,
  isQualifiedName,
  type JsonObject,
  REVIEWS_WITHOUT_WEBHOOKS,
  type Shaped,
} from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import type { shapes } from '../../../schema/index.js';
import type { WriteContext } from '../../resource.js';
import { at, listAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { isInvalidSelector, labelSelector, oneOf, sentences } from '../rules.js';
import { serviceReference, webhookUrl } from '../webhookclient.js';
import { Expressions } from './expressions.js';
import { reservedName, warnOfName } from './names.js';

/** Validation of webhook configurations. */

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
/** Side effects that old configurations may keep. */
const ALL_SIDE_EFFECTS = [...SIDE_EFFECTS, 'Some', 'Unknown'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
type WebhookConfiguration =
  | shapes.AdmissionregistrationV1MutatingWebhookConfiguration
  | shapes.AdmissionregistrationV1ValidatingWebhookConfiguration;
type Webhook = shapes.AdmissionregistrationV1MutatingWebhook | shapes.AdmissionregistrationV1ValidatingWebhook;

const SCOPES = ['*', 'Cluster', 'Namespaced'];
const TIMEOUT_SECONDS_MAX = 30;
const CONDITIONS_MAX = 64;

/** kube-apiserver compares the webhooks field by field here, and an empty list differs from an absent one. */
export const webhooksDiffer = (o: Shaped<WebhookConfiguration>, old: Shaped<WebhookConfiguration>): boolean =>
  isGivenEmpty(o) || differsAsGiven(at(o, 'webhooks'), at(old, 'webhooks'));

const isGivenEmpty = (o: Shaped<WebhookConfiguration>): boolean =>
  at(o, 'webhooks') === undefined && givenAt(o, 'webhooks') !== undefined;

export function defaultWebhooks(o: Shaped<WebhookConfiguration>): void {
  for (const w of objectsAt(o, 'webhooks')) {
    whenAbsent(w, 'failurePolicy', 'Fail');
    whenAbsent(w, 'matchPolicy', 'Equivalent');
    whenAbsent(w, 'timeoutSeconds', 10);
    if (textAt(o, 'kind') === 'MutatingWebhookConfiguration') whenAbsent(w, 'reinvocationPolicy', 'Never');
    objectIn(w, 'namespaceSelector');
    objectIn(w, 'objectSelector');
    for (const rule of objectsAt(w, 'rules')) whenAbsent(rule, 'scope', '*');
    const service = at(w, 'clientConfig', 'service');
    if (service !== undefined) whenAbsent(objectAt(w, 'clientConfig', 'service'), 'port', 443);
  }
}

/** What a configuration may have because a webhook of the stored one that it replaces has something like it. */
interface Tolerated {
  readonly sideEffects: readonly string[];
  readonly anyReviewVersion: boolean;
  readonly repeatedNames: boolean;
  /** Values in selectors need not be label values. */
  readonly anyValues: boolean;
}

function toleratedBy(old: Shaped<WebhookConfiguration> | undefined): Tolerated {
  const before = objectsAt(old, 'webhooks');
  const names = before.map((w) => textAt(w, 'name'));
  return {
    sideEffects: before.every((w) => SIDE_EFFECTS.includes(textAt(w, 'sideEffects'))) ? SIDE_EFFECTS : ALL_SIDE_EFFECTS,
    anyReviewVersion: before.some((w) => {
      const versions = listAt(w, 'admissionReviewVersions').map(String);
      return versions.length > 0 && !versions.some((v) => REVIEW_VERSIONS.includes(v));
    }),
    repeatedNames: new Set(names).size < names.length,
    anyValues: before.some((w) =>
      (['namespaceSelector', 'objectSelector'] as const).some((field) => isInvalidSelector(at(w, field))),
    ),
  };
}

/** Whether all webhooks have the match conditions that they had. These are then not validated again. */
function keepsConditions(o: Shaped<WebhookConfiguration>, old: Shaped<WebhookConfiguration> | undefined): boolean {
  const [now, before] = [objectsAt(o, 'webhooks'), objectsAt(old, 'webhooks')];
  const conditionsOf = (w: Shaped<Webhook>) => at(w, 'matchConditions') ?? [];
  return now.length === before.length && now.every((w, i) => equalJson(conditionsOf(w), conditionsOf(before[i]!)));
}

/** In steps: the match conditions are compiled. `old` is the configuration that an update replaces. */
export function* validateWebhooks(
  o: Shaped<WebhookConfiguration>,
  errors: FieldErrors,
  old?: Shaped<WebhookConfiguration>,
): Steps<void> {
  const expressions: Expressions[] = [];
  const keeps = keepsConditions(o, old);
  if (!keeps) for (const w of objectsAt(o, 'webhooks')) expressions.push(yield* Expressions.ofConditions(w, old));
  const tolerated = toleratedBy(old);
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'webhooks'), (w, i) => {
    const path = FieldPath.in<
      | shapes.AdmissionregistrationV1MutatingWebhookConfiguration
      | shapes.AdmissionregistrationV1ValidatingWebhookConfiguration
    >()
      .child('webhooks')
      .index(i);
    webhook(w, path, errors, tolerated, expressions[i]);
    const name = textAt(w, 'name');
    if (!tolerated.repeatedNames && name !== '' && seen.has(name)) errors.duplicate(path.child('name'), name);
    seen.add(name);
  });
}

function webhook(
  w: Shaped<Webhook>,
  path: FieldPath<shapes.AdmissionregistrationV1MutatingWebhook | shapes.AdmissionregistrationV1ValidatingWebhook>,
  errors: FieldErrors,
  { sideEffects, anyReviewVersion, anyValues }: Tolerated,
  expressions: Expressions | undefined,
): void {
  name(textAt(w, 'name'), path.child('name'), errors);
  errors.each(objectsAt(w, 'rules'), (rule, i) => operationsRule(rule, path.child('rules').index(i), errors));
  closed(w, 'failurePolicy', ['Fail', 'Ignore'], path, errors);
  closed(w, 'matchPolicy', ['Equivalent', 'Exact'], path, errors);
  const effects = textAt(w, 'sideEffects');
  if (typeof at(w, 'sideEffects') !== 'string')
    errors.required(path.child('sideEffects'), `must specify one of ${sideEffects.join(', ')}`);
  else if (!sideEffects.includes(effects)) errors.notSupported(path.child('sideEffects'), effects, sideEffects);
  const timeout = at(w, 'timeoutSeconds');
  if (typeof timeout === 'number' && (timeout < 1 || timeout > TIMEOUT_SECONDS_MAX))
    errors.invalid(
      path.child('timeoutSeconds'),
      timeout,
      `the timeout value must be between 1 and ${TIMEOUT_SECONDS_MAX} seconds`,
    );
  labelSelector(at(w, 'namespaceSelector'), path.child('namespaceSelector'), errors, !anyValues);
  labelSelector(at(w, 'objectSelector'), path.child('objectSelector'), errors, !anyValues);
  closed(w, 'reinvocationPolicy', ['IfNeeded', 'Never'], path, errors);
  clientConfig(objectAt(w, 'clientConfig'), path.child('clientConfig'), errors);
  if (expressions !== undefined) matchConditions(w, path, errors, expressions);
  const versions = listAt(w, 'admissionReviewVersions').map(String);
  reviewVersions(versions, path.child('admissionReviewVersions'), errors, anyReviewVersion);
}

function closed<T>(
  w: Shaped<T>,
  field: FieldName<T>,
  values: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const v = at(w as JsonObject, field);
  if (typeof v === 'string') oneOf(v, path.child(field), values, errors, false);
}

function name(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') {
    errors.required(path);
    return;
  }
  const wrong = isDns1123Subdomain(value);
  for (const s of wrong) errors.invalid(path, value, s);
  if (wrong.length === 0 && value.split('.').length < 3)
    errors.invalid(path, value, 'should be a domain with at least three segments separated by dots');
}

/** Rules with operations and resources. Policies use the same. */
export function operationsRule(
  rule: Shaped<shapes.AdmissionregistrationV1RuleWithOperations>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const operations = listAt(rule, 'operations').map(String);
  const here = path.child('operations');
  if (operations.length === 0) errors.required(here);
  if (operations.length > 1 && operations.includes('*'))
    errors.invalid(here, operations, "if '*' is present, must not specify other operations");
  errors.each(operations, (operation, i) => {
    if (!OPERATIONS.includes(operation)) errors.notSupported(here.index(i), operation, OPERATIONS);
  });
  strings(rule, 'apiGroups', 'API groups', true, path, errors);
  strings(rule, 'apiVersions', 'API versions', false, path, errors);
  resources(listAt(rule, 'resources').map(String), path.child('resources'), errors);
  closed(rule, 'scope', SCOPES, path, errors);
}

function strings(
  rule: Shaped<shapes.AdmissionregistrationV1RuleWithOperations>,
  field: FieldName<shapes.AdmissionregistrationV1RuleWithOperations>,
  what: string,
  mayBeEmpty: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const values = listAt(rule, field).map(String);
  const here = path.child(field);
  if (values.length === 0) errors.required(here);
  if (values.length > 1 && values.includes('*'))
    errors.invalid(here, values, `if '*' is present, must not specify other ${what}`);
  if (!mayBeEmpty) for (const [i, v] of values.entries()) if (v === '') errors.required(here.index(i));
}

function resources(all: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (all.length === 0) errors.required(path);
  // The wildcards before a resource: kube-apiserver does not look at those behind it.
  const subresources = new Set<string>();
  const whole = new Set<string>();
  const seen = new Set<string>();
  for (const [i, resource] of all.entries()) {
    const here = path.index(i);
    if (resource === '') {
      errors.required(here);
      continue;
    }
    const slash = resource.indexOf('/');
    const main = slash < 0 ? resource : resource.slice(0, slash);
    const sub = slash < 0 ? undefined : resource.slice(slash + 1);
    if (sub !== undefined && whole.has(main))
      errors.invalid(here, resource, `if '${main}/*' is present, must not specify ${resource}`);
    if (sub !== undefined && subresources.has(sub))
      errors.invalid(here, resource, `if '*/${sub}' is present, must not specify ${resource}`);
    if (sub === '*') whole.add(main);
    if (sub !== undefined && main === '*') subresources.add(sub);
    seen.add(resource);
  }
  if (all.length > 1 && seen.has('*/*'))
    errors.invalid(path, [...all], "if '*/*' is present, must not specify other resources");
  // With several wildcards kube-apiserver checks only the last one.
  else if (seen.has('*') && all.findLast((r) => r !== '' && !r.includes('/')) !== '*')
    errors.invalid(path, [...all], "if '*' is present, must not specify other resources without subresources");
}

function clientConfig(
  config: Shaped<shapes.AdmissionregistrationV1WebhookClientConfig>,
  path: FieldPath<shapes.AdmissionregistrationV1WebhookClientConfig>,
  errors: FieldErrors,
): void {
  const url = at(config, 'url');
  const service = at(config, 'service');
  if ((url === undefined) === (service === undefined))
    errors.required(path, 'exactly one of url or service is required');
  else if (typeof url === 'string') webhookUrl(url, path.child('url'), errors);
  else if (isObject(service)) serviceReference(service, path.child('service'), errors);
}

function reviewVersions(
  versions: readonly string[],
  path: FieldPath<readonly string[]>,
  errors: FieldErrors,
  anyVersion: boolean,
): void {
  if (versions.length === 0) {
    errors.required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`);
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.invalid(path.index(i), version, 'duplicate version');
      continue;
    }
    seen.add(version);
    for (const s of isDns1035Label(version)) errors.invalid(path.index(i), version, s);
  }
  if (!anyVersion && !versions.some((v) => REVIEW_VERSIONS.includes(v)))
    errors.invalid(path, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(', ')}`);
}

/** Match conditions of webhooks and policies: named expressions. */
export function matchConditions(
  holder: Shaped<
    | shapes.AdmissionregistrationV1MutatingWebhook
    | shapes.AdmissionregistrationV1ValidatingWebhook
    | shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec
  >,
  path: FieldPath,
  errors: FieldErrors,
  expressions: Expressions,
): void {
  const conditions = objectsAt(holder, 'matchConditions');
  const here = path.child('matchConditions');
  if (conditions.length > CONDITIONS_MAX) errors.tooMany(here, conditions.length, CONDITIONS_MAX);
  const seen = new Set<string>();
  errors.each(conditions, (condition, i) => {
    const one = here.index(i);
    const expression = textAt(condition, 'expression');
    if (expression.trim() === '') errors.required(one.child('expression'));
    else expressions.report(errors, one.child('expression'), expression, 'matchConditions', i, 'expression');
    const named = textAt(condition, 'name');
    if (named === '') errors.required(one.child('name'));
    else {
      sentences(named, isQualifiedName, one.child('name'), errors);
      if (seen.has(named)) errors.duplicate(one.child('name'), named);
      seen.add(named);
    }
  });
}

/** Validates new webhooks. */
export function* validateNewWebhooks(
  o: Shaped<WebhookConfiguration>,
  errors: FieldErrors,
  context: WriteContext,
): Steps<void> {
  yield* validateWebhooks(o, errors);
  reservedName(o, errors, context);
}

/** Warnings about reserved names, and about rules that name a resource of which webhooks receive no request. */
export function webhookWarnings(
  o: Shaped<WebhookConfiguration>,
  old: Shaped<WebhookConfiguration> | undefined,
  context: WriteContext,
): void {
  warnOfName(o, old, context);
  if (!context.featureEnabled('ExcludeAdmissionWebhookVirtualResources')) return;
  for (const [i, webhook] of objectsAt(o, 'webhooks').entries())
    for (const [j, rule] of objectsAt(webhook, 'rules').entries())
      for (const excluded of excludedBy(rule))
        context.warn(
          `webhooks[${i}].rules[${j}]: ${excluded} is excluded from admission webhooks; this rule will have no effect`,
        );
}

/** The reviews that a rule names. The intent of a rule with a wildcard is not known. */
function excludedBy(rule: JsonObject): ReadonlySet<string> {
  const [groups, resources] = (['apiGroups', 'resources'] as const).map((field) => listAt(rule, field).map(String));
  if (groups!.includes('*') || resources!.includes('*')) return new Set();
  const named = groups!.flatMap((group) => resources!.map((resource) => `${resource}.${group}`));
  return new Set(named.filter((name) => REVIEWS_WITHOUT_WEBHOOKS.has(name)));
}
