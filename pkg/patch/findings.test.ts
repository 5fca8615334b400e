import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { finish } from '../base/index.js';
import { patchSteps } from './patch.js';

it('a patch reports the first hundred fields that its result has twice', () => {
  const value: JsonObject = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, '']));
  const repeated = new Map([[value, Object.keys(value)]]);
  const patch = ['a', 'b'].map((name) => ({ op: 'add', path: `/${name}`, value }));
  const input = { kind: 'json', current: {}, patch, schema: undefined, typed: true, repeated } as const;
  const { repeatedFields } = finish(patchSteps(input));
  expect(repeatedFields).toEqual(Array.from({ length: 100 }, (_, i) => `a.k${i}`));
});

it('a JSON patch reports its first hundred unknown members', () => {
  const operation: JsonObject = { op: 'remove', path: '/a' };
  for (let i = 0; i < 5_000; i++) operation[`x${i}`] = 1;
  const kind = 'json' as const;
  const input = { kind, current: { a: 1 }, patch: [operation], schema: undefined, typed: true };
  const { unknownFields } = finish(patchSteps(input));
  expect(unknownFields).toEqual(Array.from({ length: 100 }, (_, i) => `json patch unknown field "[0].x${i}"`));
});
