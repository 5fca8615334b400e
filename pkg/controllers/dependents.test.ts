import { expect, it } from 'vitest';
import type { Collected } from './collected.js';
import { Dependents } from './dependents.js';
import type { OwnerReference } from './meta.js';

const owner = (uid: string, blockOwnerDeletion = false): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion,
});

/** An object whose key and uid are the same. */
function add(to: Dependents, key: string, owners: readonly OwnerReference[], waiting = false): void {
  to.set(key, { object: { namespace: '', name: key } as Collected, uid: key, owners, waiting });
}

it('are found by their owners until they change or are deleted', () => {
  const all = new Dependents();
  add(all, 'a', [owner('x'), owner('y')]);
  add(all, 'b', [owner('y')]);
  expect([[...all.of('x')], [...all.of('y')], [...all.of('z')]]).toEqual([['a'], ['a', 'b'], []]);
  add(all, 'a', [owner('z')]);
  expect([[...all.of('x')], [...all.of('y')], [...all.of('z')]]).toEqual([[], ['b'], ['a']]);
  expect(all.referring((r) => r.name === 'z')).toEqual(['a']);
  add(all, 'a', []);
  expect([all.get('a'), all.of('z').size]).toEqual([undefined, 0]);
  all.delete('b');
  expect(all.of('y').size).toBe(0);
});

it('are forgotten with their resource', () => {
  const all = new Dependents();
  for (const key of ['/registry/a/1', '/registry/a/2', '/registry/b/1']) add(all, key, [owner('x')]);
  all.deleteAll('/registry/a/');
  expect([...all.of('x')]).toEqual(['/registry/b/1']);
});

it('block the owners that they name as blocked', () => {
  const all = new Dependents();
  add(all, 'a', [owner('x', true), owner('y')]);
  expect(['x', 'y', 'z'].map((uid) => all.blocks('a', uid))).toEqual([true, false, false]);
  expect(all.blocks('unknown', 'x')).toBe(false);
});

it('wait for each other through all that block, also in a cycle', () => {
  const all = new Dependents();
  // `a` waits for its dependent `b`, which waits for `c`, which waits for `a` and `b`.
  add(all, 'b', [owner('a', true), owner('c', true)], true);
  add(all, 'c', [owner('b', true)], true);
  add(all, 'a', [owner('c', true)], true);
  expect(all.waitsFor('a', 'c')).toBe(true);
  expect(all.waitsFor('c', 'a')).toBe(true);
  expect(all.waitsFor('a', 'elsewhere')).toBe(false);
  // One that is not being deleted waits for nothing.
  add(all, 'b', [owner('a', true)]);
  expect(all.waitsFor('a', 'c')).toBe(false);
});
