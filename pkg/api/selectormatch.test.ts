import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileFieldSelector, compileLabelSelector, fieldMatchSteps, type LabelRequirement } from './index.js';
import { matchesLabels } from './selectors.js';

const key = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__');
const value = fc.constantFrom('', 'x', 'y', 'z', '1', '2', '+3', '007', '9223372036854775807', '9223372036854775808');
const number = fc.constantFrom('1', '2', '+3', '-4', '9223372036854775807');
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 }).map((all) => all.sort());
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('in', 'notin'), values }),
  fc.record({ key, operator: fc.constantFrom('=', '==', '!='), values: value.map((v) => [v]) }),
  fc.record({ key, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: number.map((v) => [v]) }),
);
const labels = fc.array(fc.tuple(key, value), { maxLength: 4 }).map((all) => Object.fromEntries(all));

it('a compiled label selector matches like its requirements', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), labels, (selector, of) => {
      expect(compileLabelSelector(selector)(of)).toBe(matchesLabels(selector, of));
    }),
    { numRuns: 3_000 },
  );
});

it('a compiled field selector matches like its requirements', () => {
  const field = fc.constantFrom('a', 'b');
  const fields = fc.record({ a: value, b: value });
  const term = fc.record({ field, equal: fc.boolean(), value });
  fc.assert(
    fc.property(fc.array(term, { maxLength: 4 }), fields, (selector, of) => {
      const expected = selector.every((r) => (of[r.field as 'a' | 'b'] === r.value) === r.equal);
      expect(compileFieldSelector(selector, (o: typeof of, f) => o[f as 'a' | 'b'])(of)).toBe(expected);
    }),
    { numRuns: 1_000 },
  );
});

it('the cost of a match depends on the labels, not on the selector', () => {
  const many = Array.from(
    { length: 10_000 },
    (_, i): LabelRequirement => ({ key: `k${i}`, operator: '!', values: [] }),
  );
  let read = 0;
  const counted = new Proxy({ a: 'x' } as Record<string, string>, {
    getOwnPropertyDescriptor: (o, k) => {
      read++;
      return Reflect.getOwnPropertyDescriptor(o, k);
    },
  });
  expect(compileLabelSelector(many)(counted)).toBe(true);
  expect(read).toBeLessThan(5);
});

it('a large set of values matches like its requirement', () => {
  const values = Array.from({ length: 2_000 }, (_, i) => `v${i % 1_500}`).sort();
  const text = fc.oneof(
    fc.nat(3_000).map((i) => `v${i}`),
    fc.constantFrom('', 'v', 'w', 'v0v1', '\u{1f600}'),
  );
  const operator = fc.constantFrom('in', 'notin');
  fc.assert(
    fc.property(text, operator, fc.boolean(), (label, op, twice) => {
      const large: LabelRequirement = { key: 'a', operator: op, values };
      const small: LabelRequirement = { key: 'a', operator: op, values: ['v1', 'v7', 'x'] };
      const selector = twice ? [large, small] : [large];
      expect(compileLabelSelector(selector)({ a: label })).toBe(matchesLabels(selector, { a: label }));
    }),
    { numRuns: 1_000 },
  );
});

it('long field selectors are compiled in steps', () => {
  const selector = Array.from({ length: 6_000 }, (_, i) => ({ field: 'a', equal: false, value: `v${i}` }));
  const steps = fieldMatchSteps(selector, (o: { readonly a: string }) => o.a);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThan(11);
  const matches = step.value;
  expect(['v0', 'v5999', 'v6000'].map((a) => matches({ a }))).toEqual([false, false, true]);
});
