import { describe, expect, it } from 'vitest';
import { recordedText } from '../../../test/golden/recordings.mjs';
import { cloneJson, isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import { applySchemaDefaults } from '../defaults.js';
import { prune } from '../prune.js';
import type { StructSchema } from '../types.js';
import { compileStructuralSchema } from './compile.js';
import { dropNulls } from './nulls.js';
import { validateStructure } from './validate.js';

function schemaOf(spec: JsonObject, more: JsonObject = {}): StructSchema {
  return compileStructuralSchema({ type: 'object', properties: { spec }, ...more }, 'example.com/v1.Widget');
}

function check(spec: JsonValue, schema: StructSchema, old?: JsonValue): string[] {
  const object: JsonObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec };
  const before = old === undefined ? undefined : { ...object, spec: old };
  return validateStructure(object, schema, before).list.map((e) => `${e.field}: ${e.message}`);
}

describe('compileStructuralSchema', () => {
  it('compiles to the same form as built-in types', () => {
    const schema = schemaOf({
      type: 'object',
      required: ['l'],
      properties: {
        l: {
          type: 'array',
          items: { type: 'object', properties: { k: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
        m: { type: 'object', additionalProperties: { type: 'integer' } },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        loose: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
      },
    });
    expect(schema.fields.map((f) => f.name)).toEqual(['kind', 'apiVersion', 'metadata', 'spec']);
    const spec = schema.byName.get('spec')?.schema as StructSchema;
    expect(spec.byName.get('l')).toMatchObject({ required: true, schema: { listType: 'map', keys: ['k'] } });
    expect(spec.byName.get('m')?.schema).toMatchObject({ kind: 'map', values: { type: 'int64' } });
    expect(spec.byName.get('any')?.schema).toMatchObject({ kind: 'any', form: 'json' });
    expect(spec.byName.get('loose')?.schema).toMatchObject({ kind: 'struct', preserveUnknown: true });
    expect((spec.byName.get('embedded')!.schema as StructSchema).byName.get('metadata')?.schema.kind).toBe('struct');
  });

  it('supports pruning and defaults', () => {
    const schema = schemaOf({
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x' },
        e: { type: 'string', default: 'x' },
        o: { type: 'object', properties: { n: { type: 'integer', default: 3 } } },
        n: { type: 'string', nullable: true, default: 'x' },
      },
    });
    const object: JsonObject = {
      metadata: { name: 'a' },
      spec: { a: null, e: '', o: { z: 1 }, n: null, q: 1 },
      top: 1,
    };
    expect(prune(object, schema)).toEqual(['spec.o.z', 'spec.q', 'top']);
    dropNulls(object, schema);
    applySchemaDefaults(object, schema);
    expect(object['spec']).toEqual({ a: 'x', e: '', o: { n: 3 }, n: null });
  });
});

describe('validateStructure', () => {
  it('validates the branches of combinations', () => {
    const schema = schemaOf({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      not: { properties: { a: { enum: ['never'] } }, required: ['a'] },
    });
    expect(check({ a: 'x' }, schema)).toEqual([]);
    expect(check({}, schema)).toEqual([
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec.a: Required value',
    ]);
    expect(check({ a: 'never' }, schema)).toEqual([
      '<nil>: Invalid value: "": "spec" must not validate the schema (not)',
    ]);
  });

  it('reports the errors of the branch that checked the most', () => {
    const schema = schemaOf({
      type: 'object',
      properties: { type: { type: 'string' }, value: { type: 'string' } },
      oneOf: [
        {
          properties: {
            type: { enum: ['IP'] },
            value: { anyOf: [{ maxLength: 1 }, { pattern: '^[0-9.]*$' }] },
          },
        },
        { properties: { type: { not: { enum: ['IP'] } } } },
      ],
    });
    expect(check({ type: 'IP', value: 'abc' }, schema)).toContain(
      '<nil>: Invalid value: "": "spec.value" must validate at least one schema (anyOf)',
    );
  });

  describe('checks the type in the branches of combinations', () => {
    const ANY = '<nil>: Invalid value: "": "spec.a" must validate at least one schema (anyOf)';
    const INTEGER_OR_STRING = {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    };
    const ADDRESS = { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] };
    const wrong = (type: string, given: string): string =>
      `spec.a: Invalid value: "${given}": spec.a in body must be of type ${type}: "${given}"`;
    it.each<[JsonObject, JsonValue, string[]]>([
      [INTEGER_OR_STRING, 1, []],
      [INTEGER_OR_STRING, 'x', []],
      [INTEGER_OR_STRING, true, [wrong('integer,string', 'boolean'), ANY, wrong('integer', 'boolean')]],
      [
        INTEGER_OR_STRING,
        1.5,
        [
          wrong('integer,string', 'number'),
          ANY,
          wrong('integer', 'number'),
          '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.a',
        ],
      ],
      [ADDRESS, '1.2.3.4', []],
      [ADDRESS, 7, [wrong('string', 'integer'), ANY, wrong('ipv4', 'int64')]],
      [ADDRESS, {}, [wrong('string', 'object'), ANY, wrong('ipv4', '')]],
      [ADDRESS, [], [wrong('string', 'array')]],
      [{ type: 'string', not: { format: 'ipv4' } }, 7, [wrong('string', 'integer')]],
      [{ 'x-kubernetes-preserve-unknown-fields': true, format: 'ipv4' }, 7, [wrong('ipv4', 'int64')]],
      [{ 'x-kubernetes-preserve-unknown-fields': true, format: 'ipv4' }, [], []],
    ])('%j with %j', (a, value, expected) => {
      expect(check({ a: value }, schemaOf({ type: 'object', properties: { a } }))).toEqual(expected);
    });
  });

  it('checks no combinations for null', () => {
    const item = { type: 'object', properties: { k: { type: 'string' } }, oneOf: [{ required: ['k'] }] };
    const schema = schemaOf({ type: 'object', properties: { l: { type: 'array', items: item } } });
    expect(check({ l: [null] }, schema)).toEqual([
      'spec.l[0]: Invalid value: "null": spec.l[0] in body must be of type object: "null"',
    ]);
  });

  it.each<[JsonObject, JsonValue, string[]]>([
    [{ type: 'number', format: 'int32' }, 99999999999, []],
    [{ 'x-kubernetes-int-or-string': true, format: 'int32' }, 99999999999, []],
    [{ type: 'boolean', format: 'ipv4' }, 'x', ['must be of type boolean: "string"']],
    [{ type: 'integer', format: 'double' }, true, ['must be of type integer: "boolean"']],
    [{ type: 'string', format: 'int32' }, true, ['must be of type string: "boolean"']],
  ])('ignores the format of another type: %j', (a, value, words) => {
    const found = check({ a: value }, schemaOf({ type: 'object', properties: { a } }));
    expect(found.map((e) => e.slice(e.indexOf('must')))).toEqual(words);
  });

  it('does not report unchanged values', () => {
    const schema = schemaOf({
      type: 'object',
      properties: {
        a: { type: 'string', maxLength: 2 },
        l: { type: 'array', items: { type: 'string', maxLength: 2 } },
        m: {
          type: 'array',
          items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string', maxLength: 2 } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      },
    });
    const old = { a: 'long', l: ['long'], m: [{ k: 'a', v: 'long' }] };
    expect(check({ ...old, b: 1 }, schema, old)).toEqual([]);
    expect(check({ a: 'longer', l: ['long', 'x'], m: [{ k: 'b', v: 'x' }, ...old.m] }, schema, old)).toEqual([
      'spec.a: Too long: may not be more than 2 bytes',
      'spec.l[0]: Too long: may not be more than 2 bytes',
    ]);
  });

  it('evaluates a pathological pattern in linear time', () => {
    const schema = schemaOf({ type: 'object', properties: { p: { type: 'string', pattern: '^(a+)+$' } } });
    expect(check({ p: `${'a'.repeat(50_000)}!` }, schema)).toHaveLength(1);
  });
});

describe('validateStructure against recorded answers', () => {
  const scenarios = (JSON.parse(recordedText('later/crd.json')) as Scenario[]).filter((s) => s.id.startsWith('val-'));
  it.each(scenarios.map((s) => [s.id, s] as const))('%s', (_, scenario) => {
    let schema: StructSchema | undefined;
    let judged = 0;
    for (const step of scenario.steps) {
      const body = bodyOf(step);
      if (body?.['kind'] === 'CustomResourceDefinition') {
        const version = ((body['spec'] as JsonObject)['versions'] as JsonObject[])[0]!;
        const declared = (version['schema'] as JsonObject)['openAPIV3Schema'] as JsonObject;
        schema = compileStructuralSchema(declared, 'example.com/v1.Widget');
      } else if (body?.['kind'] === 'Widget' && schema !== undefined && step.expect.status !== 400) {
        const object = cloneJson(body);
        prune(object, schema);
        dropNulls(object, schema);
        applySchemaDefaults(object, schema);
        const found = validateStructure(object, schema).list.map((e) => `${e.type} ${e.field} ${e.message}`);
        const details = isObject(step.expect.body) ? step.expect.body['details'] : undefined;
        const causes = (isObject(details) ? (details['causes'] as JsonObject[]) : []).map(
          (c) => `${c['reason']} ${c['field']} ${c['message']}`,
        );
        // The recording hides times and uids.
        const hidden = causes.some((c) => /<time>|<uid>/.test(c));
        if (hidden) expect(found.length, String(step.text ?? JSON.stringify(body['spec']))).toBe(causes.length);
        else expect(found.sort(), String(step.text ?? JSON.stringify(body['spec']))).toEqual(causes.sort());
        judged++;
      }
    }
    expect(judged).toBeGreaterThan(0);
  });
});

interface Scenario {
  readonly id: string;
  readonly steps: readonly Step[];
}

interface Step {
  readonly body?: JsonObject;
  readonly text?: string;
  readonly expect: { readonly status: number; readonly body?: JsonValue };
}

/** Parses numbers beyond the range of a double as bigint, as the strict reader does. */
function bodyOf(step: Step): JsonObject | undefined {
  if (step.text === undefined) return step.body;
  const big = /:(\d{16,})\b/.exec(step.text)?.[1];
  const parsed = JSON.parse(step.text) as JsonObject;
  const spec = parsed['spec'] as JsonObject;
  if (big !== undefined) for (const key of Object.keys(spec)) spec[key] = BigInt(big);
  return parsed;
}

describe('validation as in kube-apiserver', () => {
  const type = (properties: JsonObject, more: JsonObject = {}): StructSchema =>
    schemaOf({ type: 'object', properties, ...more });

  it('requires fields that the schema does not declare', () => {
    const schema = type({ b: { type: 'string' } }, { required: ['b', 'c'] });
    expect(check({ b: 'x' }, schema)).toEqual(['spec.c: Required value']);
    expect(check({}, schema)).toEqual(['spec.b: Required value', 'spec.c: Required value']);
  });

  it('names the formats of numbers', () => {
    const schema = type({
      i: { type: 'integer' },
      n: { type: 'integer', format: 'int64' },
      f: { type: 'number', format: 'float' },
    });
    const whole = (field: string, what: string) =>
      `<nil>: Invalid value: "": Checked value must be of type ${what} in spec.${field}`;
    expect(check({ i: 1.5 }, schema)).toEqual([
      'spec.i: Invalid value: "number": spec.i in body must be of type integer: "number"',
      whole('i', 'integer (default format)'),
    ]);
    // -9223372036854775809 as a double: as an integer it would be a bigint
    expect(check({ i: -(2 ** 63) }, schema)).toHaveLength(2);
    expect(check({ i: -(2n ** 63n) }, schema)).toEqual([]);
    expect(check({ n: 1e19 }, schema)).toEqual([
      'spec.n: Invalid value: "float64": spec.n in body must be of type int64: "float64"',
      whole('n', 'integer with format int64'),
    ]);
    expect(check({ n: true }, schema)).toEqual(['spec.n: Invalid value: "": spec.n in body must be of type int64: ""']);
    expect(check({ f: 1e39 }, schema)).toEqual([whole('f', 'number with format float')]);
  });

  it('lets an object that had duplicates keep them', () => {
    const schema = type({ s: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } });
    expect(check({ s: ['a', 'a', 'b'] }, schema, { s: ['a', 'a'] })).toEqual([]);
    expect(check({ s: ['a', 'a'] }, schema, { s: ['a'] })).toEqual(['spec.s[1]: Duplicate value: "a"']);
  });

  it('drops nulls of values of maps, and of fields of any type', () => {
    const schema = type({
      m: { type: 'object', additionalProperties: { type: 'string' } },
      n: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
      x: { 'x-kubernetes-preserve-unknown-fields': true },
    });
    const object = { spec: { m: { a: null, b: 'x' }, n: { a: null }, x: null } };
    dropNulls(object, schema);
    expect(object).toEqual({ spec: { m: { b: 'x' }, n: { a: null } } });
  });

  it('says when no schema of allOf is valid', () => {
    const schema = type({ s: { type: 'string', allOf: [{ minLength: 3 }, { pattern: '^x' }] } });
    expect(check({ s: 'y' }, schema).at(-1)).toContain(
      '"spec.s" must validate all the schemas (allOf). None validated',
    );
    expect(check({ s: 'xy' }, schema).at(-1)).toMatch(/\(allOf\)$/);
  });
});

describe('the validation of a large object', () => {
  const pattern = '^[a-z]+$';
  const schema = schemaOf({ type: 'array', items: { type: 'string', pattern } });
  const stepsOf = (spec: JsonValue): { readonly steps: number; readonly errors: readonly string[] } => {
    const errors = validateStructure({ spec }, schema);
    let steps = 0;
    for (; errors.pending; errors.step()) steps++;
    return { steps, errors: errors.list.map((e) => e.field) };
  };

  it('is done in steps, by the number of items', () => {
    const items = Array.from({ length: 5_000 }, (_, i) => (i % 1_000 === 999 ? '1' : 'a'));
    const { steps, errors } = stepsOf(items);
    expect(steps).toBeGreaterThanOrEqual(9);
    expect(errors).toEqual([999, 1999, 2999, 3999, 4999].map((i) => `spec[${i}]`));
  });

  it('is done in steps, by the cost of the pattern', () => {
    const items = Array.from({ length: 40 }, () => 'a'.repeat(400_000));
    const { steps, errors } = stepsOf([...items, '1']);
    expect(steps).toBeGreaterThanOrEqual(10);
    expect(errors).toEqual(['spec[40]']);
  });

  it('refuses texts that take too long', () => {
    expect(stepsOf(['a'.repeat(3_200_000), 'a'.repeat(3_600_000)]).errors).toEqual(['spec[1]']);
  });
});
