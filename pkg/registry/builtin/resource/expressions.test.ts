import { describe, expect, it } from 'vitest';
import { FieldErrors, FieldPath } from '../../../api/index.js';
import { checkExpression } from './expressions.js';

function problem(expression: string, of: 'selector' | 'derived attribute' = 'selector'): string | undefined {
  const errors = new FieldErrors();
  checkExpression(expression, of, FieldPath.of('e'), errors);
  return errors.list[0]?.message;
}

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
