import {
  FieldErrors,
  FieldPath,
  givenFields,
  isDns1123Subdomain,
  isHttpPath,
  isLabelKey,
  isLabelValue,
  type JsonObject,
  type JsonValue,
  Printed,
  type Shaped,
  subdomainName,
  type Value,
} from '../../api/index.js';
import type { shapes } from '../../schema/index.js';
import { internalText } from '../../schema/index.js';
import { validateAnnotations } from '../meta.js';
import { listAt, objectAt, objectsAt, textAt } from './access.js';

/** Validation that many kinds share. Each function reports to `errors` and returns nothing. */

/** Checks an enumeration. `required`: an empty value is missing rather than unsupported. */
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

/** The same for a field that is a plain string in Go. An empty value is missing. */
export function textOneOf(value: string, path: FieldPath, supported: readonly string[], errors: FieldErrors): void {
  if (value === '') errors.required(path);
  else if (!supported.includes(value)) errors.notSupportedText(path, value, supported);
}

/** The rule of names that kube-apiserver checks by a marker of the type. The marker does not apply to a generateName. */
export const declaredName = (name: string, prefix: boolean): readonly string[] =>
  prefix ? [] : subdomainName(name, prefix);

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

/** Checks label keys and values. Errors have the path of the map. */
export function labels(map: JsonObject, path: FieldPath, errors: FieldErrors): void {
  for (const [k, v] of Object.entries(map)) {
    sentences(k, isLabelKey, path, errors);
    sentences(String(v), isLabelValue, path, errors);
  }
}

/** The fields of metadata that a claim template may not hold, in the order of their errors. */
const NOT_OF_A_CLAIM = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** The metadata of a claim template may hold only labels and annotations. Even an empty list in another field is an error. */
export function claimTemplateMeta(
  meta: Shaped<shapes.MetaV1ObjectMeta>,
  path: FieldPath<shapes.MetaV1ObjectMeta>,
  errors: FieldErrors,
): void {
  validateAnnotations(meta['annotations'], path.child('annotations'), errors);
  labels(objectAt(meta, 'labels'), path.child('labels'), errors);
  const given = new Set(givenFields(meta));
  for (const field of NOT_OF_A_CLAIM)
    if (given.has(field)) errors.forbidden(path.childShownAs(field === 'uid' ? 'uID' : field), 'cannot be set');
}

/** Checks a LabelSelector. `checkValues`: values must be valid label values too. */
export function labelSelector(
  selector: Value<shapes.MetaV1LabelSelector> | undefined,
  path: FieldPath,
  errors: FieldErrors,
  checkValues = true,
): void {
  if (selector === undefined) return;
  labels(objectAt(selector, 'matchLabels'), path.child('matchLabels'), errors);
  errors.each(objectsAt(selector, 'matchExpressions'), (e, i) => {
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
    if (checkValues) errors.each(values, (v, j) => sentences(v, isLabelValue, here.child('values').index(j), errors));
  });
}

/** Whether a check finds no error. It runs to its end at once: it is for stored objects, by which an update is judged. */
export function passes(check: (errors: FieldErrors) => void): boolean {
  const found = new FieldErrors();
  check(found);
  found.finish();
  return found.empty;
}

/** Whether the selector of a stored object is invalid. An update may then have values in it that are not label values. */
export const isInvalidSelector = (selector: Value<shapes.MetaV1LabelSelector> | undefined): boolean =>
  !passes((errors) => labelSelector(selector, FieldPath.root, errors));

/** Whether an expression of a selector has a value that is not a label value. */
export const hasInvalidValue = (selector: Value<shapes.MetaV1LabelSelector> | undefined): boolean =>
  objectsAt(selector, 'matchExpressions').some((e) =>
    listAt(e, 'values').some((v) => isLabelValue(String(v)).length > 0),
  );

export const isEmptySelector = (selector: Value<shapes.MetaV1LabelSelector> | undefined): boolean =>
  Object.keys(objectAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0;

/** Whether labels match a LabelSelector; undefined when the selector is invalid. */
export function selects(selector: Value<shapes.MetaV1LabelSelector> | undefined, of: JsonObject): boolean | undefined {
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

/** A path may not contain `..` segments. */
export function noBacksteps(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value.split('/').includes('..')) errors.invalid(path, value, "must not contain '..'");
}

/** A relative path without `..` segments. */
export function descendingPath(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value.startsWith('/')) errors.invalid(path, value, 'must be a relative path');
  noBacksteps(value, path, errors);
}

/** A file that the kubelet writes into a volume. Names that begin with `..` are reserved for atomic updates. */
export function nonReservedPath(value: string, path: FieldPath, errors: FieldErrors): void {
  descendingPath(value, path, errors);
  if (value.startsWith('..') && !value.startsWith('../')) errors.invalid(path, value, "must not start with '..'");
}

/** File mode bits. */
export function fileMode(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'number' && (value < 0 || value > 0o777))
    errors.invalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive');
}

/** `example.com/name`: each part is checked and reported on its own. */
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

/** The name of a storage or device driver: a domain name in any case. */
export function driverName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(path);
    return;
  }
  if (Buffer.byteLength(name) > DRIVER_BYTES_MAX) errors.tooLong(path, DRIVER_BYTES_MAX);
  for (const s of isDns1123Subdomain(name.toLowerCase())) errors.invalid(path, name, s);
}

/** Formats a value for an error as kube-apiserver prints it, or `null` when it is absent. */
export const shown = (type: string, value: JsonValue | readonly JsonValue[] | undefined): Printed =>
  new Printed(() => (value === undefined || value === null ? 'null' : internalText(type, value)), value);
