import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Snapshot, Tree } from './tree.js';

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

function content(t: Tree<Item> | Snapshot<Item>): [string, number][] {
  return [...t.range('', '~')].map((i) => [i.key, i.n]);
}

describe('tree', () => {
  it('is an ordered map whose snapshots never change', () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 200, maxLength: 1500 }), (ops) => {
        const tree = new Tree<Item>();
        const model = new Map<string, number>();
        const kept: { readonly snapshot: Snapshot<Item>; readonly state: [string, number][] }[] = [];
        ops.forEach((o, n) => {
          if (o.kind === 'set') {
            expect(tree.set({ key: o.key, n })?.n).toBe(model.get(o.key));
            model.set(o.key, n);
          } else if (o.kind === 'delete') {
            expect(tree.delete(o.key)?.n).toBe(model.get(o.key));
            model.delete(o.key);
          } else kept.push({ snapshot: tree.snapshot(), state: [...model].sort() });
        });
        expect(content(tree)).toEqual([...model].sort());
        expect(tree.size).toBe(model.size);
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

  it('stays balanced when keys are added in order and all removed', () => {
    const tree = new Tree<Item>();
    for (let n = 0; n < 20_000; n++) tree.set({ key: String(n).padStart(6, '0'), n });
    expect(tree.size).toBe(20_000);
    expect(tree.get('012345')?.n).toBe(12_345);
    const frozen = tree.snapshot();
    for (let n = 0; n < 20_000; n++) tree.delete(String(n).padStart(6, '0'));
    expect(tree.size).toBe(0);
    expect(content(tree)).toEqual([]);
    expect(frozen.count('005000', '006000')).toBe(1000);
  });
});
