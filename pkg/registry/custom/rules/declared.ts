import {
  type FieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  objectsAt,
  Printed,
  textAt,
} from '../../../api/index.js';
import { finish, type Steps } from '../../../base/index.js';
import {
  BOOL,
  type Compilation,
  type Compiled,
  compileSteps,
  type Environment,
  estimateCostSteps,
  failed,
  kubernetesEnvironment,
  type Minor,
  parseText,
  refersTo,
  STRING,
} from '../../../cel/index.js';
import { mostValues, type RuleCosts } from './costs.js';
import { ruleEnvironment } from './rules.js';
import { sizesBelow, type ValueSize, valueSize } from './sizes.js';
import { type RuleType, ruleType } from './types.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The position of a schema in a definition. */
export interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** The enclosing list whose items cannot be matched between two states of an object, if any. */
  readonly uncorrelatable: FieldPath | undefined;
  /** The minor release whose functions a rule with this text may use, and a message expression. */
  readonly minorOfRule: (text: string) => Minor;
  readonly minorOfMessage: (text: string) => Minor;
  /** The maximum number of values of the schema in an object, if the enclosing lists and maps are bounded. */
  readonly cardinality: bigint | undefined;
  readonly costs: RuleCosts;
}

/** Validates the fields of the rules of a schema, without their expressions. */
export function checkRuleTexts(schema: JsonObject, path: FieldPath, errors: FieldErrors): void {
  for (const [i, rule] of objectsAt(schema, 'x-kubernetes-validations').entries()) {
    const at = path.child('x-kubernetes-validations').index(i);
    const text = textAt(rule, 'rule').trim();
    if (text === '') errors.required(at.child('rule'), 'rule is not specified');
    else checkMessage(rule, text, at, errors);
    const expression = textAt(rule, 'messageExpression');
    if (expression !== '' && expression.trim() === '')
      errors.required(at.child('messageExpression'), 'messageExpression must be non-empty if specified');
    const reason = rule['reason'];
    if (typeof reason === 'string' && !REASONS.includes(reason))
      errors.notSupported(at.child('reason'), reason, REASONS);
    const fieldPath = textAt(rule, 'fieldPath');
    if (fieldPath !== '') checkFieldPath(fieldPath, schema, at.child('fieldPath'), errors);
  }
}

/** Validates the expressions of the rules of a schema: they must compile, have the required type and not cost too much. */
export function checkDeclaredRules(schema: JsonObject, place: Place, errors: FieldErrors): void {
  const declared = objectsAt(schema, 'x-kubernetes-validations');
  if (declared.length === 0) return;
  const type = ruleType(schema, 'Object', place.isRoot);
  const size = valueSize(schema, place.isRoot);
  const path = place.path.child('x-kubernetes-validations');
  if (type === undefined) {
    errors.internal(path, NO_TYPE);
    return;
  }
  errors.each(declared, (rule, i) => checkRule({ rule, type, size, path: path.index(i), place, errors }), RULE_WEIGHT);
}

const NO_TYPE =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

/** The cost of the check of a short rule, in cheap items (`FieldErrors.each`). */
const RULE_WEIGHT = 25;

interface Declared {
  readonly rule: JsonObject;
  readonly type: RuleType | undefined;
  readonly size: ValueSize | undefined;
  readonly path: FieldPath;
  readonly place: Place;
  readonly errors: FieldErrors;
}

/** The check of rules with longer texts takes milliseconds, and pauses. */
const LONG_RULE = 2_000;

function checkRule(of: Declared): void {
  const steps = ruleSteps(of);
  const length = textAt(of.rule, 'rule').length + textAt(of.rule, 'messageExpression').length;
  if (length < LONG_RULE) finish(steps);
  else of.errors.run(steps);
}

function* ruleSteps(of: Declared): Steps<void> {
  const { rule, type, path, place, errors } = of;
  const optional = rule['optionalOldSelf'] === true;
  const environment = ruleEnvironment(type, optional, place.minorOfRule(textAt(rule, 'rule')));
  const at = path.child('rule');
  const compiled = yield* compileSteps(textAt(rule, 'rule'), environment, [BOOL]);
  if (failed(compiled)) {
    const isType = compiled.error.startsWith('must evaluate to');
    errors.invalid(at, shownRule(rule), isType ? 'cel expression must evaluate to a bool' : compiled.error);
  } else {
    const cost = yield* estimateOf(compiled, of);
    place.costs.rule(at, cost, place.cardinality ?? mostValues(of.size), errors);
    const minor = place.minorOfMessage(textAt(rule, 'messageExpression'));
    yield* checkMessageExpression(of, ruleEnvironment(type, optional, minor));
  }
  yield* checkOldSelf(of, compiled);
}

function* checkOldSelf({ rule, path, place, errors }: Declared, compiled: Compilation): Steps<void> {
  const text = textAt(rule, 'rule');
  const reads = yield* readsOldSelf(text, place.minorOfRule(text));
  if (reads && place.uncorrelatable !== undefined)
    errors.invalid(
      path.child('rule'),
      text,
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`,
    );
  if (rule['optionalOldSelf'] !== undefined && (failed(compiled) || !refersTo(compiled.expr, 'oldSelf')))
    errors.invalid(
      path.child('optionalOldSelf'),
      rule['optionalOldSelf'] === true,
      'may not be set if oldSelf is not used in rule',
    );
}

function estimateOf(compiled: Compiled, { size }: Declared): Steps<bigint> {
  return estimateCostSteps(compiled, size === undefined ? () => undefined : sizesBelow(size));
}

function checkMessage(rule: JsonObject, text: string, path: FieldPath, errors: FieldErrors): void {
  const message = textAt(rule, 'message');
  const at = path.child('message');
  if (message !== '' && message.trim() === '') errors.invalid(at, message, 'must be non-empty if specified');
  else if (/[\n\r]/.test(message.trim())) errors.invalid(at, message, 'must not contain line breaks');
  else if (/[\n\r]/.test(text) && message.trim() === '')
    errors.required(at, 'message must be specified if rule contains line breaks');
}

function checkFieldPath(text: string, schema: JsonObject, path: FieldPath, errors: FieldErrors): void {
  if (text.trim() === '') errors.invalid(path, text, 'must be non-empty if specified');
  if (/[\n\r]/.test(text)) errors.invalid(path, text, 'must not contain line breaks');
  if (!isFieldPath(text, schema)) errors.invalid(path, text, 'must be a valid path');
}

/** Reports whether a path such as `.spec['a.b'].c` refers to a declared field. */
function isFieldPath(text: string, schema: JsonObject): boolean {
  let within: JsonObject = schema;
  let at = 0;
  while (at < text.length) {
    const step = text[at] === '.' ? fieldAfterDot(text, at + 1) : quotedKey(text, at);
    if (step === undefined) return false;
    at = step.end;
    const { properties, additionalProperties: values } = within;
    const next = isObject(properties) ? getOwn(properties, step.name) : values;
    if (!isObject(next)) return false;
    within = next;
  }
  return true;
}

interface PathStep {
  readonly name: string;
  readonly end: number;
}

function fieldAfterDot(text: string, start: number): PathStep | undefined {
  let end = start;
  while (end < text.length && !'.[]'.includes(text[end]!)) end++;
  return end === start ? undefined : { name: text.slice(start, end), end };
}

/** `['name']`, with a backslash before a quote or a backslash. */
function quotedKey(text: string, start: number): PathStep | undefined {
  if (!text.startsWith("['", start)) return undefined;
  let name = '';
  for (let i = start + 2; i < text.length; i++) {
    if (text.startsWith("']", i)) return { name, end: i + 2 };
    if (text[i] === '\\') i++;
    name += text[i] ?? '';
  }
  return undefined;
}

function* checkMessageExpression(of: Declared, environment: Environment): Steps<void> {
  const { rule, path, place, errors } = of;
  const text = textAt(rule, 'messageExpression');
  if (text === '') return;
  const at = path.child('messageExpression');
  const compiled = yield* compileSteps(text.trim(), environment, [STRING]);
  if (!failed(compiled)) {
    place.costs.message(at, yield* estimateOf(compiled, of), errors);
    return;
  }
  const isType = compiled.error.startsWith('must evaluate to');
  errors.invalid(
    at,
    shownRule(rule),
    isType ? 'messageExpression must evaluate to a string' : `messageExpression ${compiled.error}`,
  );
}

/** Reports whether the text uses oldSelf, even if it does not type-check. */
function* readsOldSelf(text: string, minor: Minor): Steps<boolean> {
  const expr = yield* parseText(text.trim(), kubernetesEnvironment(minor));
  return expr !== undefined && refersTo(expr, 'oldSelf');
}

/** The rule in errors: all its fields, with the Go names. */
function shownRule(rule: JsonObject): Printed {
  const members = {
    Rule: textAt(rule, 'rule'),
    Message: textAt(rule, 'message'),
    MessageExpression: textAt(rule, 'messageExpression'),
    Reason: rule['reason'] ?? null,
    FieldPath: textAt(rule, 'fieldPath'),
    OptionalOldSelf: rule['optionalOldSelf'] ?? null,
  };
  const text = JSON.stringify(members).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  return new Printed(text);
}
