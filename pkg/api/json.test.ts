import { describe, expect, it } from 'vitest';
import { asGiven, cloneJson, equalJson, givenFields, type JsonObject, rememberEmpty } from './json.js';

it('a copy shares no container with the original, whatever its keys are called', () => {
  const text = '{"__proto__":{"a":[{"b":1}]},"constructor":[[2],{}],"z":null,"1":true,"a":"x"}';
  const original = JSON.parse(text) as JsonObject;
  const copy = cloneJson(original);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  const containers = (v: unknown): unknown[] =>
    typeof v === 'object' && v !== null ? [v, ...Object.keys(v).flatMap((k) => containers((v as JsonObject)[k]))] : [];
  const own = new Set(containers(original));
  expect(containers(copy)).toHaveLength(7);
  expect(containers(copy).filter((c) => own.has(c))).toEqual([]);
});

describe('fields that were empty in the request', () => {
  const o: JsonObject = { name: 'a', held: null };
  rememberEmpty(o, { list: [], held: {}, name: [] });

  it('are distinguished from absent fields', () => {
    expect(asGiven(o, 'list')).toEqual([]);
    expect(asGiven(o, 'held')).toEqual({});
    expect(asGiven(o, 'other')).toBeUndefined();
    expect(asGiven(o, 'toString')).toBeUndefined();
    expect(givenFields(o)).toEqual(['name', 'list', 'held']);
  });

  it('are overridden by the value of the field', () => {
    expect(asGiven(o, 'name')).toBe('a');
  });

  it('are kept in copies, and nowhere else', () => {
    const copy = cloneJson({ inside: [o] });
    const inner = (copy['inside'] as JsonObject[])[0]!;
    expect(inner).not.toBe(o);
    expect(asGiven(inner, 'list')).toEqual([]);
    expect(JSON.stringify(inner)).toBe('{"name":"a","held":null}');
    expect(equalJson(inner, { name: 'a', held: null })).toBe(true);
    expect(asGiven({ ...o }, 'list')).toEqual([]);
  });
});
