import {
  type FieldErrors,
  type FieldPath,
  givenFields,
  isDns1123Subdomain,
  isHttpPath,
  isLabelKey,
  isLabelValue,
  type JsonObject,
  type JsonValue,
  Printed,
} from '../../api/index.js';
import { internalText } from '../../schema/index.js';
import { validateAnnotations } from '../meta.js';
import { listAt, objectAt, objectsAt, textAt } from './access.js';

/** Rules that many kinds share. Each tells the collector what is wrong and returns nothing. */

/** A closed set of values. `required`: the empty value is missing rather than unsupported. */
export function oneOf(
  value: string,
  path: FieldPath,
  supported: readonly string[],
  errors: FieldErrors,
  required = true,
): void {
  if (value === '' && required) errors.required(path);
  else if (!supported.includes(value)) errors.notSupported(path, value, supported);
}

export function nonNegative(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'number' && value < 0) errors.invalid(path, value, 'must be greater than or equal to 0');
}

export function sentences(
  value: string,
  rule: (v: string) => readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const s of rule(value)) errors.invalid(path, value, s);
}

/** Labels as a map: keys and values, told at the map itself. */
export function labels(map: JsonObject, path: FieldPath, errors: FieldErrors): void {
  for (const [k, v] of Object.entries(map)) {
    sentences(k, isLabelKey, path, errors);
    sentences(String(v), isLabelValue, path, errors);
  }
}

const OF_A_CLAIM = ['labels', 'annotations'];

/** What a template of claims says of their metadata: nothing but labels and annotations, not even an empty list of something else. */
export function claimTemplateMeta(meta: JsonObject, path: FieldPath, errors: FieldErrors): void {
  validateAnnotations(meta['annotations'], path.child('annotations'), errors);
  labels(objectAt(meta, 'labels'), path.child('labels'), errors);
  for (const field of givenFields(meta))
    if (!OF_A_CLAIM.includes(field)) errors.forbidden(path.child(field === 'uid' ? 'uID' : field), 'cannot be set');
}

/** `LabelSelector`: matchLabels and matchExpressions. `checkValues`: values must be label values too. */
export function labelSelector(
  selector: JsonValue | undefined,
  path: FieldPath,
  errors: FieldErrors,
  checkValues = true,
): void {
  if (selector === undefined) return;
  labels(objectAt(selector, 'matchLabels'), path.child('matchLabels'), errors);
  for (const [i, e] of objectsAt(selector, 'matchExpressions').entries()) {
    const here = path.child('matchExpressions').index(i);
    const operator = textAt(e, 'operator');
    const values = listAt(e, 'values').map(String);
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0)
          errors.required(here.child('values'), "must be specified when `operator` is 'In' or 'NotIn'");
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0)
          errors.forbidden(here.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        break;
      default:
        errors.invalid(here.child('operator'), operator, 'not a valid selector operator');
    }
    sentences(textAt(e, 'key'), isLabelKey, here.child('key'), errors);
    if (checkValues)
      for (const [j, v] of values.entries()) sentences(v, isLabelValue, here.child('values').index(j), errors);
  }
}

export const isEmptySelector = (selector: JsonValue | undefined): boolean =>
  Object.keys(objectAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0;

/** Whether labels satisfy a LabelSelector that is itself valid; undefined when it is not. */
export function selects(selector: JsonValue | undefined, of: JsonObject): boolean | undefined {
  for (const [k, v] of Object.entries(objectAt(selector, 'matchLabels'))) if (of[k] !== v) return false;
  for (const e of objectsAt(selector, 'matchExpressions')) {
    const key = textAt(e, 'key');
    const values = listAt(e, 'values');
    const has = Object.hasOwn(of, key);
    switch (textAt(e, 'operator')) {
      case 'In':
        if (!has || !values.includes(of[key]!)) return false;
        break;
      case 'NotIn':
        if (has && values.includes(of[key]!)) return false;
        break;
      case 'Exists':
        if (!has) return false;
        break;
      case 'DoesNotExist':
        if (has) return false;
        break;
      default:
        return undefined;
    }
  }
  return true;
}

/** No segment of a path may lead upwards. */
export function noBacksteps(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value.split('/').includes('..')) errors.invalid(path, value, "must not contain '..'");
}

/** A path below something: relative and without backsteps. */
export function descendingPath(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value.startsWith('/')) errors.invalid(path, value, 'must be a relative path');
  noBacksteps(value, path, errors);
}

/** A file of ours inside a volume: names that begin with two dots are how atomic updates work. */
export function nonReservedPath(value: string, path: FieldPath, errors: FieldErrors): void {
  descendingPath(value, path, errors);
  if (value.startsWith('..') && !value.startsWith('../')) errors.invalid(path, value, "must not start with '..'");
}

/** Permission bits of a file. */
export function fileMode(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'number' && (value < 0 || value > 0o777))
    errors.invalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive');
}

/** `example.com/name`: each part is judged and shown for itself. */
export function domainPrefixedPath(value: string, path: FieldPath, errors: FieldErrors): void {
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) {
    errors.invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  sentences(value.slice(0, slash), isDns1123Subdomain, path, errors);
  sentences(value.slice(slash + 1), isHttpPath, path, errors);
}

const DRIVER_BYTES_MAX = 63;

/** The name of a driver of volumes or devices: a domain, in whatever case. */
export function driverName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(path);
    return;
  }
  if (Buffer.byteLength(name) > DRIVER_BYTES_MAX) errors.tooLong(path, DRIVER_BYTES_MAX);
  for (const s of isDns1123Subdomain(name.toLowerCase())) errors.invalid(path, name, s);
}

/** A value in a sentence as the reference shows it: in the form that its type has inside; `null` where there is none. */
export const shown = (type: string, value: JsonValue | readonly JsonValue[] | undefined): Printed =>
  new Printed(value === undefined || value === null ? 'null' : internalText(type, value));
