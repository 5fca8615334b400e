import { FieldPath, goJson, goQuote, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { embedsObjects, type KindSchema, prune, type Schema, type StructSchema } from '../schema/index.js';
import { type Decoded, decodeValue, type Strictness, valueSteps } from './json/decode.js';
import { nodeName, topOf } from './json/node.js';

/**
 * Decodes a plain value as an object of `kind`. It takes ownership of the value, parts of which become parts of the result. An object of a
 * built-in kind must match its schema. In a custom resource only the metadata must; undeclared fields are dropped, and validation checks
 * the types of the others.
 */
export function decodeAs(kind: KindSchema, value: JsonValue): Decoded {
  return finish(decodeAsSteps(kind, value));
}

/** `decodeAs` in steps. */
export function* decodeAsSteps(kind: KindSchema, value: JsonValue): Steps<Decoded> {
  const { structural } = kind;
  return structural === undefined
    ? yield* valueSteps(kind.schema, value)
    : yield* decodeCustom(kind.schema, structural, value, { errors: [], warnings: [] });
}

/** Decodes a custom resource, in steps. `duplicates`: the duplicate keys that the parser found. */
export function* decodeCustom(
  schema: StructSchema,
  structural: StructSchema,
  value: JsonValue,
  duplicates: Strictness,
): Steps<Decoded> {
  if (!isObject(value))
    return {
      ok: false,
      message: `json: cannot unmarshal ${nodeName(topOf(value))} into Go value of type map[string]interface {}`,
    };
  const meta = yield* valueSteps(schema.byName.get('metadata')!.schema as StructSchema, value['metadata'] ?? {});
  if (!meta.ok) return meta;
  const unknown = meta.strict.errors.map((e) => e.replace('field "', 'field "metadata.'));
  value['metadata'] = meta.object;
  yield;
  unknown.push(...prune(value, structural).map((path) => `unknown field ${goQuote(path)}`));
  yield;
  if (embedsObjects(structural)) {
    const message = decodeEmbedded(value, structural, schema);
    if (message !== undefined) return { ok: false, message };
  }
  const strict: Strictness = {
    errors: [...duplicates.errors, ...unknown],
    warnings: [...duplicates.warnings, ...unknown],
  };
  return { ok: true, object: value, strict };
}

function decodeMetadata(schema: StructSchema, given: JsonValue | undefined): Decoded {
  const metadata = schema.byName.get('metadata')!.schema as StructSchema;
  return decodeValue(metadata, given ?? {});
}

/**
 * Normalises the metadata of embedded objects. Returns the message for the first one whose apiVersion, kind or metadata
 * cannot be decoded.
 */
function decodeEmbedded(value: JsonObject, schema: StructSchema, root: StructSchema): string | undefined {
  const pending: Place[] = fieldsOf(value, schema, FieldPath.root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: v, at, path } = next;
    if (at.kind === 'list' && Array.isArray(v))
      v.forEach((item, i) => void pending.push({ value: item, at: at.items, path: path.index(i) }));
    else if (at.kind === 'map' && isObject(v))
      for (const [key, item] of Object.entries(v)) pending.push({ value: item, at: at.values, path: path.key(key) });
    else if (at.kind === 'struct' && isObject(v)) {
      const problem = at.embeddedResource ? decodeIdentity(v, root, path) : undefined;
      if (problem !== undefined) return problem;
      pending.push(...fieldsOf(v, at, path));
    }
  }
  return undefined;
}

interface Place {
  readonly value: JsonValue;
  readonly at: Schema;
  readonly path: FieldPath;
}

/** The members of an object that may contain embedded objects. */
function fieldsOf(o: JsonObject, schema: StructSchema, path: FieldPath): Place[] {
  const found: Place[] = [];
  for (const { name, schema: at } of schema.fields) {
    const value = o[name];
    if (value === undefined || value === null || typeof value !== 'object') continue;
    if (name !== 'metadata' || !schema.embeddedResource) found.push({ value, at, path: path.child(name) });
  }
  return found;
}

function decodeIdentity(o: JsonObject, root: StructSchema, path: FieldPath): string | undefined {
  const invalid = (field: string, problem: string): string =>
    `${path.child(field)}: Invalid value: ${goJson(o[field]!)}: ${problem}`;
  for (const field of ['apiVersion', 'kind'])
    if (Object.hasOwn(o, field) && typeof o[field] !== 'string') return invalid(field, 'must be a string');
  const meta = o['metadata'];
  if (meta === undefined) return undefined;
  if (meta !== null && !isObject(meta))
    return invalid('metadata', `json: cannot unmarshal ${nodeName(topOf(meta))} into Go value of type v1.ObjectMeta`);
  const decoded = decodeMetadata(root, meta ?? {});
  if (!decoded.ok) return invalid('metadata', decoded.message);
  setOwn(o, 'metadata', decoded.object);
  return undefined;
}
