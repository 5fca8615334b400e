import { expect, it } from 'vitest';
import { cloneJson, type JsonObject } from './json.js';

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
