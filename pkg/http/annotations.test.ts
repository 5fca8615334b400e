import { expect, it } from 'vitest';
import { Annotations } from './annotations.js';

it('audit annotations are whole and of any number, and the first value of a key wins', () => {
  const annotations = new Annotations();
  const large = 'x'.repeat(1_500_000);
  annotations.add('example.com/large', large);
  annotations.add('example.com/large', 'other');
  for (let i = 0; i < 300; i++) annotations.add(`example.com/n${i}`, String(i));
  expect(annotations.values.get('example.com/large')).toBe(large);
  expect(annotations.values.size).toBe(301);
});

it('audit annotations beyond the bound are left out, and smaller ones after them are not', () => {
  const annotations = new Annotations();
  const large = 'x'.repeat(1_500_000);
  for (const name of ['a', 'b', 'c']) annotations.add(`example.com/${name}`, large);
  annotations.add('example.com/small', 'y');
  expect([...annotations.values.keys()]).toEqual([
    'example.com/a',
    'example.com/b',
    'audit.k8s.io/truncated',
    'example.com/small',
  ]);
  for (let i = 0; i < 100_000; i++) annotations.add(`example.com/${i}`, '');
  expect(annotations.values.size).toBeLessThan(2_000);
});
