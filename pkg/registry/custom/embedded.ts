import {
  type FieldErrors,
  FieldPath,
  isDns1035Label,
  isObject,
  type JsonObject,
  type JsonValue,
  pathSegmentName,
} from '../../api/index.js';
import { embedsObjects, type Schema, type StructSchema } from '../../schema/index.js';
import { validateMeta } from '../meta.js';

/**
 * Validates the apiVersion, kind and metadata of embedded objects (`x-kubernetes-embedded-resource`). Unchanged ones are
 * validated, too.
 */
export function validateEmbedded(object: JsonObject, schema: StructSchema, errors: FieldErrors): void {
  if (embedsObjects(schema)) walkFields(object, schema, FieldPath.root, errors);
}

function walkFields(object: JsonObject, schema: StructSchema, path: FieldPath, errors: FieldErrors): void {
  for (const { name, schema: at } of schema.fields) {
    const value = object[name];
    if (value === undefined || value === null || (name === 'metadata' && schema.embeddedResource)) continue;
    walk(value, at, path.child(name), errors);
  }
}

function walk(value: JsonValue, schema: Schema, path: FieldPath, errors: FieldErrors): void {
  if (schema.kind === 'list' && Array.isArray(value))
    value.forEach((item, i) => void walk(item, schema.items, path.index(i), errors));
  else if (schema.kind === 'map' && isObject(value))
    for (const [key, item] of Object.entries(value)) walk(item, schema.values, path.key(key), errors);
  else if (schema.kind === 'struct' && isObject(value)) {
    if (schema.embeddedResource) validateIdentity(value, path, errors);
    walkFields(value, schema, path, errors);
  }
}

function validateIdentity(object: JsonObject, path: FieldPath, errors: FieldErrors): void {
  checkText(object['apiVersion'], path.child('apiVersion'), errors, (text) =>
    text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [],
  );
  checkText(object['kind'], path.child('kind'), errors, (text) =>
    isDns1035Label(text.toLowerCase()).map((s) => `may have mixed case, but should otherwise match: ${s}`),
  );
  const meta = object['metadata'];
  if (isObject(meta)) validateMeta(meta, EMBEDDED_META, path.child('metadata'), errors);
}

const EMBEDDED_META = { namespaced: undefined, nameRule: pathSegmentName, nameless: true };

/** A value of another type is reported by the validation of the schema. */
function checkText(
  value: JsonValue | undefined,
  path: FieldPath,
  errors: FieldErrors,
  problems: (text: string) => readonly string[],
): void {
  if (value === undefined) errors.required(path);
  else if (value === '') errors.invalid(path, value, 'must not be empty');
  else if (typeof value === 'string') for (const problem of problems(value)) errors.invalid(path, value, problem);
}
