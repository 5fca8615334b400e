import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../api/index.js';
import { PatchError } from './errors.js';
import { applyMergePatch, mergePatch } from './merge-patch.js';

/** RFC 7386, appendix A. */
const table: readonly [JsonValue, JsonValue, JsonValue][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('merge patch', () => {
  it.each(table)('RFC 7386: %j with %j', (target, patch, out) => {
    const before = cloneJson(target);
    expect(mergePatch(target, patch)).toEqual(out);
    expect(target).toEqual(before);
  });

  it('drops nulls inside a new list, keeps null items', () => {
    expect(mergePatch({}, { l: [{ a: null, b: 1 }, null] })).toEqual({ l: [{ b: 1 }, null] });
  });

  it('keeps __proto__ an ordinary member', () => {
    const out = mergePatch({ a: 1 }, JSON.parse('{"__proto__":{"x":1}}') as JsonObject);
    expect(JSON.stringify(out)).toBe('{"a":1,"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('of an API object must be an object', () => {
    expect(() => applyMergePatch({}, 'x', true)).toThrow(
      new PatchError(
        'badRequest',
        'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
      ),
    );
    expect(() => applyMergePatch({}, null, true)).toThrow('Invalid JSON Patch');
    expect(() => applyMergePatch({}, [], false)).toThrow('Invalid JSON Patch');
  });

  it('is stable when applied a second time', () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(json, json, (target, patch) => {
        // The first application may replace an object by a list and keep its nulls; the second has the final result.
        const settled = mergePatch(mergePatch(target, patch), patch);
        expect(mergePatch(settled, patch)).toEqual(settled);
      }),
      { numRuns: 300 },
    );
  });
});
