import { FieldErrors, FieldPath, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import type { Steps } from '../base/index.js';
import { refuse } from './fielderrors.js';
import { limits } from './limits.js';
import type { Target } from './requests.js';

/**
 * Refuses (422) an object with a list or map beyond the limit before defaults and rules examine its items: a body of
 * three megabytes can have a million of them. `bytes` is an upper bound of the JSON of the object; small objects are
 * not scanned.
 */
export function* refuseLongLists(target: Target, object: JsonObject, bytes: number): Steps<void> {
  // The shortest item with its comma takes two bytes; an entry of a map takes more.
  if (bytes <= 2 * limits.listItemsMax) return;
  const found = new FieldErrors();
  look(object, undefined, found);
  for (; found.pending; yield) found.step();
  refuse(target, object, found);
}

function look(value: JsonValue, path: FieldPath | undefined, found: FieldErrors): void {
  if (Array.isArray(value)) {
    if (value.length > limits.listItemsMax) {
      if (path !== undefined) found.tooMany(path, value.length, limits.listItemsMax);
      return;
    }
    found.each(value, (item, i) => {
      if (typeof item === 'object' && item !== null) look(item, path?.index(i), found);
    });
  } else if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length > limits.listItemsMax) {
      if (path !== undefined) found.tooMany(path, keys.length, limits.listItemsMax);
      return;
    }
    found.each(keys, (key) => {
      const member = value[key]!;
      if (typeof member === 'object' && member !== null)
        look(member, path === undefined ? FieldPath.of(key) : path.child(key), found);
    });
  }
}
