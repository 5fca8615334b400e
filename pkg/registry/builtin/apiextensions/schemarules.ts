import { cloneJson, FieldErrors, FieldPath, isObject, type JsonObject, type JsonValue } from '../../../api/index.js';
import { finish } from '../../../base/index.js';
import { internalText, validateValue } from '../../../schema/index.js';
import { RuleCosts } from '../../custom/rules/costs.js';
import { checkDeclaredRules, checkRuleTexts } from '../../custom/rules/declared.js';
import { checkRules, compileRules } from '../../custom/rules/rules.js';
import { listAt, textAt } from '../access.js';
import { EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE } from './keywords.js';
import type { Precedent } from './precedent.js';
import { divisibleSet, hasUnknownType, TYPES } from './schemas.js';
import { structuralErrors } from './structuralrules.js';
import { hasUnknownFields, holderOf } from './unpruned.js';

/** Rules of the schemas of CustomResourceDefinitions. */

const FORBIDDEN = ['definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id', '$ref'] as const;

export interface SchemaContext {
  readonly precedent: Precedent;
  /** The version is stored with this schema. */
  readonly isUnchanged: boolean;
  /** The schema must be structural. Otherwise neither its defaults nor its rules are checked. */
  readonly structural: boolean;
  /** Whether the status subresource is enabled, which restricts the root. */
  readonly hasStatus: boolean;
}

export function validateSchema(schema: JsonObject, path: FieldPath, errors: FieldErrors, context: SchemaContext): void {
  const atRoot = new FieldErrors();
  if (context.hasStatus) checkStatusRoot(schema, path, atRoot);
  if (schema['nullable'] === true) atRoot.forbidden(path.child('nullable'), 'nullable cannot be true at the root');
  errors.addAll(atRoot.list);
  new SchemaRules(path, errors, context).check(schema, !atRoot.empty);
}

/** Keywords at the root that would not be checked in a status write, in the order in which kube-apiserver checks them. */
const NOT_WITH_STATUS = [
  ...[
    'id',
    '$schema',
    '$ref',
    'type',
    'nullable',
    'default',
    'enum',
    'maxProperties',
    'minProperties',
    'allOf',
    'oneOf',
  ],
  ...['anyOf', 'not', 'additionalProperties', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'],
  ...[EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE],
];
const WITH_STATUS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

function checkStatusRoot(schema: JsonObject, path: FieldPath, errors: FieldErrors): void {
  for (const key of NOT_WITH_STATUS) {
    const v = schema[key];
    if (v === undefined || v === null || v === '' || (v === false && key !== 'additionalProperties')) continue;
    if (key !== 'type') {
      const detail = `only [${WITH_STATUS}] fields are allowed at the root of the schema if the status subresource is enabled`;
      const shown = internalText('apiextensions/v1.JSONSchemaProps', schema);
      errors.add('FieldValueInvalid', path, `Invalid value: ${shown}: ${detail}`);
      return;
    }
    if (v === 'object') continue;
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.invalid(path.child(key), v, detail);
    return;
  }
}

interface Pending {
  readonly schema: JsonObject;
  readonly path: FieldPath;
  readonly place: Place;
  /** The enclosing list whose items have no keys. */
  readonly uncorrelatable: FieldPath | undefined;
  /** The maximum number of values of the schema in an object, if the enclosing lists and maps are bounded. */
  readonly cardinality: bigint | undefined;
  readonly parent: Pending | undefined;
  /** The rules of this schema or a schema below it have errors other than those of their expressions. */
  isWrong: boolean;
}

const UINT64_MAX = (1n << 64n) - 1n;

/** The maximum number of elements of a list or map value of the schema; undefined if it sets no bound. */
function multiplied(cardinality: bigint | undefined, s: JsonObject): bigint | undefined {
  const type = textAt(s, 'type');
  const isMap = type === 'object' && (s['additionalProperties'] ?? null) !== null;
  if (cardinality === undefined || (type !== 'array' && !isMap)) return cardinality;
  const bound = s[isMap ? 'maxProperties' : 'maxItems'];
  if (typeof bound !== 'number' && typeof bound !== 'bigint') return undefined;
  const found = cardinality * BigInt(Math.max(0, Number(bound)));
  return found > UINT64_MAX ? UINT64_MAX : found;
}

class SchemaRules {
  readonly #root: FieldPath;
  readonly #errors: FieldErrors;
  readonly #context: SchemaContext;
  readonly #precedent: Precedent;
  /** Errors of defaults, which are checked only in a structural schema. */
  readonly #defaults = new FieldErrors();
  /** A keyword without which the structure of a schema cannot be determined. */
  #unsupported: string | undefined;

  /** Errors of the schema itself. */
  readonly #own = new FieldErrors();

  constructor(root: FieldPath, errors: FieldErrors, context: SchemaContext) {
    this.#root = root;
    this.#errors = errors;
    this.#context = context;
    this.#precedent = context.precedent;
  }

  /**
   * Walks depth first, without recursion, because a definition may be nested as deep as a request body. Expressions are
   * compiled last, and only if the schema is structural. If a schema or one below it has errors, its expressions are
   * not compiled.
   */
  check(schema: JsonObject, hasErrors: boolean): void {
    const walked: Pending[] = [];
    const texts = new FieldErrors();
    const root: Pending = {
      ...{ schema, path: this.#root, place: 'root', uncorrelatable: undefined },
      ...{ cardinality: 1n, parent: undefined, isWrong: false },
    };
    const pending = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      walked.push(next);
      const known = texts.list.length + this.#own.list.length;
      this.#node(next.schema, next.path, next.place);
      if (next.place !== 'logic') checkRuleTexts(next.schema, next.path, texts);
      if (texts.list.length + this.#own.list.length > known)
        for (let at: Pending | undefined = next; at !== undefined && !at.isWrong; at = at.parent) at.isWrong = true;
      pending.push(...this.#inner(next).reverse());
    }
    let isStructural = false;
    if (!this.#context.structural) {
      // Only a definition that was stored so may have such a schema.
    } else if (this.#unsupported === undefined) {
      const structural = structuralErrors(schema, this.#root);
      isStructural = structural.empty && this.#defaults.empty;
      this.#errors.addAll((structural.empty ? this.#defaults : structural).list);
    } else if (!hasErrors && this.#own.empty && texts.empty) {
      const detail = `OpenAPIV3Schema '${this.#unsupported}' is not supported`;
      this.#errors.add('FieldValueInvalid', this.#root, `Invalid value: "": ${detail}`);
    }
    this.#errors.addAll(this.#own.list);
    this.#errors.addAll(texts.list);
    if (!isStructural) return;
    const costs = new RuleCosts(this.#context.isUnchanged);
    const { minorOfRule, minorOfMessage } = this.#precedent;
    const declaring = walked.filter(({ place, isWrong }) => place !== 'logic' && !isWrong);
    this.#errors.each(declaring, ({ schema: s, path, place, uncorrelatable, cardinality }) => {
      const isRoot = place === 'root';
      const position = { path, isRoot, uncorrelatable, minorOfRule, minorOfMessage, cardinality, costs };
      checkDeclaredRules(s, position, this.#errors);
    });
    this.#errors.after(() => costs.finish(this.#root, this.#errors));
  }

  #inner(parent: Pending): Pending[] {
    const { schema: s, path, place, uncorrelatable, cardinality } = parent;
    const inner: Pending[] = [];
    const parts = multiplied(cardinality, s);
    const add = (v: JsonValue | undefined, at: FieldPath, where: Place, within = uncorrelatable): void => {
      if (!isObject(v)) return;
      inner.push({
        schema: v,
        path: at,
        place: where,
        uncorrelatable: within,
        cardinality: parts,
        parent,
        isWrong: false,
      });
    };
    const below = place === 'logic' ? 'logic' : 'inside';
    const embedded = place === 'root' || s[EMBEDDED] === true;
    if (isObject(s['properties']))
      for (const [name, v] of Object.entries(s['properties'])) {
        const at = path.child('properties').key(name);
        if (!embedded || !OBJECT_FIELDS.has(name)) add(v, at, below);
      }
    add(s['additionalProperties'], path.child('additionalProperties'), below);
    const items = s[LIST_TYPE] === 'map' ? uncorrelatable : (uncorrelatable ?? path);
    add(s['items'], path.child('items'), below, items);
    for (const key of ['allOf', 'anyOf', 'oneOf'] as const)
      listAt(s, key).forEach((v, i) => void add(v, path.child(key).index(i), 'logic'));
    add(s['not'], path.child('not'), 'logic');
    return inner;
  }

  #node(s: JsonObject, path: FieldPath, place: Place): void {
    this.#keywords(s, path);
    this.#type(s, path);
    if (s[PRESERVE] === false) {
      this.#own.invalid(path.child(PRESERVE), false, 'must be true or undefined');
      this.#unsupported ??= PRESERVE;
    }
    this.#map(s, path);
    this.#list(s, path);
    if (place !== 'logic' && s['default'] !== undefined && s['default'] !== null && this.#context.structural)
      this.#default(s, path, place);
    if (place === 'root' && isObject(s['properties']))
      for (const name of OBJECT_FIELDS)
        this.#undefaulted(s['properties'][name], path.child('properties').key(name), name);
  }

  /** The server sets the fields of every object: the root may not have defaults for them. */
  #undefaulted(s: JsonValue | undefined, path: FieldPath, name: string): void {
    if (!isObject(s)) return;
    if ((s['default'] ?? undefined) !== undefined)
      this.#own.forbidden(path.child('default'), `must not be set in top-level ${name}`);
    if (isObject(s['properties']))
      for (const [key, inner] of Object.entries(s['properties']))
        this.#undefaulted(inner, path.child('properties').key(key), name);
    this.#undefaulted(s['additionalProperties'], path.child('additionalProperties'), name);
    this.#undefaulted(s['items'], path.child('items'), name);
  }

  #keywords(s: JsonObject, path: FieldPath): void {
    for (const key of FORBIDDEN) {
      const v = s[key];
      if (v === undefined || v === null || v === '') continue;
      this.#own.forbidden(path.child(key), `${key} is not supported`);
      this.#unsupported ??= key;
    }
    if (textAt(s, '$schema') !== '') this.#unsupported ??= 'schema';
    if (s['uniqueItems'] === true)
      this.#own.forbidden(
        path.child('uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      );
  }

  #type(s: JsonObject, path: FieldPath): void {
    const type = textAt(s, 'type');
    const at = path.child('type');
    if (hasUnknownType(s) && !this.#precedent.hasUnknownTypes) this.#own.notSupportedText(at, type, [...TYPES]);
    if (type === 'null') this.#own.forbidden(at, 'type cannot be set to null, use nullable as an alternative');
    if (Array.isArray(s['items'])) {
      this.#own.forbidden(path.child('items'), 'items must be a schema object and not an array');
      this.#unsupported ??= 'items';
    }
    const { additionalProperties, properties } = s;
    const isClosed = additionalProperties === false || isObject(additionalProperties);
    if (isClosed && isObject(properties) && Object.keys(properties).length > 0)
      this.#own.forbidden(
        path.child('additionalProperties'),
        'additionalProperties and properties are mutual exclusive',
      );
  }

  #list(s: JsonObject, path: FieldPath): void {
    const listType = s[LIST_TYPE];
    const keys = listAt(s, LIST_KEYS).map(String);
    const items = isObject(s['items']) ? s['items'] : undefined;
    if (typeof listType === 'string') {
      const type = textAt(s, 'type');
      if (type === '') this.#own.required(path.child('type'), `must be array if ${LIST_TYPE} is specified`);
      else if (type !== 'array')
        this.#own.invalid(path.child('type'), type, `must be array if ${LIST_TYPE} is specified`);
      else this.#setItems(s, path.child('items'));
      if (!['atomic', 'set', 'map'].includes(listType))
        this.#own.notSupportedText(path.child(LIST_TYPE), listType, ['atomic', 'set', 'map']);
    }
    if (keys.length > 0 && listType !== 'map') {
      const detail = `must be map if ${LIST_KEYS} is non-empty`;
      if (typeof listType !== 'string') this.#own.required(path.child(LIST_TYPE), detail);
      else this.#own.invalid(path.child(LIST_TYPE), listType, detail);
    }
    if (listType === 'map') this.#listMap(s, keys, items, path);
    if (items !== undefined && (listType === 'set' || listType === 'map')) this.#looseItems(s, items, path);
  }

  /** Items of a set must be atomic. The value in the second error is the list type, as in kube-apiserver. */
  #setItems(s: JsonObject, path: FieldPath): void {
    const keyword = divisibleSet(s);
    if (keyword === undefined || this.#precedent.hasDivisibleSets) return;
    const listType = isObject(s['items']) ? (s['items'][LIST_TYPE] ?? null) : null;
    const shown = listType === null ? 'null' : JSON.stringify(listType);
    const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`;
    this.#own.add('FieldValueInvalid', path.child(keyword), `Invalid value: ${shown}: ${detail}`);
  }

  /** Items of sets and maps are not null, and every item of a map has its keys. */
  #looseItems(s: JsonObject, items: JsonObject, path: FieldPath): void {
    const found = new FieldErrors();
    const listType = textAt(s, LIST_TYPE);
    if (items['nullable'] === true)
      found.forbidden(path.child('items', 'nullable'), `cannot be nullable when ${LIST_TYPE} is ${listType}`);
    if (listType === 'map') mapKeyErrors(listAt(s, LIST_KEYS).map(String), items, path, found);
    if (!found.empty && !this.#precedent.hasLooseItems) this.#own.addAll(found.list);
  }

  #listMap(s: JsonObject, keys: readonly string[], items: JsonObject | undefined, path: FieldPath): void {
    const at = path.child(LIST_KEYS);
    if (keys.length === 0) this.#own.required(at, `must not be empty if ${LIST_TYPE} is map`);
    if (items === undefined) {
      const detail = `must have a schema if ${LIST_TYPE} is map`;
      if (!Array.isArray(s['items'])) this.#own.required(path.child('items'), detail);
      return;
    }
    const itemType = textAt(items, 'type');
    if (itemType !== 'object') {
      this.#own.invalid(path.child('items', 'type'), itemType, `must be object if parent array's ${LIST_TYPE} is map`);
      return;
    }
    const properties = isObject(items['properties']) ? items['properties'] : {};
    const seen = new Set<string>();
    for (const key of keys) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (!isObject(property)) this.#own.invalid(at, [...keys], 'entries must all be names of item properties');
      else if (['array', 'object'].includes(textAt(property, 'type')))
        this.#own.invalid(
          path.child('items', 'properties').key(key).child('type'),
          itemType,
          `must be a scalar type if parent array's ${LIST_TYPE} is map`,
        );
      if (seen.has(key)) this.#own.invalid(at, [...keys], 'must not contain duplicate entries');
      seen.add(key);
    }
  }

  #map(s: JsonObject, path: FieldPath): void {
    const mapType = s[MAP_TYPE];
    if (typeof mapType !== 'string') return;
    const type = textAt(s, 'type');
    if (type === '') this.#own.required(path.child('type'), `must be object if ${MAP_TYPE} is specified`);
    else if (type !== 'object')
      this.#own.invalid(path.child('type'), type, `must be object if ${MAP_TYPE} is specified`);
    if (mapType !== 'atomic' && mapType !== 'granular')
      this.#own.notSupportedText(path.child(MAP_TYPE), mapType, ['atomic', 'granular']);
  }

  #default(s: JsonObject, path: FieldPath, place: Place): void {
    const value = s['default'] as JsonValue;
    const holder = holderOf(s);
    const at = path.child('default');
    const found = new FieldErrors();
    if (hasUnknownFields(s, holder) && !this.#precedent.hasUnprunedDefaults)
      found.invalid(at, value, 'must not have unknown fields');
    if (s[INT_OR_STRING] !== true) {
      const of = holder.byName.get('x')!.schema;
      for (const e of validateValue(cloneJson(value), of, FieldPath.root).list) {
        const field = e.field === '' || e.field === '<nil>' ? `${at}` : `${at}.${e.field}`;
        found.addAll([{ ...e, field }]);
      }
    }
    if (found.empty) found.addAll(brokenRules(s, value, at));
    this.#defaults.addAll(found.list);
    if ((s[EMBEDDED] === true || place === 'root') && isObject(value))
      for (const field of ['apiVersion', 'kind'] as const)
        if (textAt(value, field) === '') this.#defaults.required(at.child(field));
  }
}

function mapKeyErrors(keys: readonly string[], items: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const properties = isObject(items['properties']) ? items['properties'] : {};
  const required = listAt(items, 'required').map(String);
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isObject(property)) continue;
    const own = path.child('items', 'properties').key(key);
    if (!required.includes(key) && (property['default'] ?? undefined) === undefined)
      errors.required(
        own.child('default'),
        `this property is in ${LIST_KEYS}, so it must have a default or be a required property`,
      );
    if (property['nullable'] === true)
      errors.forbidden(own.child('nullable'), `this property is in ${LIST_KEYS}, so it cannot be nullable`);
  }
}

/** The errors of the rules of a schema for its default. Rules that cannot be compiled are reported elsewhere. */
function brokenRules(s: JsonObject, value: JsonValue, at: FieldPath): FieldErrors['list'] {
  const rules = finish(compileRules({ type: 'object', properties: { x: s } }));
  if (rules === undefined) return [];
  const errors = new FieldErrors();
  const reports = { errors, warn: () => {} };
  void checkRules(rules, { object: { x: cloneJson(value) }, old: undefined, schema: undefined }, reports, UNPACED);
  return errors.list
    .filter((e) => !e.message.includes('rule compile error'))
    .map((e) => ({ ...e, field: `${at}${e.field.slice(1)}` }));
}

/** The limit of the cost of all rules bounds the time. */
const UNPACED = { spent: () => false, yield: () => Promise.resolve() };

/** The position of a schema: `logic` means inside allOf, anyOf, oneOf or not. */
type Place = 'root' | 'inside' | 'logic';

const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
