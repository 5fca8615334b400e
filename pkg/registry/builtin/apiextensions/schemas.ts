import { at, isObject, type JsonObject, type JsonValue, objectsAt } from '../../../api/index.js';
import { listAt, textAt } from '../access.js';
import { EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE } from './keywords.js';

/** Questions about the schemas of CustomResourceDefinitions. */

export const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

/** The schemas of the versions of a definition. */
export function schemasOf(definition: JsonObject): JsonObject[] {
  return objectsAt(definition, 'spec', 'versions')
    .map((v) => at(v, 'schema', 'openAPIV3Schema'))
    .filter((s): s is JsonObject => isObject(s));
}

/** Reports whether a schema or one inside it satisfies `found`. It is not recursive, because a definition may be nested deeply. */
export function someSchema(roots: readonly JsonObject[], found: (s: JsonObject) => boolean): boolean {
  const pending: JsonValue[] = [...roots];
  for (let s = pending.pop(); s !== undefined; s = pending.pop()) {
    if (Array.isArray(s)) pending.push(...s);
    if (!isObject(s)) continue;
    if (found(s)) return true;
    for (const key of SCHEMAS) pending.push(s[key] ?? null);
    for (const key of NAMED_SCHEMAS) if (isObject(s[key])) pending.push(...Object.values(s[key]));
  }
  return false;
}

const SCHEMAS = ['items', 'additionalProperties', 'additionalItems', 'not', 'allOf', 'anyOf', 'oneOf'] as const;
const NAMED_SCHEMAS = ['properties', 'patternProperties', 'definitions', 'dependencies'] as const;

export const hasDefault = (s: JsonObject): boolean => (s['default'] ?? undefined) !== undefined;

export const hasExtension = (s: JsonObject): boolean =>
  s[EMBEDDED] === true ||
  typeof s[PRESERVE] === 'boolean' ||
  s[INT_OR_STRING] === true ||
  typeof s[LIST_TYPE] === 'string' ||
  listAt(s, LIST_KEYS).length > 0 ||
  listAt(s, 'x-kubernetes-validations').length > 0;

export const hasUnknownType = (s: JsonObject): boolean => textAt(s, 'type') !== '' && !TYPES.has(textAt(s, 'type'));

/** The keyword that makes the items of a set not atomic. */
export function divisibleSet(s: JsonObject): string | undefined {
  const { items } = s;
  if (s[LIST_TYPE] !== 'set' || !isObject(items)) return undefined;
  const nested = items[LIST_TYPE] ?? 'atomic';
  if (textAt(items, 'type') === 'array' && nested !== 'atomic') return LIST_TYPE;
  return textAt(items, 'type') === 'object' && items[MAP_TYPE] !== 'atomic' ? MAP_TYPE : undefined;
}

/** Reports whether items of a set or a map may be null, or items of a map may lack a key. */
export function hasLooseItems(s: JsonObject): boolean {
  const { items } = s;
  if ((s[LIST_TYPE] !== 'set' && s[LIST_TYPE] !== 'map') || !isObject(items)) return false;
  if (items['nullable'] === true) return true;
  if (s[LIST_TYPE] === 'set') return false;
  const required = listAt(items, 'required');
  return listAt(s, LIST_KEYS).some((key) => {
    const property = at(items, 'properties', String(key));
    if (!isObject(property)) return false;
    return property['nullable'] === true || (!required.includes(key) && !hasDefault(property));
  });
}
