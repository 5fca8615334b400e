import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, equalJson, formatDuration, type JsonObject, type JsonValue } from '../api/index.js';
import { finish } from '../base/index.js';
import {
  allKinds,
  type KindSchema,
  kindSchema,
  type ScalarSchema,
  type Schema,
  type StructSchema,
} from '../schema/index.js';
import { readCbor } from './cbor/read.js';
import { encodeCbor } from './cbor/write.js';
import { decodeJson, decodeValue, nodeSteps } from './json/decode.js';
import { encodeJson } from './json/encode.js';
import { nodeOf } from './json/node.js';
import { decodeProtobuf } from './protobuf/decode.js';
import { encodeProtobuf } from './protobuf/encode.js';
import { readYaml } from './yaml/read.js';
import { encodeYaml } from './yaml/write.js';

/** Objects of every kind, generated from its schema with any of its fields and any scalars. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'x y', '<&>', 'yes', '1', '\n', 'a: b', '__proto__', 'constructor', '\u2028é😀\u0000"\\'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

const key = fc.oneof(
  fc.constantFrom('a', 'b.c/d', '__proto__', 'constructor', '1', '😀', '\uffff'),
  fc.string({ maxLength: 5 }),
);

const raw: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.dictionary(key, fc.oneof(text, fc.integer(), fc.constantFrom(true, null, 1.5)), {
    maxKeys: 3,
  }) as fc.Arbitrary<JsonValue>,
  fc.constantFrom<JsonValue>({ apiVersion: 'v1', kind: 'X', list: [{ x: null }, 9007199254740993n] }, {}),
);

const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });
const iso = (s: number): string => new Date(s * 1000).toISOString().slice(0, 19);

function scalar(schema: ScalarSchema): fc.Arbitrary<JsonValue> {
  switch (schema.type) {
    case 'string':
      return text;
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case 'int64':
      return fc.oneof(
        fc.maxSafeInteger(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc.constant(-(2n ** 63n)),
      );
    case 'float64':
      return fc.constantFrom(0, 1, 1.5, -0.1, 1e21, 1e-7);
    case 'bytes':
      return fc.uint8Array({ maxLength: 8 }).map((b) => Buffer.from(b).toString('base64'));
    case 'time':
      return seconds.map((s) => `${iso(s)}Z`);
    case 'microTime':
      return fc.tuple(seconds, fc.nat(999_999)).map(([s, us]) => `${iso(s)}.${String(us).padStart(6, '0')}Z`);
    case 'duration':
      return fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }).map(formatDuration);
    case 'quantity':
      return fc.constantFrom('0', '1', '100m', '1Gi', '1536Mi', '1e3', '1E3', '-5', '1500m', '100E');
    case 'intOrString':
      return fc.oneof(fc.integer({ min: 0, max: 65535 }), fc.constantFrom('http', '50%', ''));
  }
}

function anyValue(schema: Schema, depth: number): fc.Arbitrary<JsonValue> {
  switch (schema.kind) {
    case 'scalar':
      return scalar(schema);
    case 'any':
      if (schema.either === undefined) return raw;
      if (schema.either.or === 'bool') return fc.oneof(fc.boolean(), struct(schema.either.object, depth - 1));
      return fc.oneof(
        struct(schema.either.object, depth - 1),
        schema.either.or === 'list'
          ? fc.array(struct(schema.either.object, depth - 1), { minLength: 1, maxLength: 2 })
          : fc.array(text, { minLength: 1, maxLength: 2 }),
      );
    case 'list':
      return fc.array(anyValue(schema.items, depth - 1), { minLength: 1, maxLength: 2 });
    case 'map':
      return fc.dictionary(key, anyValue(schema.values, depth - 1), {
        minKeys: 1,
        maxKeys: 3,
      }) as fc.Arbitrary<JsonValue>;
    case 'struct':
      return struct(schema, depth);
  }
}

function struct(schema: StructSchema, depth: number): fc.Arbitrary<JsonObject> {
  const fields = schema.fields.filter((f) => f.name !== 'kind' && f.name !== 'apiVersion');
  const usable = depth > 0 ? fields : fields.filter((f) => f.schema.kind === 'scalar');
  return fc.subarray(usable, { maxLength: Math.min(6, usable.length) }).chain((chosen) => {
    const model = Object.fromEntries(chosen.map((f) => [f.name, anyValue(f.schema, depth - 1)]));
    return fc.record(model) as fc.Arbitrary<JsonObject>;
  });
}

/** Fields of Tables and similar kinds have no numbers, because those kinds have no protobuf form. */
function hasProtobuf(schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return true;
  seen.add(schema);
  switch (schema.kind) {
    case 'struct':
      return schema.fields.every(
        (f) => (f.proto > 0 || f.name === 'kind' || f.name === 'apiVersion') && hasProtobuf(f.schema, seen),
      );
    case 'list':
      return hasProtobuf(schema.items, seen);
    case 'map':
      return hasProtobuf(schema.values, seen);
    default:
      return true;
  }
}

const kinds: readonly KindSchema[] = allKinds().map((info) => kindSchema(info)!);
const object = fc.constantFrom(...kinds).chain((k) => fc.record({ kind: fc.constant(k), given: struct(k.schema, 7) }));

function normal(kind: KindSchema, value: JsonObject): JsonObject {
  const decoded = decodeValue(kind.schema, cloneJson(value));
  if (!decoded.ok) throw new Error(`${kind.info.type}: ${decoded.message}`);
  expect(decoded.strict.errors).toEqual([]);
  return decoded.object;
}

type Road = (kind: KindSchema, object: JsonObject) => JsonValue;

const roads: Readonly<Record<string, Road>> = {
  json: ({ schema }, o) => unwrap(decodeJson(schema, encodeJson(schema, o))),
  'json, exactly': ({ schema }, o) => unwrap(finish(nodeSteps(schema, nodeOf(o)))),
  yaml: ({ schema }, o) => {
    const read = readYaml(encodeYaml(o));
    return unwrap(read.ok ? decodeValue(schema, read.value) : read);
  },
  cbor: ({ schema }, o) => {
    const read = readCbor(encodeCbor(schema, o));
    return unwrap(read.ok ? decodeValue(schema, read.value) : read);
  },
  protobuf: ({ schema }, o) => (hasProtobuf(schema) ? unwrap(decodeProtobuf(schema, encodeProtobuf(schema, o))) : o),
};

function unwrap(decoded: ReturnType<typeof decodeJson>): JsonValue {
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.object;
}

describe('any object of any kind', () => {
  it('is equal after a round trip through every pair of encodings', () => {
    const names = Object.keys(roads);
    fc.assert(
      fc.property(object, fc.constantFrom(...names), fc.constantFrom(...names), ({ kind, given }, first, second) => {
        const before = normal(kind, given);
        const between = roads[first]!(kind, cloneJson(before)) as JsonObject;
        const after = roads[second]!(kind, cloneJson(between));
        if (!equalJson(after, before))
          expect({ first, second, type: kind.info.type, after }).toEqual({
            first,
            second,
            type: kind.info.type,
            after: before,
          });
      }),
      { numRuns: 400 },
    );
  });

  it('has the same encoding before and after normalisation', () => {
    fc.assert(
      fc.property(object, ({ kind, given }) => {
        expect(encodeJson(kind.schema, given).equals(encodeJson(kind.schema, normal(kind, given)))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('mutated bodies', () => {
  it('are decoded identically by both paths, or refused, and never crash', () => {
    const edit = fc.record({
      at: fc.nat(),
      insert: fc.constantFrom('null', '"x"', '1.5', '{}', '[]', '"a":1,', ',', '1e3', '"__proto__":{},', '\\ud800'),
      cut: fc.nat(3),
    });
    fc.assert(
      fc.property(object, fc.array(edit, { maxLength: 2 }), ({ kind, given }, edits) => {
        let body = encodeJson(kind.schema, given).toString();
        for (const { at, insert, cut } of edits) {
          const i = at % body.length;
          body = body.slice(0, i) + insert + body.slice(i + cut);
        }
        const decoded = decodeJson(kind.schema, Buffer.from(body));
        if (!decoded.ok) expect(decoded.message).not.toBe('');
        else {
          const held = decodeValue(kind.schema, cloneJson(decoded.object));
          expect(held.ok && equalJson(held.object, decoded.object)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});
