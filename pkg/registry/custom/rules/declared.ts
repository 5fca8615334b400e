import { type FieldErrors, type FieldPath, type JsonObject, objectsAt, Printed, textAt } from '../../../api/index.js';
import {
  BOOL,
  compile,
  failed,
  kubernetesEnvironment,
  type Minor,
  parseText,
  refersTo,
  STRING,
} from '../../../cel/index.js';
import { ruleEnvironment } from './rules.js';
import { type RuleType, ruleType } from './types.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The position of a schema in a definition. */
export interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** The enclosing list whose items cannot be matched between two states of an object, if any. */
  readonly uncorrelatable: FieldPath | undefined;
  /** The minor release whose functions the rules may use. */
  readonly minor: Minor;
}

/** Validates the rules of a schema when the definition is written: they must compile and have the required result type. */
export function checkDeclaredRules(schema: JsonObject, place: Place, errors: FieldErrors): void {
  const declared = objectsAt(schema, 'x-kubernetes-validations');
  if (declared.length === 0) return;
  const type = ruleType(schema, 'Object', place.isRoot);
  for (const [i, rule] of declared.entries())
    checkRule(rule, type, place.path.child('x-kubernetes-validations').index(i), place, errors);
}

function checkRule(
  rule: JsonObject,
  type: RuleType | undefined,
  path: FieldPath,
  place: Place,
  errors: FieldErrors,
): void {
  const text = textAt(rule, 'rule');
  const { minor } = place;
  const at = path.child('rule');
  if (text.trim() === '') {
    errors.required(at, 'rule is not specified');
    return;
  }
  checkTexts(rule, path, errors);
  const environment = ruleEnvironment(type, rule['optionalOldSelf'] === true, minor);
  const compiled = compile(text.trim(), environment, [BOOL]);
  if (failed(compiled)) {
    const isType = compiled.error.startsWith('must evaluate to');
    errors.invalid(at, shownRule(rule), isType ? 'cel expression must evaluate to a bool' : compiled.error);
  }
  const reads = readsOldSelf(text, minor);
  if (reads && place.uncorrelatable !== undefined)
    errors.invalid(
      at,
      text,
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`,
    );
  if (rule['optionalOldSelf'] !== undefined && (failed(compiled) || !refersTo(compiled.expr, 'oldSelf')))
    errors.invalid(
      path.child('optionalOldSelf'),
      rule['optionalOldSelf'] === true,
      'may not be set if oldSelf is not used in rule',
    );
  checkMessageExpression(rule, type, path, minor, errors);
}

function checkTexts(rule: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const message = rule['message'];
  if (typeof message === 'string' && message !== '') {
    if (message.trim() === '') errors.invalid(path.child('message'), message, 'message must be non-empty if specified');
    else if (message.includes('\n'))
      errors.invalid(path.child('message'), message, 'message must not contain line breaks');
  }
  const reason = rule['reason'];
  if (typeof reason === 'string' && !REASONS.includes(reason))
    errors.notSupported(path.child('reason'), reason, REASONS);
}

function checkMessageExpression(
  rule: JsonObject,
  type: RuleType | undefined,
  path: FieldPath,
  minor: Minor,
  errors: FieldErrors,
): void {
  const text = textAt(rule, 'messageExpression');
  if (text === '') return;
  const at = path.child('messageExpression');
  if (text.trim() === '') {
    errors.required(at, 'messageExpression must be non-empty if specified');
    return;
  }
  const environment = ruleEnvironment(type, rule['optionalOldSelf'] === true, minor);
  const compiled = compile(text.trim(), environment, [STRING]);
  if (!failed(compiled)) return;
  const isType = compiled.error.startsWith('must evaluate to');
  errors.invalid(
    at,
    shownRule(rule),
    isType ? 'messageExpression must evaluate to a string' : `messageExpression ${compiled.error}`,
  );
}

/** Reports whether the text uses oldSelf, even if it does not type-check. */
function readsOldSelf(text: string, minor: Minor): boolean {
  const expr = parseText(text.trim(), kubernetesEnvironment(minor));
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
