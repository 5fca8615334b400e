import {
  compareText,
  type FieldError,
  FieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { planner } from '../reach.js';
import type { Field, ListSchema, Schema, StructSchema } from '../types.js';
import { plainZero } from '../zero.js';
import { identityOf, isEmpty, keyNames, run, type Subject, same } from './checks.js';
import { parseRule, type Rule, type Scope } from './rules.js';

export interface DeclarativeOptions {
  /** Feature gates: rules may depend on them. */
  readonly enabled: (gate: string) => boolean;
}

/**
 * Validates the `+k8s:` markers of a type, in steps. `old` is the stored object on update: unchanged values are not validated
 * again, so that an object older than a rule can still be updated. Messages and order are those of kube-apiserver
 * (declarative validation).
 *
 * `customUnique`, `customValidation` and `item(...)` are not evaluated here; code of the kind implements them.
 */
export function* declarativeErrors(
  object: JsonObject,
  old: JsonObject | undefined,
  schema: StructSchema,
  options: DeclarativeOptions,
): Steps<readonly FieldError[]> {
  if (!reaches(schema)) return [];
  const errors = new FieldErrors();
  const walk: Walk = { options, errors, update: old !== undefined };
  visitStruct(object, old, FieldPath.root, schema, walk);
  for (; errors.pending; yield) errors.step();
  return errors.list;
}

/** Reports whether a type has validation markers. */
export const hasDeclarative = (schema: StructSchema): boolean => reaches(schema);

interface Walk {
  readonly options: DeclarativeOptions;
  readonly errors: FieldErrors;
  readonly update: boolean;
}

const { plan, reaches } = planner((field) => rulesOf(field).some((rule) => rule.level !== 'alpha'));

/**
 * Rules of the field and, for a named scalar, of its type. Errors of alpha rules are not reported; those that decide whether
 * the field is validated further still decide it.
 */
function rulesOf(field: Field): readonly Rule[] {
  let found = parsed.get(field);
  if (found === undefined) {
    const texts = [...(field.rules ?? []), ...typeRules(field.schema)];
    found = texts.map(parseRule).filter((rule): rule is Rule => rule !== undefined && counts(rule));
    parsed.set(field, found);
  }
  return found;
}

const counts = (rule: Rule): boolean => rule.level !== 'alpha' || rule.first || rule.name === 'opaqueType';

/** The rules of a named scalar, applied to the field that has it as value, item or map value. */
function typeRules(schema: Schema): readonly string[] {
  if (schema.kind === 'scalar') return schema.rules ?? [];
  const item = schema.kind === 'list' ? schema.items : schema.kind === 'map' ? schema.values : undefined;
  return item?.kind === 'scalar' ? (item.rules ?? []).map((rule) => rule.replace(/[^/]+$/, 'eachVal/$&')) : [];
}

const parsed = new WeakMap<Field, readonly Rule[]>();

/** The fields that a mode of their struct needs or forbids. They are judged before all others, in the order of their names. */
function modalFields(schema: StructSchema): readonly Field[] {
  let found = modal.get(schema);
  if (found === undefined) {
    const isModal = (field: Field): boolean =>
      rulesOf(field).some((rule) => rule.scopes.some((s) => s.kind === 'ifMode'));
    found = schema.fields.filter(isModal).sort((a, b) => compareText(a.name, b.name));
    modal.set(schema, found);
  }
  return found;
}

const modal = new WeakMap<StructSchema, readonly Field[]>();

const conditionsHold = (rule: Rule, { options }: Walk): boolean =>
  rule.scopes.every((s) =>
    s.kind === 'ifEnabled'
      ? options.enabled(s.argument)
      : s.kind === 'ifDisabled'
        ? !options.enabled(s.argument)
        : true,
  );

/** If `old` is undefined in an update, the struct is new or cannot be matched. */
function visitStruct(
  object: JsonObject,
  old: JsonObject | undefined,
  path: FieldPath,
  schema: StructSchema,
  walk: Walk,
): void {
  const { own, all } = plan(schema);
  checkUnion(object, old, path, own, walk);
  for (const field of modalFields(schema)) checkMode(object, old, schema, field, walk, path);
  for (const field of all) visitField(object, old, path, field, walk);
}

function subjectOf(
  object: JsonObject,
  oldObject: JsonObject | undefined,
  parent: FieldPath,
  field: Field,
  walk: Walk,
): Subject {
  const read = (from: JsonObject | undefined): JsonValue | undefined =>
    from === undefined ? undefined : (getOwn(from, field.name) ?? undefined);
  return {
    value: effective(read(object), field),
    old: effective(read(oldObject), field),
    updated: walk.update && oldObject !== undefined,
    zeroCounts: field.pointer,
    path: parent.child(field.name),
    errors: walk.errors,
  };
}

function visitField(
  object: JsonObject,
  oldObject: JsonObject | undefined,
  parent: FieldPath,
  field: Field,
  walk: Walk,
): void {
  const subject = subjectOf(object, oldObject, parent, field, walk);
  const rules = rulesOf(field).filter((rule) => conditionsHold(rule, walk));
  if (subject.updated && same(subject.value, subject.old)) return;
  let stop = false;
  for (const rule of rules) if (rule.first && decide(rule, reportedBy(rule, subject), field)) stop = true;
  if (stop || rules.some((rule) => rule.name === 'opaqueType' && rule.scopes.length === 0)) return;
  const there = subject.value !== undefined;
  const unique = rules.find((rule) => rule.name === 'unique' && conditionsPassed(rule).length === 0);
  const matched = unique === undefined ? subject : { ...subject, matchedBy: keyNames(unique.value) };
  for (const rule of rules) {
    if (there && !rule.first && rule.scopes[0]?.kind !== 'ifMode') {
      apply(rule, conditionsPassed(rule), matched, field.schema);
    }
  }
  const opaqueItems = rules.some((rule) => rule.name === 'opaqueType' && rule.scopes.some((s) => s.kind === 'eachVal'));
  if (there && !opaqueItems) visitValue(matched, field.schema, walk);
}

/** Returns the subject whose errors are reported if those of the rule are. */
const reportedBy = (rule: Rule, subject: Subject): Subject =>
  rule.level === 'alpha' ? { ...subject, errors: new FieldErrors() } : subject;

/** Returns the scopes without the conditions, which were evaluated before. */
const conditionsPassed = (rule: Rule): readonly Scope[] =>
  rule.scopes.filter((s) => s.kind !== 'ifEnabled' && s.kind !== 'ifDisabled');

/** Returns the Go value of an absent field that is not a pointer: an empty struct or a zero scalar. */
function effective(value: JsonValue | undefined, field: Field): JsonValue | undefined {
  if (value !== undefined || field.pointer) return value;
  if (field.schema.kind === 'struct') return EMPTY;
  return plainZero(field.schema);
}

const EMPTY: JsonObject = Object.freeze({});

/** Runs a rule that decides whether the other rules run; returns true if they do not. */
function decide(rule: Rule, subject: Subject, field: Field): boolean {
  const { value, updated, path, errors } = subject;
  const given = isGiven(value, field);
  switch (rule.name) {
    case 'optional':
      // A default makes the field required, except a zero default of a field that does not distinguish zero from absent.
      if (field.default !== undefined) {
        if (!field.pointer && isEmpty(field.default)) return false;
        return require(given, path, errors);
      }
      return !given;
    case 'required':
      return require(given, path, errors);
    case 'forbidden':
      if (given) errors.forbidden(path, '');
      return true;
    case 'immutable':
      // Reached only if the value changed.
      if (updated) errors.invalid(path, undefined, 'field is immutable');
      return updated;
    case 'maxItems':
    case 'maxProperties': {
      const max = Number(rule.value);
      const count = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
      if (count > max) errors.tooMany(path, count, max);
      return count > max;
    }
    case 'update':
      return errors.adds(() => run(rule, subject));
    default:
      return false;
  }
}

function require(given: boolean, path: FieldPath, errors: FieldErrors): boolean {
  if (!given) errors.required(path);
  return !given;
}

/** Reports whether a field is set: a pointer that is present, a list or map that is not empty, a scalar that is not zero. */
function isGiven(value: JsonValue | undefined, field: Field): boolean {
  if (value === undefined) return false;
  switch (field.schema.kind) {
    case 'list':
      return Array.isArray(value) && value.length > 0;
    case 'map':
      return isObject(value) && Object.keys(value).length > 0;
    case 'scalar':
      return field.pointer || !isEmpty(value);
    default:
      return true;
  }
}

/** Applies a rule to the values that its remaining scopes select. */
function apply(rule: Rule, scopes: readonly Scope[], subject: Subject, schema: Schema): void {
  const [scope, ...rest] = scopes;
  const { value, old, path, errors } = subject;
  if (scope === undefined) {
    run(rule, { ...subject, schema });
  } else if (scope.kind === 'eachVal') {
    eachValue(subject, schema, (item, inner) => apply(rule, rest, item, inner));
  } else if (scope.kind === 'eachKey' && isObject(value)) {
    for (const key of Object.keys(value).sort()) {
      const known = isObject(old) && Object.hasOwn(old, key);
      if (!known) run(rule, { value: key, old: undefined, updated: false, zeroCounts: true, path, errors });
    }
  } else if (scope.kind === 'subfield' && isObject(value)) {
    const before = isObject(old) ? (getOwn(old, scope.argument) ?? undefined) : undefined;
    const now = getOwn(value, scope.argument) ?? undefined;
    if (subject.updated && same(now, before)) return;
    if (!isEmpty(now)) run(rule, { ...subject, value: now, old: before, path: path.child(scope.argument) });
  }
}

/**
 * Returns the items of a list or the values of a map with their old values. Unchanged ones are omitted on update. The items of an atomic list
 * have no old values: if one changes, all are validated.
 */
function eachValue(subject: Subject, schema: Schema, visit: (item: Subject, schema: Schema) => void): void {
  const { value, old, updated, path, errors } = subject;
  if (schema.kind === 'list' && Array.isArray(value)) {
    const keys = subject.matchedBy ?? keysOf(schema);
    const items = updated && keys !== undefined && Array.isArray(old) ? old : [];
    const before = new Map(items.map((item) => [identityOf(item, keys ?? []), item]));
    errors.each(value, (item, i) => {
      const was = before.size === 0 ? undefined : before.get(identityOf(item, keys ?? []));
      if (was !== undefined && same(item, was)) return;
      visit(
        { value: item, old: was, updated: was !== undefined, zeroCounts: true, path: path.index(i), errors },
        schema.items,
      );
    });
  } else if (schema.kind === 'map' && isObject(value)) {
    errors.each(Object.keys(value).sort(), (key) => {
      const was = updated && isObject(old) ? getOwn(old, key) : undefined;
      const item = value[key] as JsonValue;
      if (was !== undefined && same(item, was)) return;
      visit(
        { value: item, old: was, updated: was !== undefined, zeroCounts: true, path: path.key(key), errors },
        schema.values,
      );
    });
  }
}

function keysOf(schema: ListSchema): readonly string[] | undefined {
  if (schema.listType === 'map') return schema.keys;
  return schema.listType === 'set' ? [] : undefined;
}

function visitValue(subject: Subject, schema: Schema, walk: Walk): void {
  if (schema.kind === 'struct') {
    const { value, old, path } = subject;
    if (!isObject(value)) return;
    visitStruct(value, subject.updated && isObject(old) ? old : undefined, path, schema, walk);
  } else if (schema.kind === 'list' || schema.kind === 'map') {
    if (reaches(schema)) eachValue(subject, schema, (item, inner) => visitValue(item, inner, walk));
  }
}

/** `unionMember`: exactly one of the marked fields is set. It is not validated again while the same fields are set. */
function checkUnion(
  object: JsonObject,
  old: JsonObject | undefined,
  path: FieldPath,
  fields: readonly Field[],
  walk: Walk,
): void {
  const members = fields.filter((f) =>
    rulesOf(f).some((rule) => rule.name === 'unionMember' && conditionsHold(rule, walk)),
  );
  if (members.length === 0) return;
  const given = (from: JsonObject): Field[] =>
    members.filter((f) => isGiven(effective(getOwn(from, f.name) ?? undefined, f), f));
  const now = given(object);
  if (old !== undefined && same(names(now), names(given(old)))) return;
  const all = quoted(members);
  if (now.length === 0) walk.errors.invalid(path, '', `must specify one of: ${all}`);
  else if (now.length > 1) {
    walk.errors.invalid(path, `{${names(now).join(', ')}}`, `must specify exactly one of: ${all}`);
  }
}

const names = (fields: readonly Field[]): string[] => fields.map((f) => f.name);
const quoted = (fields: readonly Field[]): string => fields.map((f) => `\`${f.name}\``).join(', ');

/** `ifMode(X)`: a rule for the field while the mode discriminator of the struct is X. In other modes the field is forbidden. */
function checkMode(
  object: JsonObject,
  old: JsonObject | undefined,
  owner: StructSchema,
  field: Field,
  walk: Walk,
  path: FieldPath,
): void {
  const modal = rulesOf(field).filter((rule) => rule.scopes[0]?.kind === 'ifMode' && conditionsHold(rule, walk));
  if (modal.length === 0) return;
  const discriminator = owner.fields.find((f) => rulesOf(f).some((rule) => rule.name === 'modeDiscriminator'));
  if (discriminator === undefined) return;
  const subject = subjectOf(object, old, path, field, walk);
  const mode = getOwn(object, discriminator.name) ?? '';
  const before = old === undefined ? undefined : (getOwn(old, discriminator.name) ?? '');
  if (subject.updated && mode === before && same(subject.value, subject.old)) return;
  const now = modal.filter((rule) => (rule.scopes[0] as { argument: string }).argument === mode);
  if (now.length === 0) {
    if (isGiven(subject.value, field)) subject.errors.forbidden(subject.path, '');
    return;
  }
  for (const rule of now) if (!decide(rule, subject, field)) run(rule, subject);
}
