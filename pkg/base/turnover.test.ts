import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Bag, type Bagged } from './bag.js';
import { TurnoverMap } from './turnovermap.js';

it('a TurnoverMap has the entries of a Map, in the same order', () => {
  const step = fc.record({
    what: fc.constantFrom('set', 'set', 'delete', 'deleteMany'),
    key: fc.nat(40),
    times: fc.nat(300),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [map, model] = [new TurnoverMap<number, number>(), new Map<number, number>()];
      let fresh = 1_000;
      for (const { what, key, times } of steps) {
        if (what === 'set') {
          // Many keys that were never there before, between others that stay.
          for (let i = 0; i <= times; i++) {
            const added = i === 0 ? key : fresh++;
            map.set(added, i);
            model.set(added, i);
          }
        } else {
          const gone = what === 'delete' ? [key] : [...model.keys()].filter((k) => k >= 1_000).slice(0, times);
          for (const k of gone) expect(map.delete(k)).toBe(model.delete(k));
        }
        expect([map.size, [...map.values()]]).toEqual([model.size, [...model.values()]]);
        for (const k of [key, fresh - 1]) expect([map.get(k), map.has(k)]).toEqual([model.get(k), model.has(k)]);
      }
    }),
    { numRuns: 100 },
  );
});

it('a Bag has the elements of a Set, in any order', () => {
  const step = fc.record({ adds: fc.boolean(), index: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const elements = Array.from({ length: 21 }, (): Bagged => ({ place: -1 }));
      const [bag, model] = [new Bag<Bagged>(), new Set<Bagged>()];
      for (const { adds, index } of steps) {
        const element = elements[index]!;
        if (adds) {
          bag.add(element);
          model.add(element);
        } else {
          bag.delete(element);
          model.delete(element);
        }
        expect(bag.size).toBe(model.size);
        expect(new Set(bag)).toEqual(model);
      }
    }),
  );
});
