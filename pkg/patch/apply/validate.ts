import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../../api/index.js';
import type { ListSchema, ScalarSchema, Schema } from '../../schema/index.js';
import { goSyntax, goTypeName } from '../go-format.js';
import { typedErrorsMax } from '../limits.js';
import { elementText } from './element.js';
import { childSchema, ElementError, isAtomic, listElement, type Node, scalarClass, shown } from './shape.js';

/**
 * Whether an applied object is of its type: every field declared, values of the right kind, no two items of one identity in an
 * associative list. Returns the sentence of the reference, or undefined when all is well.
 */
export function typeErrors(v: JsonObject, schema: Schema): string | undefined {
  const errors: string[] = [];
  check(v, schema, '', errors);
  if (errors.length <= 1) return errors[0];
  return ['errors:', ...errors.slice(0, typedErrorsMax).map((e) => `  ${e}`)].join('\n');
}

function report(errors: string[], path: string, message: string): void {
  if (errors.length <= typedErrorsMax) errors.push(path === '' ? message : `${path}: ${message}`);
}

function check(v: JsonValue, schema: Schema, path: string, errors: string[]): void {
  if (v === null) return;
  switch (schema.kind) {
    case 'any':
      return;
    case 'scalar': {
      const message = scalarError(v, schema);
      if (message !== undefined) report(errors, path, message);
      return;
    }
    case 'list':
      if (Array.isArray(v)) checkItems(v, schema, path, errors);
      else report(errors, path, `expected list, got ${shown(v)}`);
      return;
    default:
      if (isObject(v)) checkMembers(v, schema, path, errors);
      else report(errors, path, `expected map, got ${shown(v)}`);
  }
}

function checkMembers(v: JsonObject, schema: Node, path: string, errors: string[]): void {
  for (const key of Object.keys(v)) {
    const child = childSchema(schema, key);
    if (child === undefined) {
      report(errors, `${path}.${key}`, 'field not declared in schema');
      return;
    }
    check(v[key]!, child, `${path}.${key}`, errors);
  }
}

function checkItems(list: JsonArray, schema: ListSchema, path: string, errors: string[]): void {
  const atomic = isAtomic(schema);
  const seen = new Set<string>();
  for (let i = 0; i < list.length; i++) {
    let element = `i:${i}`;
    if (!atomic) {
      try {
        element = listElement(schema, list[i]!);
      } catch (e) {
        if (!(e instanceof ElementError)) throw e;
        report(errors, path, `element ${i}: ${e.message}`);
        return;
      }
      if (seen.has(element)) report(errors, path, `duplicate entries for key ${elementText(element)}`);
      seen.add(element);
    }
    check(list[i]!, schema.items, path + elementText(element), errors);
  }
}

function scalarError(v: JsonValue, schema: ScalarSchema): string | undefined {
  switch (scalarClass(schema)) {
    case 'numeric':
      return typeof v === 'number' || typeof v === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goTypeName(v)}`;
    case 'string':
      return typeof v === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(v)}}`;
    case 'boolean':
      return typeof v === 'boolean' ? undefined : `expected boolean, got ${shown(v)}`;
    default:
      return typeof v !== 'object' ? undefined : `expected any scalar, got ${shown(v)}`;
  }
}
