import { describe, expect, it } from 'vitest';
import { FieldErrors, FieldPath, type JsonObject } from '../../../api/index.js';
import { finish } from '../../../base/index.js';
import { COMPATIBLE, type Pace } from '../../../cel/index.js';
import { compileStructuralSchema } from '../../../schema/index.js';
import { RuleCosts } from './costs.js';
import { checkDeclaredRules, checkRuleTexts } from './declared.js';
import { checkRules, compileRules } from './rules.js';

/** A budget that never interrupts. */
const UNHURRIED: Pace = { spent: () => false, yield: () => Promise.resolve() };

const rule = (text: string, more: JsonObject = {}): JsonObject => ({ rule: text, ...more });

function check(spec: JsonObject, value: JsonObject, old?: JsonObject): readonly string[] {
  const schema = { type: 'object', properties: { spec } };
  const errors = new FieldErrors();
  const compiled = compileStructuralSchema(schema, 'example.com/v1.Widget');
  const change = { object: { spec: value }, old: old === undefined ? undefined : { spec: old }, schema: compiled };
  checkRules(finish(compileRules(schema))!, change, { errors, warn: () => {} }, UNHURRIED);
  return errors.list.map((e) => `${e.field}: ${e.message}`);
}

const integers = (...rules: JsonObject[]): JsonObject => ({
  type: 'object',
  properties: { n: { type: 'integer', 'x-kubernetes-validations': rules } },
});

describe('rules of a schema', () => {
  it('are evaluated with the types of the schema', () => {
    expect(check(integers(rule('self < 5')), { n: 4 })).toEqual([]);
    expect(check(integers(rule('self < 5')), { n: 5 })).toEqual(['spec.n: Invalid value: 5: failed rule: self < 5']);
    const time = {
      type: 'object',
      properties: {
        t: { type: 'string', format: 'date-time', 'x-kubernetes-validations': [rule('self.getFullYear() == 2024')] },
      },
    };
    expect(check(time, { t: '2024-02-01T00:00:00Z' })).toEqual([]);
    expect(check(time, { t: [] })).toEqual([
      'spec.t: Invalid value: "string": invalid data, expected string, got []interface {} evaluating rule: self.getFullYear() == 2024',
    ]);
  });

  it('refer to properties by escaped names', () => {
    const schema = {
      type: 'object',
      properties: { 'a-b': { type: 'integer' }, in: { type: 'integer' } },
      'x-kubernetes-validations': [rule('self.a__dash__b == self.__in__')],
    };
    expect(check(schema, { 'a-b': 1, in: 1 })).toEqual([]);
    const reserved = {
      type: 'object',
      properties: { namespace: { type: 'string' } },
      'x-kubernetes-validations': [rule("self.namespace == 'a' && has(self.__namespace__)")],
    };
    expect(check(reserved, { namespace: 'a' })).toEqual([]);
    expect(check(schema, { 'a-b': 1, in: 2 })).toEqual([
      'spec: Invalid value: failed rule: self.a__dash__b == self.__in__',
    ]);
  });

  it('of the object itself report errors at no path', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      'x-kubernetes-validations': [
        rule('self.n < 5', { message: 'large' }),
        rule('self.n < 5', { reason: 'FieldValueForbidden', fieldPath: '.n' }),
        rule('self.m == 1'),
      ],
    };
    const errors = new FieldErrors();
    const change = {
      object: { n: 7 },
      old: undefined,
      schema: compileStructuralSchema(schema, 'example.com/v1.Widget'),
    };
    checkRules(finish(compileRules(schema))!, change, { errors, warn: () => {} }, UNHURRIED);
    expect(errors.list.map((e) => `${e.field}: ${e.message}`)).toEqual([
      '<nil>: Invalid value: large',
      'n: Forbidden: failed rule: self.n < 5',
      expect.stringMatching(/^<nil>: Invalid value: .*rule compile error/),
    ]);
  });

  it('report an error of evaluation', () => {
    expect(check(integers(rule('10 / self > 0')), { n: 0 })).toEqual([
      'spec.n: Invalid value: "integer": division by zero evaluating rule: 10 / self > 0',
    ]);
    expect(check(integers(rule('10 / self > 0', { message: ' small ' })), { n: 0 })).toEqual([
      'spec.n: Invalid value: "integer": division by zero evaluating rule: small',
    ]);
  });

  it('use oldSelf only on updates', () => {
    const grows = integers(rule('self >= oldSelf', { message: 'grows' }));
    expect(check(grows, { n: 1 })).toEqual([]);
    expect(check(grows, { n: 1 }, { n: 2 })).toEqual(['spec.n: Invalid value: 1: grows']);
    expect(check(grows, { n: 1 }, {})).toEqual([]);
    const starts = integers(rule('oldSelf.hasValue() || self == 1', { optionalOldSelf: true, message: 'starts at 1' }));
    expect(check(starts, { n: 2 })).toEqual(['spec.n: Invalid value: 2: starts at 1']);
    expect(check(starts, { n: 2 }, { n: 1 })).toEqual([]);
  });

  it('match the items of a keyed list by their keys', () => {
    const item = {
      type: 'object',
      properties: { k: { type: 'string' }, v: { type: 'integer' } },
      'x-kubernetes-validations': [rule('self.v >= oldSelf.v', { message: 'v grows' })],
    };
    const schema = {
      type: 'object',
      properties: {
        l: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      },
    };
    expect(
      check(
        schema,
        {
          l: [
            { k: 'b', v: 1 },
            { k: 'a', v: 4 },
          ],
        },
        { l: [{ k: 'a', v: 5 }] },
      ),
    ).toEqual(['spec.l[1]: Invalid value: v grows']);
  });

  it('ignore unchanged values that were invalid before', () => {
    const schema = {
      ...integers(rule('self < 5')),
      properties: { ...(integers(rule('self < 5'))['properties'] as JsonObject), m: { type: 'integer' } },
    };
    expect(check(schema, { n: 9, m: 2 }, { n: 9, m: 1 })).toEqual([]);
    expect(check(schema, { n: 8, m: 2 }, { n: 9, m: 1 })).toHaveLength(1);
  });

  it('give a warning for an unchanged value that is invalid', () => {
    const warnings: string[] = [];
    const definition = { type: 'object', properties: { spec: integers(rule('self < 5')) } };
    const root = finish(compileRules(definition))!;
    const schema = compileStructuralSchema(definition, 'example.com/v1.Widget');
    const change = { object: { spec: { n: 9 } }, old: { spec: { n: 9 } }, schema };
    checkRules(root, change, { errors: new FieldErrors(), warn: (m) => void warnings.push(m) }, UNHURRIED);
    expect(warnings).toEqual(['spec.n: Invalid value: 9: failed rule: self < 5']);
  });

  it('compare sets without order', () => {
    const schema = {
      type: 'object',
      properties: {
        s: {
          type: 'array',
          items: { type: 'string' },
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-validations': [rule("self == ['b', 'a']")],
        },
      },
    };
    expect(check(schema, { s: ['a', 'b'] })).toEqual([]);
    expect(check(schema, { s: ['a'] })).toHaveLength(1);
  });

  it('stop when the budget of the request is exhausted', () => {
    const loop = 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))';
    const schema = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [
          `l${i}`,
          { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [rule(loop)] },
        ]),
      ),
    };
    const value = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`l${i}`, Array.from({ length: 45 }, (_, n) => n)]),
    );
    const found = check(schema, value);
    expect(found.at(-1)).toContain('running out of cost budget');
    expect(found.length).toBeLessThan(30);
  });
});

describe('rules in a definition', () => {
  const declared = (schema: JsonObject): readonly string[] => {
    const errors = new FieldErrors();
    const path = FieldPath.of('s');
    const place = {
      path,
      isRoot: false,
      uncorrelatable: undefined,
      minorOfRule: () => COMPATIBLE,
      minorOfMessage: () => COMPATIBLE,
      cardinality: 1n,
    };
    checkRuleTexts(schema, path, errors);
    if (errors.list.length === 0) checkDeclaredRules(schema, { ...place, costs: new RuleCosts(false) }, errors);
    return errors.list.map((e) => `${e.field}: ${e.message}`);
  };
  const text = (...rules: JsonObject[]): JsonObject => ({ type: 'string', 'x-kubernetes-validations': rules });

  it('must compile to a bool', () => {
    expect(declared(text(rule("self == 'a'")))).toEqual([]);
    expect(declared(text(rule('self > 1')))[0]).toContain(
      "found no matching overload for '_>_' applied to '(string, int)'",
    );
    expect(declared(text(rule('self')))[0]).toContain('cel expression must evaluate to a bool');
    expect(declared(text(rule('')))).toEqual([
      's.x-kubernetes-validations[0].rule: Required value: rule is not specified',
    ]);
  });

  it('may have a message expression that yields a string', () => {
    expect(declared(text(rule('true', { messageExpression: "'x ' + self" })))).toEqual([]);
    expect(declared(text(rule('true', { messageExpression: '1' })))[0]).toContain(
      'messageExpression must evaluate to a string',
    );
  });

  it('validate the reason and optionalOldSelf', () => {
    expect(declared(text(rule('true', { reason: 'Bad' })))[0]).toContain('Unsupported value: "Bad"');
    expect(declared(text(rule('true', { optionalOldSelf: true })))[0]).toContain(
      'may not be set if oldSelf is not used in rule',
    );
  });
});

const LONG = Array.from({ length: 5_000 }, () => 'self < 5').join(' && ');

it('a long rule is checked in steps, with the error where it stands', () => {
  const errors = new FieldErrors();
  const costs = new RuleCosts(false);
  const place = {
    path: FieldPath.of('s'),
    isRoot: false,
    uncorrelatable: undefined,
    minorOfRule: () => COMPATIBLE,
    minorOfMessage: () => COMPATIBLE,
    cardinality: 1n,
    costs,
  };
  const declared = { type: 'string', 'x-kubernetes-validations': [rule(LONG), rule('self > 1')] };
  checkDeclaredRules(declared, place, errors);
  let steps = 0;
  for (; errors.pending; steps++) errors.step();
  expect(steps).toBeGreaterThan(20);
  expect(errors.list.map((e) => e.field)).toEqual([0, 1].map((i) => `s.x-kubernetes-validations[${i}].rule`));
});

it('a long rule is compiled in steps', () => {
  const steps = compileRules({ type: 'object', properties: { spec: integers(rule(LONG)) } });
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThan(50);
  expect(step.value?.properties.get('spec')?.properties.get('n')?.rules).toHaveLength(1);
});

describe('a definition', () => {
  it.each<readonly [string, JsonObject]>([
    ['any value', { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a list of any values', { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } }],
  ])('has no rules for %s', (_, schema) => {
    const errors = new FieldErrors();
    const rules = { 'x-kubernetes-validations': [rule('self == 1'), rule('true')] };
    const place = {
      isRoot: false,
      uncorrelatable: undefined,
      minorOfRule: () => COMPATIBLE,
      minorOfMessage: () => COMPATIBLE,
      cardinality: 1n,
      costs: new RuleCosts(false),
    };
    checkDeclaredRules({ ...schema, ...rules }, { ...place, path: FieldPath.of('s') }, errors);
    expect(errors.list.map((e) => `${e.field}: ${e.message}`)).toEqual([
      's.x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
    ]);
  });
});

it('a path of a rule may have quotes in keys', () => {
  const schema = {
    type: 'object',
    properties: { m: { type: 'object', additionalProperties: { type: 'string' } } },
    'x-kubernetes-validations': [rule('false', { fieldPath: ".m['it\\'s']" })],
  };
  expect(check(schema, {})).toEqual(["spec.m[it's]: Invalid value: failed rule: false"]);
});
