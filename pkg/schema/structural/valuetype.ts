import { type FieldErrors, type FieldPath, goQuote, type JsonValue } from '../../api/index.js';
import { isTextFormat } from './formats.js';

/**
 * Reports whether a value has the type that a schema expects, and adds the errors of kube-apiserver if it has not. Without `expected` any
 * type is right, but a format of texts still refuses numbers, booleans and objects.
 */
export function checkValueType(
  value: JsonValue,
  { type: expected, format }: { readonly type: string | undefined; readonly format: string | undefined },
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  const actual = typeOf(value);
  if (expected === actual || (expected === 'number' && actual === 'integer')) return true;
  if (expected === 'integer,string' && (actual === 'integer' || actual === 'string')) return true;
  if (format !== undefined && takesText(expected) && isTextFormat(format)) {
    // kube-apiserver takes a list for a text with a format, and names the format in place of the type for most other values.
    if (expected === 'string' && actual === 'array') return true;
    const given = TEXT_GIVEN[actual];
    if (given !== undefined) {
      wrongType(given, format, path, errors);
      return false;
    }
  }
  if (expected === undefined) return true;
  const isFormatted = format !== undefined && isNumberFormat(format);
  if (isFormatted && (actual === 'boolean' || actual === 'object')) wrongType('', format, path, errors);
  else if (isFormatted && expected === 'integer' && actual === 'number') wrongType('float64', format, path, errors);
  else wrongType(actual, expected, path, errors);
  if (expected === 'integer' && actual === 'number')
    outOfRange(isFormatted ? `integer with format ${format}` : 'integer (default format)', path, errors);
  return false;
}

const takesText = (expected: string | undefined): boolean =>
  expected === undefined || expected === 'string' || expected === 'integer,string';

/** How errors name values of other types than string where the string has a format. */
const TEXT_GIVEN: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64', boolean: '', object: '' };
const NUMBER_FORMATS: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double']);
export const isNumberFormat = (format: string): boolean => NUMBER_FORMATS.has(format);

/** Returns the error for a wrong type or format. `actual` is the actual type, or the value for a format. */
export function wrongType(actual: string, expected: string, path: FieldPath, errors: FieldErrors): void {
  errors.typeInvalid(path, actual, `${path} in body must be of type ${expected}: ${goQuote(actual)}`);
}

export function outOfRange(what: string, path: FieldPath, errors: FieldErrors, which = 'Checked value'): void {
  errors.add('FieldValueInvalid', '<nil>', `Invalid value: "": ${which} must be of type ${what} in ${path}`);
}

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;

/** An `integer` fits 64 bits. kube-apiserver treats larger numbers as floating point. */
export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') {
    // a number of 64 bits that is not safe is a bigint, so this bound as a number was beyond it
    if (value === -(2 ** 63)) return 'number';
    return isWhole(value) && inRange(value, INT64) ? 'integer' : 'number';
  }
  return typeof value;
}

export const isWhole = (value: JsonValue): value is number | bigint =>
  typeof value === 'bigint' || Number.isInteger(value);
export const inRange = (value: number | bigint, range: { readonly min: bigint; readonly max: bigint }): boolean =>
  value >= range.min && value <= range.max;
