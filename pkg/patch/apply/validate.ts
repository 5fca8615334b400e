import {
  GoValue,
  goSyntax,
  goTypeName,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import type { ListSchema, ScalarSchema, Schema } from '../../schema/index.js';
import { typedErrorsMax } from '../limits.js';
import { elementText } from './element.js';
import { childSchema, ElementError, isAtomic, listElement, type Node, scalarClass, shown } from './shape.js';

/**
 * Validates that an applied object has its type: all fields are declared, values have the right type, and items of
 * associative lists are unique, unless it may `repeat` them. Returns the message of kube-apiserver, or undefined if the object is valid.
 */
export function typeErrors(v: JsonObject, schema: Schema, repeat = false): string | undefined {
  const errors = check(v, schema, repeat);
  if (errors === undefined) return undefined;
  const texts = errors.slice(0, typedErrorsMax).map((e) => (e.path === '' ? e.message : `${e.path}: ${e.message}`));
  return texts.length === 1 ? texts[0] : ['errors:', ...texts.map((t) => `  ${t}`)].join('\n');
}

/** Paths are built while returning from the recursion, so valid values need none. */
interface TypeError {
  path: string;
  readonly message: string;
}

type Errors = TypeError[] | undefined;

function error(message: string, path = ''): TypeError[] {
  return [{ path, message }];
}

function join(all: Errors, more: Errors, prefix: string): Errors {
  if (more === undefined) return all;
  for (const e of more) e.path = prefix + e.path;
  if (all === undefined) return more;
  return all.length < typedErrorsMax ? all.concat(more) : all;
}

function check(v: JsonValue, schema: Schema, repeat: boolean): Errors {
  if (v === null) return undefined;
  switch (schema.kind) {
    case 'any':
      return v instanceof GoValue ? error(`expected map, got ${shown(v)}`) : undefined;
    case 'scalar': {
      const message = schema.untyped === true ? undefined : scalarError(v, schema);
      return message === undefined ? undefined : error(message);
    }
    case 'list':
      return Array.isArray(v) ? checkItems(v, schema, repeat) : error(`expected list, got ${shown(v)}`);
    default:
      return isObject(v) && !(v instanceof GoValue)
        ? checkMembers(v, schema, repeat)
        : error(`expected map, got ${shown(v)}`);
  }
}

function checkMembers(v: JsonObject, schema: Node, repeat: boolean): Errors {
  let errors: Errors;
  for (const key of Object.keys(v)) {
    const child = childSchema(schema, key);
    if (child === undefined) return join(errors, error('field not declared in schema'), `.${key}`);
    const found = check(v[key]!, child, repeat);
    if (found !== undefined) errors = join(errors, found, `.${key}`);
  }
  return errors;
}

function checkItems(list: JsonArray, schema: ListSchema, repeat: boolean): Errors {
  const atomic = isAtomic(schema);
  const seen = atomic ? undefined : new Set<string>();
  let errors: Errors;
  for (let i = 0; i < list.length; i++) {
    let element = '';
    if (seen !== undefined) {
      try {
        element = listElement(schema, list[i]!);
      } catch (e) {
        if (!(e instanceof ElementError)) throw e;
        return join(errors, error(`element ${i}: ${e.message}`), '');
      }
      if (seen.has(element) && !repeat)
        errors = join(errors, error(`duplicate entries for key ${elementText(element)}`), '');
      seen.add(element);
    }
    const found = check(list[i]!, schema.items, repeat);
    if (found !== undefined) errors = join(errors, found, seen === undefined ? `[${i}]` : elementText(element));
  }
  return errors;
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
      if (typeof v !== 'object') return undefined;
      return v instanceof GoValue && schema.type === 'intOrString'
        ? `expected map, got ${shown(v)}`
        : `expected any scalar, got ${shown(v)}`;
  }
}
