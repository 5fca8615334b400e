import { goQuote, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { type KindSchema, prune, type Schema, type StructSchema } from '../schema/index.js';
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
    : yield* decodeCustom(kind.schema, structural, value, []);
}

/** Decodes a custom resource, in steps. `found`: the duplicate keys that the parser found. */
export function* decodeCustom(
  schema: StructSchema,
  structural: StructSchema,
  value: JsonValue,
  found: readonly string[],
): Steps<Decoded> {
  if (!isObject(value))
    return {
      ok: false,
      message: `json: cannot unmarshal ${nodeName(topOf(value))} into Go value of type map[string]interface {}`,
    };
  const errors = [...found];
  const meta = yield* valueSteps(schema.byName.get('metadata')!.schema as StructSchema, value['metadata'] ?? {});
  if (!meta.ok) return meta;
  errors.push(...meta.strict.errors.map((e) => e.replace('field "', 'field "metadata.')));
  value['metadata'] = meta.object;
  yield;
  errors.push(...prune(value, structural).map((path) => `unknown field ${goQuote(path)}`));
  yield;
  if (embeds(structural)) decodeEmbedded(value, structural, schema);
  const strict: Strictness = { errors, warnings: errors };
  return { ok: true, object: value, strict };
}

function decodeMetadata(schema: StructSchema, given: JsonValue | undefined): Decoded {
  const metadata = schema.byName.get('metadata')!.schema as StructSchema;
  return decodeValue(metadata, given ?? {});
}

/** Normalises the metadata of embedded objects and drops invalid fields. */
function decodeEmbedded(value: JsonObject, schema: StructSchema, root: StructSchema): void {
  const pending: { readonly value: JsonValue; readonly at: Schema }[] = [];
  const fieldsOf = (o: JsonObject, s: StructSchema): void => {
    for (const field of s.fields) {
      const inner = o[field.name];
      if (inner !== undefined && inner !== null && typeof inner === 'object' && field.name !== 'metadata')
        pending.push({ value: inner, at: field.schema });
      else if (field.name === 'metadata' && !s.embeddedResource && isObject(inner))
        pending.push({ value: inner, at: field.schema });
    }
  };
  fieldsOf(value, schema);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: v, at } = next;
    if (at.kind === 'list' && Array.isArray(v)) for (const item of v) pending.push({ value: item, at: at.items });
    else if (at.kind === 'map' && isObject(v))
      for (const item of Object.values(v)) pending.push({ value: item, at: at.values });
    else if (at.kind === 'struct' && isObject(v)) {
      if (at.embeddedResource && isObject(v['metadata'])) {
        const decoded = decodeMetadata(root, v['metadata']);
        if (decoded.ok) setOwn(v, 'metadata', decoded.object);
      }
      fieldsOf(v, at);
    }
  }
}

const embedding = new WeakMap<StructSchema, boolean>();

/** Reports whether the schema has embedded objects below the root. */
function embeds(schema: StructSchema): boolean {
  let known = embedding.get(schema);
  if (known === undefined) {
    const below = (s: Schema, depth: number): boolean => {
      if (s.kind === 'list') return below(s.items, depth);
      if (s.kind === 'map') return below(s.values, depth);
      if (s.kind !== 'struct') return false;
      if (depth > 0 && s.embeddedResource) return true;
      return s.fields.some((f) => !(s.embeddedResource && f.name === 'metadata') && below(f.schema, depth + 1));
    };
    known = below(schema, 0);
    embedding.set(schema, known);
  }
  return known;
}
