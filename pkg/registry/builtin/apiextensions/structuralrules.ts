import {
  at,
  FieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  objectsAt,
} from '../../../api/index.js';
import { patternProblem } from '../../../schema/index.js';
import { listAt, textAt } from '../access.js';
import { EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE } from './keywords.js';
import { someSchema } from './schemas.js';

/**
 * The rules that make a schema structural:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */

type Level = 'root' | 'item' | 'field';

const EMPTY: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** A schema outside of allOf, anyOf, oneOf and not. */
interface Outer {
  readonly schema: JsonObject;
  readonly path: FieldPath;
  readonly level: Level;
}

/** A schema inside of them, with the outer schema for the same value. */
interface Inner {
  readonly schema: JsonObject;
  readonly path: FieldPath;
  readonly outer: { readonly schema: JsonObject | undefined; readonly path: FieldPath } | undefined;
  /** `anyOf` of an integer and a string is the form of an int-or-string. */
  readonly mayHaveTypes: boolean;
}

/** Keywords without a meaning in structural schemas, in the order in which kube-apiserver looks for them. */
const UNSUPPORTED = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'];

/** Returns why the structure of a schema cannot be determined, with the message of kube-apiserver. */
export function structureProblem(schema: JsonObject): string | undefined {
  let problem: string | undefined;
  someSchema([schema], (s) => {
    const key = UNSUPPORTED.find((k) => isGiven(s, k));
    if (key !== undefined) problem = `OpenAPIV3Schema '${key === '$schema' ? 'schema' : key}' is not supported`;
    else if (s[PRESERVE] === false) problem = `internal error: '${PRESERVE}' must be true or undefined`;
    else if (Array.isArray(s['items'])) problem = `OpenAPIV3Schema 'items' must be a schema, but is an array`;
    return problem !== undefined;
  });
  return problem;
}

function isGiven(s: JsonObject, key: string): boolean {
  const v = s[key] ?? '';
  if (key === 'additionalItems') return v !== '';
  return isObject(v) ? Object.keys(v).length > 0 : v !== '';
}

/** Why the schemas of a definition are not structural, in the form of a condition; undefined if they are. */
export function structuralViolations(
  definition: JsonObject,
): { readonly status: 'True' | 'Unknown'; readonly reason: string; readonly message: string } | undefined {
  const errors = new FieldErrors();
  if (at(definition, 'spec', 'preserveUnknownFields') === true)
    errors.invalid(FieldPath.of('spec', 'preserveUnknownFields'), true, 'must be false');
  for (const [i, version] of objectsAt(definition, 'spec', 'versions').entries()) {
    const schema = at(version, 'schema', 'openAPIV3Schema');
    if (!isObject(schema)) continue;
    const problem = structureProblem(schema);
    if (problem !== undefined) {
      const message = `failed to check validation schema for version ${textAt(version, 'name')}: ${problem}`;
      return { status: 'Unknown', reason: 'StructuralError', message };
    }
    const path = FieldPath.of('spec', 'versions').index(i).child('schema', 'openAPIV3Schema');
    errors.addAll(structuralErrors(schema, path).list);
  }
  if (errors.empty) return undefined;
  const texts = [...new Set(errors.list.map((e) => `${e.field}: ${e.message}`))];
  const message = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
  return { status: 'True', reason: 'Violations', message };
}

export const isStructural = (schema: JsonObject): boolean =>
  structureProblem(schema) === undefined && structuralErrors(schema, FieldPath.root).empty;

/** Returns the violations, ordered by their text as kube-apiserver does. */
export function structuralErrors(schema: JsonObject, path: FieldPath): FieldErrors {
  const walk = new Walk();
  const text = (e: FieldErrors['list'][number]): string => `${e.field}: ${e.message}`;
  const found = walk.check(schema, path);
  const sorted = new FieldErrors();
  sorted.addAll([...found.list].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0)));
  return sorted;
}

/** It is not recursive, because a definition may be nested as deep as a request body. */
class Walk {
  readonly #errors = new FieldErrors();
  readonly #outer: Outer[] = [];
  readonly #inner: Inner[] = [];
  /** Definitions repeat their patterns. */
  readonly #patterns = new Map<string, string | undefined>();

  check(schema: JsonObject, path: FieldPath): FieldErrors {
    this.#outer.push({ schema, path, level: 'root' });
    for (let o = this.#outer.pop(); o !== undefined; o = this.#outer.pop()) this.#checkOuter(o);
    for (let i = this.#inner.pop(); i !== undefined; i = this.#inner.pop()) this.#checkInner(i);
    return this.#errors;
  }

  #checkOuter({ schema: s, path, level }: Outer): void {
    const errors = this.#errors;
    const { items, additionalProperties } = s;
    if (textAt(s, 'type') === 'array' && !isObject(items)) errors.required(path.child('items'), 'must be specified');
    if (isObject(items)) this.#outer.push({ schema: items, path: path.child('items'), level: 'item' });
    for (const [name, v] of entriesOf(s))
      this.#outer.push({ schema: v, path: path.child('properties').key(name), level: 'field' });
    const more = path.child('additionalProperties');
    if (isPresent(additionalProperties)) {
      if (level === 'root') errors.forbidden(more, 'must not be used at the root');
      if (s[EMBEDDED] === true) errors.forbidden(more, `must not be used if ${EMBEDDED} is set`);
      if (isObject(additionalProperties))
        this.#outer.push({ schema: additionalProperties, path: more, level: 'field' });
    }
    if (s[INT_OR_STRING] === true)
      for (const other of [PRESERVE, EMBEDDED])
        if (s[other] === true) errors.invalid(path.child(other), true, `must be false if ${INT_OR_STRING} is true`);
    // kube-apiserver looks for the structure of nested validations at the root only.
    const outer = level === 'root' ? { schema: s, path } : undefined;
    this.#values({ schema: s, path, outer, mayHaveTypes: false }, isIntOrString(s), true);
    this.#type(s, path, level);
    if (s[EMBEDDED] === true && s[PRESERVE] !== true && entriesOf(s).length === 0)
      errors.required(path.child('properties'), `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`);
    this.#meta(s, path, level);
  }

  #type(s: JsonObject, path: FieldPath, level: Level): void {
    const type = textAt(s, 'type');
    const at = path.child('type');
    if (s[EMBEDDED] === true && type !== 'object') {
      const detail = `must be object if ${EMBEDDED} is true`;
      if (type === '') this.#errors.required(at, detail);
      else this.#errors.invalid(at, type, detail);
    } else if (type === '' && s[INT_OR_STRING] !== true && s[PRESERVE] !== true)
      this.#errors.required(at, EMPTY[level]);
    if (level === 'root' && type !== '' && type !== 'object')
      this.#errors.invalid(at, type, 'must be object at the root');
  }

  /** A schema may restrict only name and generateName of metadata. */
  #meta(s: JsonObject, path: FieldPath, level: Level): void {
    const isResource = level === 'root' || s[EMBEDDED] === true;
    for (const [name, v] of entriesOf(s)) {
      const wanted = WANTED[name];
      if (wanted === undefined || !Object.hasOwn(WANTED, name)) continue;
      const at = path.child('properties').key(name);
      const type = textAt(v, 'type');
      if (isResource && type !== wanted) this.#errors.invalid(at.child('type'), type, `must be ${wanted}`);
      if (name !== 'metadata' || level !== 'root') continue;
      const more = Object.keys(v).filter((k) => !UNRESTRICTED.has(k) && !isNothing(v[k]));
      if (more.length > 0 || entriesOf(v).some(([p]) => p !== 'name' && p !== 'generateName'))
        this.#errors.forbidden(
          at,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        );
    }
  }

  /** `skipsAnyOf`: the types in it are allowed. `isOuter`: the same holds for the first schema of allOf. */
  #values({ schema: v, path, outer }: Inner, skipsAnyOf: boolean, isOuter: boolean): void {
    const add = (schema: JsonValue | undefined, at: FieldPath, mayHaveTypes = false): void => {
      if (isObject(schema)) this.#inner.push({ schema, path: at, outer, mayHaveTypes });
    };
    listAt(v, 'anyOf').forEach((s, i) => void add(s, path.child('anyOf').index(i), skipsAnyOf));
    listAt(v, 'allOf').forEach((s, i) => {
      const at = path.child('allOf').index(i);
      if (isOuter && i === 0 && isObject(s) && isIntOrString(s))
        this.#checkInner({ schema: s, path: at, outer, mayHaveTypes: false }, true);
      else add(s, at);
    });
    listAt(v, 'oneOf').forEach((s, i) => void add(s, path.child('oneOf').index(i)));
    add(v['not'], path.child('not'));
    const pattern = textAt(v, 'pattern');
    if (pattern === '') return;
    if (!this.#patterns.has(pattern)) this.#patterns.set(pattern, patternProblem(pattern));
    const problem = this.#patterns.get(pattern);
    if (problem !== undefined)
      this.#errors.invalid(path.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${problem}`);
  }

  #checkInner(inner: Inner, skipsAnyOf = false): void {
    const { schema: v, path, outer } = inner;
    this.#values(inner, skipsAnyOf, false);
    const below = (schema: JsonValue | undefined, at: FieldPath, structure: Inner['outer']): void => {
      if (!isObject(schema)) return;
      let known = structure;
      if (known !== undefined && known.schema === undefined) {
        this.#errors.required(known.path, `because it is defined in ${at}`);
        known = undefined;
      }
      this.#inner.push({ schema, path: at, outer: known, mayHaveTypes: false });
    };
    const within = (name: string, key?: string): Inner['outer'] => {
      if (outer === undefined) return undefined;
      const found = outer.schema?.[name];
      const schema = key === undefined ? found : isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
      const at = outer.path.child(name);
      return { schema: isObject(schema) ? schema : undefined, path: key === undefined ? at : at.key(key) };
    };
    below(v['items'], path.child('items'), within('items'));
    for (const [name, s] of entriesOf(v)) below(s, path.child('properties').key(name), within('properties', name));
    for (const [key, detail] of FORBIDDEN_INSIDE) {
      if (isNothing(v[key]) || (key === 'additionalProperties' && !isObject(v[key]))) continue;
      if (key === 'type' && inner.mayHaveTypes) continue;
      this.#errors.forbidden(path.child(key), `must be ${detail} to be structural`);
    }
    if (entriesOf(v).some(([name]) => name === 'metadata'))
      this.#errors.forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context');
  }
}

const WANTED: Readonly<Record<string, string>> = { apiVersion: 'string', kind: 'string', metadata: 'object' };
const UNRESTRICTED: ReadonlySet<string> = new Set(['type', 'properties', 'description', 'default']);

const FORBIDDEN_INSIDE: readonly (readonly [string, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  [PRESERVE, 'false'],
  [EMBEDDED, 'false'],
  [INT_OR_STRING, 'false'],
  [LIST_KEYS, 'empty'],
  [LIST_TYPE, 'undefined'],
  [MAP_TYPE, 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

const isPresent = (v: JsonValue | undefined): boolean => v !== undefined && v !== null;

const isNothing = (v: JsonValue | undefined): boolean =>
  !isPresent(v) || v === '' || v === false || v === 0 || (Array.isArray(v) && v.length === 0);

const entriesOf = (s: JsonObject): readonly (readonly [string, JsonObject])[] =>
  isObject(s['properties'])
    ? Object.entries(s['properties']).filter((e): e is [string, JsonObject] => isObject(e[1]))
    : [];

/** Whether `anyOf` is exactly `[{type: integer}, {type: string}]`. */
function isIntOrString(s: JsonObject): boolean {
  const types = listAt(s, 'anyOf').map((v) => (isObject(v) && Object.keys(v).length === 1 ? textAt(v, 'type') : ''));
  return types.join() === 'integer,string';
}
