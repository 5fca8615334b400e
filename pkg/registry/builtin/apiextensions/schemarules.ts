import {
  cloneJson,
  equalJson,
  FieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../api/index.js';
import { COMPATIBLE, CURRENT } from '../../../cel/index.js';
import { compileStructuralSchema, patternProblem, prune, validateStructure } from '../../../schema/index.js';
import { RuleCosts } from '../../custom/rules/costs.js';
import { checkDeclaredRules, checkRuleTexts } from '../../custom/rules/declared.js';
import { listAt, textAt } from '../access.js';

/**
 * Rules of the structural schemas of CustomResourceDefinitions:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const FORBIDDEN = ['definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id', '$ref'] as const;
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const INT_OR_STRING = 'x-kubernetes-int-or-string';
const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

/** `former`: the stored schema, whose defaults and patterns were accepted before. */
export function validateSchema(schema: JsonObject, path: FieldPath, errors: FieldErrors, former?: JsonObject): void {
  if (schema['nullable'] === true) errors.forbidden(path.child('nullable'), 'nullable cannot be true at the root');
  const isUnchanged = former !== undefined && equalJson(former, schema);
  new SchemaRules(path, errors, former === undefined).check(schema, new RuleCosts(isUnchanged));
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
  readonly #strict: boolean;
  readonly #patterns = new Map<string, string | undefined>();
  /** The number of errors found before this schema. */
  readonly #before: number;

  constructor(root: FieldPath, errors: FieldErrors, strict: boolean) {
    this.#root = root;
    this.#errors = errors;
    this.#strict = strict;
    this.#before = errors.list.length;
  }

  /**
   * Walks depth first, without recursion, because a definition may be nested as deep as a request body. Expressions are
   * compiled last, and only if the schema is structural. If a schema or one below it has errors, its expressions are
   * not compiled.
   */
  check(schema: JsonObject, costs: RuleCosts): void {
    const walked: Pending[] = [];
    const texts = new FieldErrors();
    const root: Pending = {
      ...{ schema, path: this.#root, place: 'root', uncorrelatable: undefined },
      ...{ cardinality: 1n, parent: undefined, isWrong: false },
    };
    const pending = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      walked.push(next);
      this.#node(next.schema, next.path, next.place);
      const known = texts.list.length;
      if (next.place !== 'logic') checkRuleTexts(next.schema, next.path, texts);
      if (texts.list.length > known)
        for (let at: Pending | undefined = next; at !== undefined && !at.isWrong; at = at.parent) at.isWrong = true;
      pending.push(...this.#inner(next).reverse());
    }
    const isStructural = this.#errors.list.length === this.#before;
    this.#errors.addAll(texts.list);
    if (!isStructural) return;
    const minor = this.#strict ? COMPATIBLE : CURRENT;
    for (const { schema: s, path, place, uncorrelatable, cardinality, isWrong } of walked) {
      if (place === 'logic' || isWrong) continue;
      checkDeclaredRules(
        s,
        { path, isRoot: place === 'root', uncorrelatable, minor, cardinality, costs },
        this.#errors,
      );
    }
    costs.finish(this.#root, this.#errors);
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
        if (embedded && OBJECT_FIELDS.has(name)) this.#objectField(name, v, at, place);
        else add(v, at, below);
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
    if (place === 'logic') this.#logic(s, path);
    else this.#type(s, path, place);
    if (typeof s['pattern'] === 'string' && s['pattern'] !== '' && this.#strict) {
      const problem = this.#patternProblem(s['pattern']);
      if (problem !== undefined)
        this.#errors.invalid(
          path.child('pattern'),
          s['pattern'],
          `must be a valid regular expression, but isn't: ${problem}`,
        );
    }
    this.#list(s, path);
    this.#map(s, path);
    this.#embedded(s, path);
    if (place !== 'logic' && s['default'] !== undefined && s['default'] !== null && this.#strict)
      this.#default(s, path);
  }

  /** Definitions repeat their patterns. */
  #patternProblem(pattern: string): string | undefined {
    if (!this.#patterns.has(pattern)) this.#patterns.set(pattern, patternProblem(pattern));
    return this.#patterns.get(pattern);
  }

  #keywords(s: JsonObject, path: FieldPath): void {
    for (const key of FORBIDDEN) {
      const v = s[key];
      if (v !== undefined && v !== null && v !== '') this.#errors.forbidden(path.child(key), `${key} is not supported`);
    }
    if (textAt(s, '$schema') !== '')
      this.#errors.add('FieldValueInvalid', this.#root, `Invalid value: "": OpenAPIV3Schema 'schema' is not supported`);
    if (s['uniqueItems'] === true)
      this.#errors.forbidden(
        path.child('uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      );
  }

  #type(s: JsonObject, path: FieldPath, place: Place): void {
    const type = textAt(s, 'type');
    const at = path.child('type');
    if (place === 'root') {
      if (type === '') this.#errors.required(at, 'must not be empty at the root');
      else if (type !== 'object') this.#errors.invalid(at, type, 'must be object at the root');
      if (isSchemaOrTrue(s['additionalProperties']))
        this.#errors.forbidden(path.child('additionalProperties'), 'must not be used at the root');
      return;
    }
    if (type === '') {
      if (s[INT_OR_STRING] !== true && s[PRESERVE] !== true && s[EMBEDDED] !== true && textAt(s, '$ref') === '')
        this.#errors.required(at, 'must not be empty for specified object fields');
    } else if (!TYPES.includes(type)) {
      this.#errors.notSupported(at, type, TYPES);
      if (type === 'null') this.#errors.forbidden(at, 'type cannot be set to null, use nullable as an alternative');
    } else if (s[INT_OR_STRING] === true) this.#errors.invalid(at, type, `must be empty if ${INT_OR_STRING} is true`);
    if (
      isSchemaOrTrue(s['additionalProperties']) &&
      isObject(s['properties']) &&
      Object.keys(s['properties']).length > 0
    )
      this.#errors.forbidden(
        path.child('additionalProperties'),
        'additionalProperties and properties are mutual exclusive',
      );
    if (type === 'array') {
      const items = s['items'];
      if (Array.isArray(items))
        this.#errors.forbidden(path.child('items'), 'items must be a schema object and not an array');
      else if (items === undefined || items === null) this.#errors.required(path.child('items'), 'must be specified');
    }
  }

  /** Reports keywords that are allowed only in the structural part of a schema. */
  #logic(s: JsonObject, path: FieldPath): void {
    for (const key of ['description', 'type', 'default', 'nullable'] as const) {
      const v = s[key];
      if (v === undefined || v === null || v === '' || v === false) continue;
      if (key === 'type' && s[INT_OR_STRING] === undefined && isIntOrString(path)) continue;
      this.#errors.forbidden(path.child(key), 'must be empty to be structural');
    }
    if (isSchemaOrTrue(s['additionalProperties']))
      this.#errors.forbidden(path.child('additionalProperties'), 'must not be used inside of a logical junctor');
  }

  #list(s: JsonObject, path: FieldPath): void {
    const listType = s[LIST_TYPE];
    const keys = listAt(s, LIST_KEYS).map(String);
    const at = path.child(LIST_KEYS);
    if (typeof listType === 'string') {
      if (!['atomic', 'set', 'map'].includes(listType))
        this.#errors.notSupported(path.child(LIST_TYPE), listType, ['atomic', 'map', 'set']);
      const type = textAt(s, 'type');
      if (type !== 'array') {
        if (type === '') this.#errors.required(path.child('type'), `must be array if ${LIST_TYPE} is specified`);
        else this.#errors.invalid(path.child('type'), type, `must be array if ${LIST_TYPE} is specified`);
      }
    }
    if (listType !== 'map') {
      if (keys.length > 0) this.#errors.forbidden(path.child(LIST_TYPE), `must be map if ${LIST_KEYS} is non-empty`);
      return;
    }
    const items = isObject(s['items']) ? s['items'] : undefined;
    if (keys.length === 0) this.#errors.required(at, `must not be empty if ${LIST_TYPE} is map`);
    if (items === undefined) return;
    const itemType = textAt(items, 'type');
    if (itemType !== 'object') {
      this.#errors.invalid(
        path.child('items', 'type'),
        itemType,
        `must be object if parent array's ${LIST_TYPE} is map`,
      );
      return;
    }
    const properties = isObject(items['properties']) ? items['properties'] : {};
    if (keys.some((k) => !Object.hasOwn(properties, k)))
      this.#errors.invalid(at, keys, 'entries must all be names of item properties');
    if (new Set(keys).size !== keys.length) this.#errors.invalid(at, keys, 'must not contain duplicate entries');
    const required = listAt(items, 'required').map(String);
    for (const key of new Set(keys)) {
      const property = properties[key];
      if (!isObject(property)) continue;
      const own = path.child('items', 'properties').key(key);
      const type = textAt(property, 'type');
      if (type === 'object' || type === 'array')
        this.#errors.invalid(own.child('type'), type, `must be a scalar type if parent array's ${LIST_TYPE} is map`);
      if (!required.includes(key) && (property['default'] ?? undefined) === undefined)
        this.#errors.required(
          own.child('default'),
          `this property is in ${LIST_KEYS}, so it must have a default or be a required property`,
        );
      if (property['nullable'] === true)
        this.#errors.forbidden(own.child('nullable'), `this property is in ${LIST_KEYS}, so it cannot be nullable`);
    }
  }

  #map(s: JsonObject, path: FieldPath): void {
    const mapType = s[MAP_TYPE];
    if (typeof mapType !== 'string') return;
    if (mapType !== 'atomic' && mapType !== 'granular')
      this.#errors.notSupported(path.child(MAP_TYPE), mapType, ['atomic', 'granular']);
    const type = textAt(s, 'type');
    if (type === '') this.#errors.required(path.child('type'), `must be object if ${MAP_TYPE} is specified`);
    else if (type !== 'object')
      this.#errors.invalid(path.child('type'), type, `must be object if ${MAP_TYPE} is specified`);
  }

  #embedded(s: JsonObject, path: FieldPath): void {
    if (s[EMBEDDED] !== true) return;
    const properties = isObject(s['properties']) ? s['properties'] : {};
    if (s[PRESERVE] !== true && Object.keys(properties).length === 0)
      this.#errors.required(path.child('properties'), `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`);
    const type = textAt(s, 'type');
    if (type === '') this.#errors.required(path.child('type'), `must be object if ${EMBEDDED} is true`);
    else if (type !== 'object') this.#errors.invalid(path.child('type'), type, `must be object if ${EMBEDDED} is true`);
  }

  /** Checks the types of apiVersion, kind and metadata. A schema may restrict only name and generateName of metadata. */
  #objectField(name: string, v: JsonValue | undefined, path: FieldPath, place: Place): void {
    if (!isObject(v)) return;
    const type = textAt(v, 'type');
    const wanted = name === 'metadata' ? 'object' : 'string';
    if (type !== wanted) {
      this.#errors.invalid(path.child('type'), type, `must be ${wanted}`);
      return;
    }
    if (name !== 'metadata' || place !== 'root') return;
    const more = Object.keys(v).filter((k) => !['type', 'properties', 'description'].includes(k) && !isNothing(v[k]));
    const properties = isObject(v['properties']) ? Object.keys(v['properties']) : [];
    if (more.length > 0 || properties.some((p) => p !== 'name' && p !== 'generateName'))
      this.#errors.forbidden(
        path,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      );
  }

  #default(s: JsonObject, path: FieldPath): void {
    const value = s['default'] as JsonValue;
    const holder = compileStructuralSchema({ type: 'object', properties: { x: { ...s, default: null } } }, 'default');
    const at = path.child('default');
    const pruned: JsonObject = { x: cloneJson(value) };
    if (prune(pruned, holder).length > 0) this.#errors.invalid(at, value, 'must not have unknown fields');
    for (const e of validateStructure({ x: cloneJson(value) }, holder).list)
      this.#errors.addAll([
        { ...e, field: `${at}${e.field.slice(1)}`, message: e.message.replace('x in body', ' in body') },
      ]);
    if (s[EMBEDDED] === true && isObject(value))
      for (const field of ['apiVersion', 'kind'] as const)
        if (textAt(value, field) === '') this.#errors.required(at.child(field));
  }
}

/** The position of a schema: `logic` means inside allOf, anyOf, oneOf or not. */
type Place = 'root' | 'inside' | 'logic';

const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const isSchemaOrTrue = (v: JsonValue | undefined): boolean => v === true || isObject(v);
const isNothing = (v: JsonValue | undefined): boolean =>
  v === undefined || v === null || v === '' || v === false || v === 0 || (Array.isArray(v) && v.length === 0);

/** `anyOf: [{type: integer}, {type: string}]` is the only place where a logical junctor may set types. */
const isIntOrString = (path: FieldPath): boolean => /\.anyOf\[[01]\]$/.test(path.toString());
