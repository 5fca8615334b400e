import { expect, it } from 'vitest';
import { shortened } from './logfields.js';

it('cuts long texts and keeps everything else', () => {
  const err = new Error('x');
  expect(shortened({ a: 'short', b: 'y'.repeat(2_000), err, n: 1 })).toEqual({
    a: 'short',
    b: 'y'.repeat(2_000),
    err,
    n: 1,
  });
  expect(shortened({ a: 'y'.repeat(5_000_000) })['a']).toBe(`${'y'.repeat(2_000)}... (4998000 more characters)`);
});
