import { describe, expect, it } from 'vitest';
import { selectorProblem } from './expressions.js';

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
      expect(selectorProblem(expression), expression).toBeUndefined();
  });

  it('must compile and return a bool', () => {
    expect(selectorProblem('device.driver')).toBe('must evaluate to bool or the unknown type, not string');
    expect(selectorProblem("device.nothing == 'x'")).toContain("undefined field 'nothing'");
    expect(selectorProblem('device.driver == 1')).toContain("found no matching overload for '_==_'");
    expect(selectorProblem('object.x')).toContain("undeclared reference to 'object'");
  });
});
