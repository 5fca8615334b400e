import { expect, it } from 'vitest';
import { SchemaMemory } from './schemamemory.js';

it('makes a value once, and again after it was dropped for more recently used ones', () => {
  const memory = new SchemaMemory(100);
  const made: string[] = [];
  const value = (name: string) => memory.value(30, () => made.push(name) && name);
  const [a, b, c, d] = [value('a'), value('b'), value('c'), value('d')];
  expect([a(), b(), a(), c(), a()]).toEqual(['a', 'b', 'a', 'c', 'a']);
  expect(made).toEqual(['a', 'b', 'c']);
  // The fourth is beyond the bound: the two that were not used for the longest time are dropped, down to three quarters.
  d();
  expect(memory.bytes).toBe(60);
  a();
  expect(made).toEqual(['a', 'b', 'c', 'd']);
  expect(b()).toBe('b');
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
});

it('keeps a value that is larger than the bound until another is made', () => {
  const memory = new SchemaMemory(10);
  const made: string[] = [];
  const large = memory.value(50, () => made.push('large'));
  large();
  large();
  expect(made).toEqual(['large']);
  memory.value(5, () => 0)();
  expect(memory.bytes).toBe(5);
});
