import { FieldErrors, FieldPath, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import type { Steps } from '../base/index.js';
import { isCustom, type Schema } from '../schema/index.js';
import { refuse } from './fielderrors.js';
import { limits } from './limits.js';
import type { Target } from './requests.js';

/**
 * Refuses (422) an object with a list or map beyond the limit before defaults and rules examine its items: a body of
 * three megabytes can have a million of them. `bytes` is an upper bound of the JSON of the object; small objects are
 * not scanned. Atomic lists of texts and numbers in custom resources, such as ranges of addresses, are bounded only by the values of a body:
 * their items cost little, and have no owners of their own.
 */
export function* refuseLongLists(target: Target, object: JsonObject, bytes: number): Steps<void> {
  // The shortest item with its comma takes two bytes; an entry of a map takes more.
  if (bytes <= 2 * limits.listItemsMax) return;
  const found = new FieldErrors();
  const { type } = target.resource;
  look(object, { path: undefined, schema: isCustom(type) ? type.structural : undefined }, found);
  for (; found.pending; yield) found.step();
  refuse(target, object, found);
}

/** Where a value is in an object, and its schema in a custom resource; undefined where plain lists have the limit of others. */
interface Place {
  readonly path: FieldPath | undefined;
  readonly schema: Schema | 'open' | undefined;
}

function look(value: JsonValue, { path, schema }: Place, found: FieldErrors): void {
  if (Array.isArray(value)) {
    if (value.length > limits.listItemsMax) {
      if (path !== undefined && !(isAtomic(schema) && value.every(isPlain)))
        found.tooMany(path, value.length, limits.listItemsMax);
      return;
    }
    const items = inside(schema);
    found.each(value, (item, i) => {
      if (!isPlain(item)) look(item, { path: path?.index(i), schema: items }, found);
    });
  } else if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length > limits.listItemsMax) {
      if (path !== undefined) found.tooMany(path, keys.length, limits.listItemsMax);
      return;
    }
    found.each(keys, (key) => {
      const member = value[key]!;
      if (isPlain(member)) return;
      const at = path === undefined ? FieldPath.of(key) : path.child(key);
      const isMetadata = path === undefined && key === 'metadata';
      look(member, { path: at, schema: isMetadata ? undefined : inside(schema, key) }, found);
    });
  }
}

const isAtomic = (schema: Place['schema']): boolean =>
  schema === 'open' || schema?.kind === 'any' || (schema?.kind === 'list' && schema.listType === 'atomic');

/** The schema of the items or of a field; 'open' for what no schema declares. */
function inside(schema: Place['schema'], key = ''): Place['schema'] {
  if (schema === undefined || schema === 'open') return schema;
  switch (schema.kind) {
    case 'struct':
      return schema.byName.get(key)?.schema ?? 'open';
    case 'map':
      return schema.values;
    case 'list':
      return schema.items;
    default:
      return 'open';
  }
}

const isPlain = (value: JsonValue): boolean => typeof value !== 'object' || value === null;
