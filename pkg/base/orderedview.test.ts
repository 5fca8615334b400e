import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap, type OrderedView } from './orderedmap.js';

interface Item {
  readonly key: string;
  readonly n: number;
}

const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${String(n).padStart(3, '0')}`);
const op = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('snapshot' as const), key }) },
);

function content(t: OrderedView<Item>): [string, number][] {
  return [...t.range('', '~')].map((i) => [i.key, i.n]);
}

describe('the ordered map of the cache', () => {
  it('is an ordered map whose snapshots never change', () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 200, maxLength: 1500 }), (ops) => {
        const map = new OrderedMap<Item>();
        const model = new Map<string, number>();
        const kept: { readonly snapshot: OrderedView<Item>; readonly state: [string, number][] }[] = [];
        ops.forEach((o, n) => {
          if (o.kind === 'set') {
            expect(map.set(o.key, { key: o.key, n })?.n).toBe(model.get(o.key));
            model.set(o.key, n);
          } else if (o.kind === 'delete') {
            expect(map.delete(o.key)?.n).toBe(model.get(o.key));
            model.delete(o.key);
          } else kept.push({ snapshot: map.snapshot(), state: [...model].sort() });
        });
        expect(content(map)).toEqual([...model].sort());
        expect(map.size).toBe(model.size);
        for (const { snapshot, state } of kept) {
          expect(content(snapshot)).toEqual(state);
          expect(snapshot.count('k1', 'k3')).toBe(state.filter(([k]) => k >= 'k1' && k < 'k3').length);
          const some: Item[] = [];
          snapshot.collect('k150', '~', 7, some);
          expect(some.map((i) => i.key)).toEqual(
            state
              .filter(([k]) => k >= 'k150')
              .slice(0, 7)
              .map(([k]) => k),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  it('holds many keys that are added in order, and none when all are removed', () => {
    const map = new OrderedMap<Item>();
    for (let n = 0; n < 20_000; n++) {
      const key = String(n).padStart(6, '0');
      map.set(key, { key, n });
    }
    expect(map.size).toBe(20_000);
    expect(map.get('012345')?.n).toBe(12_345);
    const frozen = map.snapshot();
    for (let n = 0; n < 20_000; n++) map.delete(String(n).padStart(6, '0'));
    expect(map.size).toBe(0);
    expect(content(map)).toEqual([]);
    expect(frozen.count('005000', '006000')).toBe(1000);
  });
});
