import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap, type OrderedView } from './orderedmap.js';

function listed<V>(view: OrderedView<V>, start = '', end?: string): [string, V][] {
  const out: [string, V][] = [];
  view.scan(start, end, (key, value) => out.push([key, value]) > 0);
  return out;
}

function listedReverse<V>(view: OrderedView<V>, start = '', end?: string): [string, V][] {
  const out: [string, V][] = [];
  view.scanReverse(start, end, (key, value) => out.push([key, value]) > 0);
  return out;
}

const key = fc.integer({ min: 0, max: 2000 }).map((n) => `/k/${n.toString(7)}`);

describe('ordered map', () => {
  it('behaves like a sorted Map, and its snapshots do not change', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), key, value: fc.nat() }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, value: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('snapshot' as const), key, value: fc.nat() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1500, size: 'max' }), key, key, (steps, start, end) => {
        const map = new OrderedMap<number>();
        const model = new Map<string, number>();
        const kept: { view: OrderedView<number>; was: [string, number][] }[] = [];
        const sorted = () => [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        for (const s of steps) {
          if (s.kind === 'set') {
            map.set(s.key, s.value);
            model.set(s.key, s.value);
          } else if (s.kind === 'delete') {
            expect(map.delete(s.key) !== undefined).toBe(model.delete(s.key));
          } else if (kept.length < 4) {
            kept.push({ view: map.snapshot(), was: sorted() });
          }
        }
        expect(map.size).toBe(model.size);
        expect(listed(map)).toEqual(sorted());
        const inside = sorted().filter(([k]) => k >= start && k < end);
        expect(listed(map, start, end)).toEqual(inside);
        expect(listedReverse(map, start, end)).toEqual(inside.reverse());
        for (const [k, v] of model) expect(map.get(k)).toBe(v);
        for (const { view, was } of kept) expect(listed(view)).toEqual(was);
      }),
      { numRuns: 40 },
    );
  });

  it('holds thousands of keys inserted in ascending and descending order, and after deletions', () => {
    for (const order of [1, -1]) {
      const map = new OrderedMap<number>();
      const keys = Array.from({ length: 5000 }, (_, i) => String(i).padStart(6, '0'));
      for (const [i, k] of (order === 1 ? keys : keys.toReversed()).entries()) map.set(k, i);
      expect(listed(map).map(([k]) => k)).toEqual(keys);
      for (const k of keys) if (Number(k) % 97 !== 0) expect(map.delete(k) !== undefined).toBe(true);
      expect(map.size).toBe(52);
      expect(listed(map).map(([k]) => Number(k) % 97)).toEqual(Array(52).fill(0));
      expect(map.get('000001')).toBeUndefined();
    }
  });

  it('stops a scan when the visitor returns false', () => {
    const map = new OrderedMap<number>();
    for (let i = 0; i < 300; i++) map.set(String(i).padStart(3, '0'), i);
    const seen: number[] = [];
    map.scan('100', undefined, (_, value) => seen.push(value) < 3);
    map.scanReverse('', '200', (_, value) => seen.push(value) < 6);
    expect(seen).toEqual([100, 101, 102, 199, 198, 197]);
  });
});
