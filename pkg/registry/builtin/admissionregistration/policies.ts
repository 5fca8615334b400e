import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isCIdentifier,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isQualifiedName,
  type JsonValue,
  parseApiVersion,
  type Shaped,
  type Value,
} from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import { RESERVED_WORDS } from '../../../cel/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { labelSelector, oneOf, sentences, shown } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import { Expressions } from './expressions.js';
import { jsonPathProblem } from './jsonpath.js';
import { matchConditions, operationsRule } from './webhooks.js';

/** Admission policies with CEL expressions, and their bindings. */

const SPEC = FieldPath.of('spec');
const AUDIT_ANNOTATIONS_MAX = 20;

export function defaultPolicy(o: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicy>): void {
  const spec = objectIn(o, 'spec');
  whenAbsent(spec, 'failurePolicy', 'Fail');
  if (at(spec, 'matchConstraints') !== undefined) defaultMatch(objectIn(spec, 'matchConstraints'));
}

export function defaultPolicyBinding(
  o: Shaped<
    | shapes.AdmissionregistrationV1ValidatingAdmissionPolicyBinding
    | shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicyBinding
  >,
): void {
  const match = at(o, 'spec', 'matchResources');
  if (match !== undefined) defaultMatch(objectAt(o, 'spec', 'matchResources'));
}

function defaultMatch(
  match: Shaped<shapes.AdmissionregistrationV1MatchResources | shapes.AdmissionregistrationV1beta1MatchResources>,
): void {
  whenAbsent(match, 'matchPolicy', 'Equivalent');
  objectIn(match, 'namespaceSelector');
  objectIn(match, 'objectSelector');
  for (const list of ['resourceRules', 'excludeResourceRules'] as const)
    for (const rule of objectsAt(match, list)) whenAbsent(rule, 'scope', '*');
}

/** `mutating`: DELETE and CONNECT cannot be mutated. */
function matchResources(
  match: Shaped<shapes.AdmissionregistrationV1MatchResources | shapes.AdmissionregistrationV1beta1MatchResources>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const policy = at(match, 'matchPolicy');
  if (typeof policy === 'string') oneOf(policy, path.child('matchPolicy'), ['Equivalent', 'Exact'], errors, false);
  labelSelector(at(match, 'namespaceSelector'), path.child('namespaceSelector'), errors);
  labelSelector(at(match, 'objectSelector'), path.child('objectSelector'), errors);
  for (const list of ['resourceRules', 'excludeResourceRules'] as const) {
    errors.each(objectsAt(match, list), (rule, i) => {
      const here = path.child(list).index(i);
      const seen = new Set<string>();
      errors.each(listAt(rule, 'resourceNames').map(String), (name, j) => {
        for (const s of isPathSegmentName(name)) errors.invalid(here.child('resourceNames').index(j), name, s);
        if (seen.has(name)) errors.duplicate(here.child('resourceNames').index(j), name);
        seen.add(name);
      });
      operationsRule(rule, here, errors);
    });
  }
}

const MUTABLE_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

function mutableOperations(
  match: Shaped<shapes.AdmissionregistrationV1beta1MatchResources>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const rule of objectsAt(match, 'resourceRules'))
    for (const operation of listAt(rule, 'operations').map(String))
      if (!MUTABLE_OPERATIONS.includes(operation))
        errors.notSupported(path.child('resourceRules', 'operations'), operation, MUTABLE_OPERATIONS);
}

/** Rules that both kinds of policy share. */
function policySpec(
  spec: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec>,
  errors: FieldErrors,
  expressions: Expressions,
  old: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec> | undefined,
  checkOperations: typeof mutableOperations = () => {},
): void {
  const failure = at(spec, 'failurePolicy');
  if (failure === undefined || failure === null) errors.required(SPEC.child('failurePolicy'));
  else oneOf(String(failure), SPEC.child('failurePolicy'), ['Fail', 'Ignore'], errors, false);
  paramKind(at(spec, 'paramKind'), errors);
  const match = at(spec, 'matchConstraints');
  const path = SPEC.child('matchConstraints');
  if (match === undefined) errors.required(path);
  else {
    matchResources(objectAt(spec, 'matchConstraints'), path, errors);
    if (objectsAt(match, 'resourceRules').length === 0) errors.required(path.child('resourceRules'));
  }
  checkOperations(objectAt(spec, 'matchConstraints'), path, errors);
  // Match conditions are not validated again as long as neither they nor the kind of the parameters changes.
  const keeps = (field: 'matchConditions' | 'paramKind', absent: JsonValue): boolean =>
    old !== undefined && equalJson(at(spec, field) ?? absent, at(old, field) ?? absent);
  if (!keeps('matchConditions', []) || !keeps('paramKind', null)) matchConditions(spec, SPEC, errors, expressions);
  errors.each(objectsAt(spec, 'variables'), (v, i) => variable(v, i, errors, expressions));
}

function paramKind(kind: Value<shapes.AdmissionregistrationV1beta1ParamKind> | undefined, errors: FieldErrors): void {
  if (kind === undefined) return;
  const path = SPEC.child('paramKind');
  const version = textAt(kind, 'apiVersion');
  if (version === '') errors.required(path.child('apiVersion'));
  else {
    const parsed = parseApiVersion(version);
    if (parsed === undefined)
      errors.invalid(path.child('apiVersion'), version, `unexpected GroupVersion string: ${version}`);
    else {
      if (parsed.group !== '') sentences(parsed.group, isDns1123Subdomain, path.child('apiVersion'), errors);
      if (parsed.version === '') errors.invalid(path.child('apiVersion'), version, 'version must be specified');
      else sentences(parsed.version, isDns1035Label, path.child('apiVersion'), errors);
    }
  }
  const name = textAt(kind, 'kind');
  if (name === '') errors.required(path.child('kind'));
  else {
    const found = isDns1035Label(name.toLowerCase());
    if (found.length > 0)
      errors.invalid(path.child('kind'), name, `may have mixed case, but should otherwise match: ${found.join(',')}`);
  }
}

function variable(
  v: Shaped<shapes.AdmissionregistrationV1beta1Variable>,
  i: number,
  errors: FieldErrors,
  expressions: Expressions,
): void {
  const path = SPEC.child('variables').index(i);
  const name = textAt(v, 'name');
  if (name.trim() === '') errors.required(path.child('name'), 'name is not specified');
  else if (isCIdentifier(name).length > 0 || RESERVED_WORDS.has(name))
    errors.invalid(path.child('name'), name, 'must be a valid CEL identifier');
  const expression = textAt(v, 'expression');
  if (expression.trim() === '') errors.required(path.child('expression'), 'expression is not specified');
  else expressions.report(errors, path.child('expression'), expression, 'variables', i, 'expression');
}

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** In steps: a policy may have thousands of expressions. */
export function* validateValidatingPolicy(
  o: Shaped<shapes.AdmissionregistrationV1ValidatingAdmissionPolicy>,
  old: Shaped<shapes.AdmissionregistrationV1ValidatingAdmissionPolicy> | undefined,
  errors: FieldErrors,
): Steps<void> {
  const spec = objectAt(o, 'spec');
  const before = old && objectAt(old, 'spec');
  const expressions = yield* Expressions.ofPolicy(spec, before);
  policySpec(spec, errors, expressions, before);
  const validations = objectsAt(spec, 'validations');
  const audits = objectsAt(spec, 'auditAnnotations');
  if (validations.length === 0 && audits.length === 0)
    for (const field of ['validations', 'auditAnnotations'] as const)
      errors.required(SPEC.child(field), 'validations or auditAnnotations must contain at least one item');
  errors.each(validations, (v, i) => validation(v, i, errors, expressions));
  if (audits.length > AUDIT_ANNOTATIONS_MAX)
    errors.invalid(
      SPEC.child('auditAnnotations'),
      shown('[]admissionregistration/v1.AuditAnnotation', audits),
      `must not have more than ${AUDIT_ANNOTATIONS_MAX} auditAnnotations`,
    );
  const keys = new Set<string>();
  errors.each(audits, (a, i) => {
    const path = SPEC.child('auditAnnotations').index(i);
    const key = textAt(a, 'key');
    const name = textAt(o, 'metadata', 'name');
    if (name === '') errors.invalid(path.child('key'), key, 'requires metadata.name be non-empty');
    else for (const s of isQualifiedName(`${name}/${key}`)) errors.invalid(path.child('key'), `${name}/${key}`, s);
    const value = textAt(a, 'valueExpression');
    if (value.trim() === '') errors.required(path.child('valueExpression'), 'valueExpression is not specified');
    else expressions.report(errors, path.child('valueExpression'), value, 'auditAnnotations', i, 'valueExpression');
    if (keys.has(key)) errors.duplicate(path.child('key'), key);
    keys.add(key);
  });
}

function validation(
  v: Shaped<shapes.AdmissionregistrationV1Validation>,
  i: number,
  errors: FieldErrors,
  expressions: Expressions,
): void {
  const path = SPEC.child('validations').index(i);
  const expression = textAt(v, 'expression');
  if (expression.trim() === '') errors.required(path.child('expression'), 'expression is not specified');
  else expressions.report(errors, path.child('expression'), expression, 'validations', i, 'expression');
  const messageExpression = at(v, 'messageExpression');
  if (typeof messageExpression === 'string' && messageExpression !== '' && messageExpression.trim() === '')
    errors.invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified');
  else if (typeof messageExpression === 'string')
    expressions.report(
      errors,
      path.child('messageExpression'),
      messageExpression,
      'validations',
      i,
      'messageExpression',
    );
  const message = at(v, 'message');
  if (typeof message === 'string' && message !== '') {
    if (message.trim() === '') errors.invalid(path.child('message'), message, 'must be non-empty if specified');
    else if (message.includes('\n')) errors.invalid(path.child('message'), message, 'must not contain line breaks');
  }
  const reason = at(v, 'reason');
  if (typeof reason === 'string') oneOf(reason, path.child('reason'), REASONS, errors, false);
}

const PATCH_TYPES = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

/** In steps, as `validateValidatingPolicy`. */
export function* validateMutatingPolicy(
  o: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicy>,
  old: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicy> | undefined,
  errors: FieldErrors,
): Steps<void> {
  const spec = objectAt(o, 'spec');
  const before = old && objectAt(old, 'spec');
  const expressions = yield* Expressions.ofPolicy(spec, before);
  policySpec(spec, errors, expressions, before, mutableOperations);
  const mutations = objectsAt(spec, 'mutations');
  if (mutations.length === 0) errors.required(SPEC.child('mutations'), 'mutations must contain at least one item');
  errors.each(mutations, (m, i) => mutation(m, i, errors, expressions));
  const reinvocation = textAt(spec, 'reinvocationPolicy');
  oneOf(reinvocation, SPEC.child('reinvocationPolicy'), ['IfNeeded', 'Never'], errors);
}

function mutation(
  m: Shaped<shapes.AdmissionregistrationV1beta1Mutation>,
  i: number,
  errors: FieldErrors,
  expressions: Expressions,
): void {
  const path = SPEC.child('mutations').index(i);
  const type = textAt(m, 'patchType');
  if (type === '') errors.required(path.child('patchType'));
  else if (!Object.hasOwn(PATCH_TYPES, type))
    errors.notSupported(path.child('patchType'), type, Object.keys(PATCH_TYPES));
  // the member of the type comes first
  const members = Object.entries(PATCH_TYPES).sort(([a], [b]) => Number(b === type) - Number(a === type));
  for (const [of, field] of members) {
    const given = at(m, field);
    if (type === of) {
      if (given === undefined) errors.required(path.child(field), `must be specified when patchType is ${of}`);
      else if (textAt(given, 'expression').trim() === '') errors.required(path.child(field, 'expression'));
      else {
        const expression = textAt(given, 'expression');
        expressions.report(errors, path.child(field, 'expression'), expression, 'mutations', i, field, 'expression');
      }
    } else if (given !== undefined && Object.hasOwn(PATCH_TYPES, type))
      errors.invalid(path.child(field), `{${field}}`, `must not be specified when patchType is ${type}`);
  }
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];

function bindingSpec(
  spec: Shaped<
    | shapes.AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec
    | shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicyBindingSpec
  >,
  errors: FieldErrors,
): void {
  const name = textAt(spec, 'policyName');
  if (name === '') errors.required(SPEC.child('policyName'));
  else sentences(name, isDns1123Subdomain, SPEC.child('policyName'), errors);
  const ref = at(spec, 'paramRef');
  if (ref !== undefined) paramRef(ref, SPEC.child('paramRef'), errors);
  if (at(spec, 'matchResources') !== undefined)
    matchResources(objectAt(spec, 'matchResources'), SPEC.child('matchResources'), errors);
}

function paramRef(
  ref: Value<shapes.AdmissionregistrationV1ParamRef | shapes.AdmissionregistrationV1beta1ParamRef>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const name = textAt(ref, 'name');
  const selector = at(ref, 'selector');
  if (name !== '') {
    sentences(name, isPathSegmentName, path.child('name'), errors);
    if (selector !== undefined) errors.forbidden(path.child('name'), 'name and selector are mutually exclusive');
  }
  if (selector !== undefined) {
    labelSelector(selector, path.child('selector'), errors);
    if (name !== '') errors.forbidden(path.child('selector'), 'name and selector are mutually exclusive');
  } else if (name === '') errors.required(path, 'one of name or selector must be specified');
  const action = at(ref, 'parameterNotFoundAction');
  if (typeof action !== 'string' || action === '') errors.required(path.child('parameterNotFoundAction'));
  else oneOf(action, path.child('parameterNotFoundAction'), ['Deny', 'Allow'], errors, false);
}

export function validateValidatingBinding(
  o: Shaped<shapes.AdmissionregistrationV1ValidatingAdmissionPolicyBinding>,
  errors: FieldErrors,
): void {
  const spec = objectAt(o, 'spec');
  bindingSpec(spec, errors);
  const actions = listAt(spec, 'validationActions').map(String);
  const path = SPEC.child('validationActions');
  const seen = new Set<string>();
  errors.each(actions, (action, i) => {
    if (!ACTIONS.includes(action)) errors.notSupported(path.index(i), action, ACTIONS);
    if (seen.has(action)) errors.duplicate(path.index(i), action);
    seen.add(action);
  });
  if (seen.has('Deny') && seen.has('Warn'))
    errors.invalid(
      path,
      actions,
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  if (actions.length === 0) errors.required(path, 'at least one validation action is required');
}

export function validateMutatingBinding(
  o: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicyBinding>,
  errors: FieldErrors,
): void {
  const spec = objectAt(o, 'spec');
  bindingSpec(spec, errors);
  mutableOperations(objectAt(spec, 'matchResources'), SPEC.child('matchResources'), errors);
}

export function validatePolicyStatus(
  o: Shaped<shapes.AdmissionregistrationV1ValidatingAdmissionPolicy>,
  _old: Shaped<shapes.AdmissionregistrationV1ValidatingAdmissionPolicy>,
  errors: FieldErrors,
): void {
  const path = FieldPath.in<shapes.AdmissionregistrationV1ValidatingAdmissionPolicy>().child('status');
  for (const [i, warning] of objectsAt(o, 'status', 'typeChecking', 'expressionWarnings').entries()) {
    const here = path.child('typeChecking', 'expressionWarnings').index(i);
    if (textAt(warning, 'warning') === '') errors.required(here.child('warning'));
    const ref = textAt(warning, 'fieldRef');
    const problem = jsonPathProblem(ref);
    if (ref.trim() === '') errors.required(here.child('fieldRef'));
    else if (problem !== undefined) errors.invalid(here.child('fieldRef'), ref, `invalid JSONPath: ${problem}`);
  }
  conditionList(objectsAt(o, 'status', 'conditions'), path.child('conditions'), errors);
}
