import {
  FieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectsAt,
  textAt,
} from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import {
  BOOL,
  type Compilation,
  CURRENT,
  compileSteps,
  type Environment,
  failed,
  isError,
  kubernetesEnvironment,
  type Minor,
  Optional,
  optionalOf,
  type Pace,
  type Program,
  refersTo,
  STRING,
  Suspended,
  type Value,
  type Variables,
} from '../../../cel/index.js';
import { isUnchanged, type Schema } from '../../../schema/index.js';
import { type RuleType, ruleType } from './types.js';

/** The cost limits of one rule, and of all rules of a request, in cost units. */
const RULE_COST_MAX = 1_000_000;
const REQUEST_COST_MAX = 10_000_000;
/** The cost of rules between two checks whether the time slice is used up. */
const UNPACED_MAX = 1000;
const MESSAGE_CHARACTERS_MAX = 5 * 1024;

/** A compiled rule of `x-kubernetes-validations`. */
export interface Rule {
  readonly source: JsonObject;
  readonly text: string;
  readonly compiled: Compilation;
  readonly message: Compilation | undefined;
  /** The rule uses oldSelf and is evaluated only on updates (a transition rule). */
  readonly isTransition: boolean;
  readonly oldIsOptional: boolean;
  /** The path of the field that a failure is reported for, from the value. */
  readonly place: readonly PathStep[];
}

/** The rules of a schema and its subschemas. Subschemas without rules are omitted. The schema itself is not kept. */
export interface RuleNode {
  /** The declared type: `object`. */
  readonly shown: string;
  /** The keys of the items of a list of type map; empty for other values. */
  readonly mapKeys: readonly string[];
  readonly type: RuleType | undefined;
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** Compiles the rules of a version, in steps; returns undefined if there are none. `minor` is the release whose functions they may use. */
export function compileRules(schema: JsonObject, minor: Minor = CURRENT): Steps<RuleNode | undefined> {
  return node(schema, 'Object', minor, true);
}

function* node(schema: JsonObject, name: string, minor: Minor, root: boolean): Steps<RuleNode | undefined> {
  const inner = function* (v: JsonValue | undefined, suffix: string): Steps<RuleNode | undefined> {
    return isObject(v) ? yield* node(v, `${name}.${suffix}`, minor, false) : undefined;
  };
  const properties = new Map<string, RuleNode>();
  if (isObject(schema['properties']))
    for (const [property, s] of Object.entries(schema['properties'])) {
      const found = yield* inner(s, property);
      if (found !== undefined) properties.set(property, found);
    }
  const values = yield* inner(schema['additionalProperties'], '@values');
  const items = yield* inner(schema['items'], '@items');
  const declared = objectsAt(schema, 'x-kubernetes-validations');
  if (declared.length === 0 && properties.size === 0 && values === undefined && items === undefined) return undefined;
  const type = declared.length === 0 ? undefined : ruleType(schema, name, root);
  const rules: Rule[] = [];
  for (const r of declared) rules.push(yield* compileRule(r, { schema, type, minor }));
  const mapKeys =
    schema['x-kubernetes-list-type'] === 'map' ? listAt(schema, 'x-kubernetes-list-map-keys').map(String) : [];
  return { shown: textAt(schema, 'type'), mapKeys, type, rules, properties, values, items };
}

/** The environment of a rule on a value of this type. */
export function ruleEnvironment(type: RuleType | undefined, oldIsOptional: boolean, minor: Minor): Environment {
  const base = kubernetesEnvironment(minor);
  if (type === undefined) return base;
  return base.extend({ self: type.type, oldSelf: oldIsOptional ? optionalOf(type.type) : type.type }, type.structs);
}

interface RulePlace {
  readonly schema: JsonObject;
  readonly type: RuleType | undefined;
  readonly minor: Minor;
}

function* compileRule(source: JsonObject, { schema, type, minor }: RulePlace): Steps<Rule> {
  const oldIsOptional = source['optionalOldSelf'] === true;
  const environment = ruleEnvironment(type, oldIsOptional, minor);
  const text = textAt(source, 'rule').trim();
  const compiled = yield* compileSteps(text, environment, [BOOL]);
  const expression = textAt(source, 'messageExpression').trim();
  const message = expression === '' ? undefined : yield* compileSteps(expression, environment, [STRING]);
  yield;
  return {
    source,
    text,
    compiled,
    message,
    isTransition: !failed(compiled) && refersTo(compiled.expr, 'oldSelf'),
    oldIsOptional,
    place: pathSteps(textAt(source, 'fieldPath'), schema),
  };
}

/** The previous value; `has` is false if there is none. */
interface Before {
  readonly has: boolean;
  readonly value: JsonValue | undefined;
}

const NOTHING: Before = { has: false, value: undefined };

/** The result of a walk that must let other work run before it continues. */
type Walk<T> = Generator<Promise<void>, T, void>;

/** Where failed rules are reported. */
export interface Reports {
  readonly errors: FieldErrors;
  /** Called for each rule that fails and is ignored. */
  warn(message: string): void;
}

/** A write whose rules are checked: the object, the stored one of an update, and the compiled schema that compares both. */
export interface RuledChange {
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly schema: Schema | undefined;
}

/** A value in the object. */
class Place {
  readonly value: JsonValue;
  readonly before: Before;
  readonly schema: Schema | undefined;
  readonly #parent: Place | undefined;
  #isKept: boolean | undefined;

  constructor(value: JsonValue, before: Before, schema: Schema | undefined, parent: Place | undefined) {
    this.value = value;
    this.before = before;
    this.schema = schema;
    this.#parent = parent;
  }

  /** Whether the value, or a value that contains it, is unchanged. */
  get isKept(): boolean {
    this.#isKept ??= isUnchanged(this.value, this.before.value, this.schema) || this.#parent?.isKept === true;
    return this.#isKept;
  }

  member(key: string): Place {
    const { schema } = this;
    const former = isObject(this.before.value) ? getOwn(this.before.value, key) : undefined;
    const inner = schema?.kind === 'map' ? schema.values : undefined;
    const field = schema?.kind === 'struct' ? schema.byName.get(key)?.schema : inner;
    return new Place((this.value as JsonObject)[key]!, beforeOf(former), field, this);
  }

  item(item: JsonValue, former: JsonValue | undefined): Place {
    return new Place(item, beforeOf(former), this.schema?.kind === 'list' ? this.schema.items : undefined, this);
  }
}

const beforeOf = (value: JsonValue | undefined): Before => (value === undefined ? NOTHING : { has: true, value });

/**
 * Evaluates the rules of a version on an object. On an update, rules that fail on an unchanged value give a warning
 * only (ratcheting). Returns undefined if all is done within one time slice.
 */
export function checkRules(
  root: RuleNode,
  { object, old, schema }: RuledChange,
  reports: Reports,
  pace: Pace,
): Promise<void> | undefined {
  const before: Before = old === undefined ? NOTHING : { has: true, value: old };
  const place = new Place(object, before, schema, undefined);
  const walk = new Checker(reports, pace).check(root, place, FieldPath.root);
  const first = walk.next();
  return first.done === true ? undefined : goOn(walk, first.value);
}

async function goOn(walk: Walk<void>, until: Promise<void>): Promise<void> {
  await until;
  for (let next = walk.next(); next.done !== true; next = walk.next()) await next.value;
}

/** kube-apiserver prints the path of the object itself as Go prints a pointer to nothing. */
const shownPath = (path: FieldPath): FieldPath => (path === FieldPath.root ? FieldPath.nil : path);

class Checker {
  readonly #errors: FieldErrors;
  readonly #warn: Reports['warn'];
  readonly #pace: Pace;
  #budget = REQUEST_COST_MAX;
  #spent = false;
  /** The cost since the last check whether the time slice is used up. */
  #unpaced = 0;

  constructor({ errors, warn }: Reports, pace: Pace) {
    this.#errors = errors;
    this.#warn = warn;
    this.#pace = pace;
  }

  *check(at: RuleNode, place: Place, path: FieldPath): Walk<void> {
    const { value, before } = place;
    if (this.#spent || value === null) return;
    for (const rule of at.rules) yield* this.#rule(rule, at, place, path);
    if (this.#unpaced > UNPACED_MAX) {
      this.#unpaced = 0;
      if (this.#pace.spent()) yield this.#pace.yield();
    }
    if (isObject(value)) {
      for (const [property, inner] of at.properties)
        if (Object.hasOwn(value, property)) yield* this.check(inner, place.member(property), path.child(property));
      if (at.values !== undefined)
        for (const key of Object.keys(value)) yield* this.check(at.values, place.member(key), path.key(key));
    } else if (Array.isArray(value) && at.items !== undefined) {
      const keys = at.mapKeys;
      const formerItems = keys.length > 0 && Array.isArray(before.value) ? byKeys(before.value, keys) : undefined;
      for (const [i, item] of value.entries())
        yield* this.check(at.items, place.item(item, formerItems?.get(keyOf(item, keys))), path.index(i));
    }
  }

  *#rule(rule: Rule, at: RuleNode, place: Place, path: FieldPath): Walk<void> {
    if (this.#spent) return;
    const { value, before } = place;
    if (rule.isTransition && !rule.oldIsOptional && !before.has) return;
    const { shown } = at;
    const here = shownPath(path);
    if (failed(rule.compiled)) {
      this.#errors.invalid(here, shown, `rule compile error: ${rule.compiled.error}`);
      return;
    }
    const { adapt } = at.type!;
    const old: Value = before.has ? adapt(before.value!) : null;
    const variables = (name: string): Value | undefined => {
      if (name === 'self') return adapt(value);
      if (name !== 'oldSelf') return undefined;
      if (!rule.oldIsOptional) return old;
      return before.has ? new Optional(old) : Optional.NONE;
    };
    const found = yield* this.#run(rule.compiled.program, variables);
    if (found === true && !this.#spent) return;
    if (this.#spent) {
      const sentence = 'validation failed due to running out of cost budget, no further validation rules will be run';
      this.#errors.invalid(here, shown, sentence);
      return;
    }
    // Ratcheting: an unchanged value, and all in it, may stay invalid, except under a transition rule.
    const ratchets = !rule.isTransition && place.isKept;
    const errors = ratchets ? new FieldErrors() : this.#errors;
    if (isError(found)) errors.invalid(here, shown, evaluationError(found.message, nameOf(rule)));
    else yield* this.#broken(errors, { rule, at, value, variables, path });
    if (ratchets) for (const e of errors.list) this.#warn(`${e.field}: ${e.message}`);
  }

  *#run(program: Program, variables: Variables): Walk<Value> {
    const execution = program.begin(variables, RULE_COST_MAX, this.#pace);
    for (;;) {
      try {
        const { value, cost } = execution.run();
        this.#budget -= cost;
        this.#unpaced += cost;
        if (this.#budget < 0) this.#spent = true;
        return value;
      } catch (error) {
        if (!(error instanceof Suspended)) throw error;
        yield error.until;
      }
    }
  }

  *#broken(errors: FieldErrors, { rule, at, value, variables, path }: Broken): Walk<void> {
    const message = yield* this.#message(rule, variables);
    const place = shownPath(rule.place.reduce((p, { name, isKey }) => (isKey ? p.key(name) : p.child(name)), path));
    const isContainer = ['object', 'array'].includes(at.shown);
    switch (textAt(rule.source, 'reason')) {
      case 'FieldValueForbidden':
        errors.forbidden(place, message);
        break;
      case 'FieldValueRequired':
        errors.required(place, message);
        break;
      case 'FieldValueDuplicate':
        if (isContainer) errors.add('FieldValueDuplicate', place, 'Duplicate value');
        else errors.duplicate(place, value as string);
        break;
      default:
        if (isContainer) errors.add('FieldValueInvalid', place, `Invalid value: ${message}`);
        else errors.invalid(place, value as string, message);
    }
  }

  *#message(rule: Rule, variables: Variables): Walk<string> {
    if (rule.message !== undefined && !failed(rule.message)) {
      const found = yield* this.#run(rule.message.program, variables);
      if (typeof found === 'string') {
        const text = found.trim();
        if (text !== '' && !text.includes('\n') && text.length <= MESSAGE_CHARACTERS_MAX) return text;
      }
    }
    return textAt(rule.source, 'message').trim() || `failed rule: ${rule.text}`;
  }
}

interface Broken {
  readonly rule: Rule;
  readonly at: RuleNode;
  readonly value: JsonValue;
  readonly variables: Variables;
  readonly path: FieldPath;
}

/** Errors name a rule by its message or, without one, by its expression. */
const nameOf = (rule: Rule): string => textAt(rule.source, 'message').trim() || rule.text;

function evaluationError(message: string, rule: string): string {
  if (message.startsWith('no such overload'))
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  if (message.startsWith('operation cancelled: actual cost limit exceeded'))
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  return `${message} evaluating rule: ${rule}`;
}

function keyOf(item: JsonValue, keys: readonly string[]): string {
  return JSON.stringify(keys.map((k) => (isObject(item) ? (getOwn(item, k) ?? null) : null)));
}

function byKeys(items: readonly JsonValue[], keys: readonly string[]): ReadonlyMap<string, JsonValue> {
  // The first of several items with the same keys counts.
  return new Map(items.map((item) => [keyOf(item, keys), item] as const).reverse());
}

/** A step of a relative path. Keys of maps are shown in brackets, fields after a dot. */
interface PathStep {
  readonly name: string;
  readonly isKey: boolean;
}

/** The steps of a relative path such as `.o['k.j']`. */
function pathSteps(relative: string, schema: JsonObject): readonly PathStep[] {
  const path: PathStep[] = [];
  let within: JsonObject = schema;
  let at = 0;
  while (at < relative.length) {
    let name: string;
    if (relative.startsWith("['", at)) {
      let end = relative.indexOf("']", at);
      while (end > 0 && relative[end - 1] === '\\') end = relative.indexOf("']", end + 1);
      if (end < 0) return path;
      name = relative.slice(at + 2, end).replaceAll("\\'", "'");
      at = end + 2;
    } else {
      const start = relative[at] === '.' ? at + 1 : at;
      let end = start;
      while (end < relative.length && relative[end] !== '.' && relative[end] !== '[') end++;
      name = relative.slice(start, end);
      at = end;
    }
    const property = isObject(within['properties']) ? getOwn(within['properties'], name) : undefined;
    path.push({ name, isKey: property === undefined });
    const next = property ?? within['additionalProperties'];
    within = isObject(next) ? next : {};
  }
  return path;
}
