import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FieldErrors, FieldPath } from '../../../api/index.js';
import type { WriteContext } from '../../resource.js';
import { deviceClass } from './deviceclass.js';
import { checkExpression } from './expressions.js';

function problem(expression: string, of: 'selector' | 'derived attribute' = 'selector'): string | undefined {
  const errors = new FieldErrors();
  checkExpression(expression, of, { lists: true, sharing: true }, FieldPath.of('e'), errors);
  return errors.list[0]?.message;
}

type Recorded = Readonly<Record<string, Readonly<Record<string, { readonly error?: string; readonly cost?: string }>>>>;
const recorded: Recorded = JSON.parse(
  readFileSync(new URL('../../../../test/conformance/devices/expressions.json', import.meta.url), 'utf8'),
);

describe('expressions that Kubernetes 1.37.2 was asked about', () => {
  it.each(Object.keys(recorded))('%s: the same errors and costs', (kind) => {
    const of = kind === 'derived attribute' ? kind : 'selector';
    const on = kind !== 'selector without lists';
    const answers = Object.keys(recorded[kind]!).map((expression) => {
      const errors = new FieldErrors();
      const cost = checkExpression(expression, of, { lists: on, sharing: on }, FieldPath.of('e'), errors);
      const invalid = errors.list.find((e) => e.message.startsWith('Invalid value'));
      const error = invalid?.message.replace(`Invalid value: ${JSON.stringify(expression)}: `, '');
      return [expression, error === undefined ? { cost: String(cost) } : { error }];
    });
    expect(Object.fromEntries(answers)).toEqual(recorded[kind]);
  });
});

describe('the expression of a device selector', () => {
  it('may read the driver, attributes and capacities of the device', () => {
    for (const expression of [
      "device.driver == 'gpu.example.com'",
      "device.attributes['gpu.example.com'].model == 'a100'",
      "device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('10Gi'))",
      "cel.bind(a, device.attributes['gpu.example.com'], a.x == a.y)",
      "device.attributes['gpu.example.com'].families.includes('x')",
      'device.attributes["gpu.example.com"].flag',
    ])
      expect(problem(expression), expression).toBeUndefined();
  });

  it('must compile and return a bool', () => {
    expect(problem('device.driver')).toContain('must evaluate to bool or the unknown type, not string');
    expect(problem("device.nothing == 'x'")).toContain("undefined field 'nothing'");
    expect(problem('device.driver == 1')).toContain("found no matching overload for '_==_'");
    expect(problem('object.x')).toContain("undeclared reference to 'object'");
  });

  it('must not cost too much', () => {
    const walk = "device.attributes.all(d, device.attributes[d].all(n, device.attributes[d][n] != 'x'))";
    expect(problem(walk)).toBeUndefined();
    expect(
      problem(
        'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a + b == c + d))))',
      ),
    ).toBe('Forbidden: too complex, exceeds cost limit');
  });
});

describe('the expression of a derived attribute', () => {
  it('returns an attribute, or a list of attributes', () => {
    expect(problem("device.driver + 'x'", 'derived attribute')).toBeUndefined();
    expect(problem("[semver('1.2.3')]", 'derived attribute')).toBeUndefined();
    expect(problem('1.5', 'derived attribute')).toContain('must evaluate to a primitive scalar');
  });
});

describe('the selectors of a device class', () => {
  const device = (expression: string, label = 'a') => ({
    metadata: { name: 'c', labels: { label } },
    spec: { selectors: [{ cel: { expression } }] },
  });
  const context = { featureEnabled: () => false } as unknown as WriteContext;
  const { create, update } = deviceClass.strategy;
  const shown = (errors: FieldErrors) => errors.list.map((e) => e.field);

  it('may not use functions of disabled features', () => {
    const errors = new FieldErrors();
    create!.validate!(device("device.attributes['x'].y.includes('z')"), errors, context);
    expect(shown(errors)).toEqual(['spec.selectors[0].cel.expression']);
  });

  it('stay valid in updates that do not change them', () => {
    const old = device("device.attributes['x'].y.includes('z')");
    const errors = new FieldErrors();
    update!.validate!({ ...old, metadata: { name: 'c', labels: { label: 'b' } } }, old, errors, context);
    expect(shown(errors)).toEqual([]);
    update!.validate!(device("device.attributes['x'].y.includes('other')"), old, errors, context);
    expect(shown(errors)).toEqual(['spec.selectors[0].cel.expression']);
  });
});
