import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Written } from './testing.js';

/** A simple model of the owners of the keys of a flat map. */
class Model {
  values = new Map<string, string>([['base', '0']]);
  owners = new Map<string, Set<string>>([['root*', new Set(['base'])]]);

  #lose(self: string, keys: Iterable<string>): void {
    for (const [name, owned] of this.owners) {
      if (name === self) continue;
      for (const k of keys) owned.delete(k);
      if (owned.size === 0) this.owners.delete(name);
    }
  }

  apply(manager: string, config: Readonly<Record<string, string>>, force: boolean): string[] | 'ok' {
    const changed = Object.keys(config).filter((k) => this.values.get(k) !== config[k]);
    const conflicts = [...this.owners].flatMap(([name, owned]) =>
      name === manager ? [] : changed.filter((k) => owned.has(k)).map((k) => `${name} ${k}`),
    );
    if (conflicts.length > 0 && !force) return conflicts.sort();
    const last = this.owners.get(manager) ?? new Set();
    this.#lose(manager, changed);
    for (const k of changed) this.values.set(k, config[k]!);
    this.owners.delete(manager);
    const gone = [...last].filter((k) => !(k in config) && ![...this.owners.values()].some((o) => o.has(k)));
    for (const k of gone) this.values.delete(k);
    if (Object.keys(config).length > 0) this.owners.set(manager, new Set(Object.keys(config)));
    return 'ok';
  }

  update(manager: string, values: Readonly<Record<string, string>>): void {
    const next = new Map(Object.entries(values));
    const changed = [...next.keys()].filter((k) => next.get(k) !== this.values.get(k));
    const removed = [...this.values.keys()].filter((k) => !next.has(k));
    this.#lose('', [...changed, ...removed]);
    this.values = next;
    if (changed.length > 0) this.owners.set(manager, new Set([...(this.owners.get(manager) ?? []), ...changed]));
  }
}

interface Op {
  readonly manager: string;
  readonly kind: 'apply' | 'force' | 'update';
  readonly values: Readonly<Record<string, string>>;
}

const values = fc.dictionary(fc.constantFrom('k', 'l', 'm', 'n'), fc.constantFrom('1', '2'), { maxKeys: 4 });
const op: fc.Arbitrary<Op> = fc.record({
  manager: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('apply' as const, 'apply' as const, 'force' as const, 'update' as const),
  values,
});

describe('a flat map', () => {
  it('agrees with a simple model for all sequences of writes', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 12 }), (ops) => {
        const real = new Written();
        // One key that stays, so that the map is never removed.
        real.update('root', { map: { base: '0' } });
        const model = new Model();
        for (const o of ops) {
          if (o.kind === 'update') {
            real.update(o.manager, { map: { base: '0', ...o.values } });
            model.update(`${o.manager}*`, { base: '0', ...o.values });
          } else {
            const outcome = real.apply(o.manager, { map: { ...o.values } }, { force: o.kind === 'force' });
            const expected = model.apply(o.manager, o.values, o.kind === 'force');
            const named =
              outcome === 'ok'
                ? 'ok'
                : outcome
                    .map((c) =>
                      c.replace(/"(\w+)"( using t.io\/v1)?: .map./, (_, m, u) => `${m}${u === undefined ? '' : '*'} `),
                    )
                    .sort();
            expect(named).toEqual(expected);
          }
          expect(real.value['map']).toEqual(Object.fromEntries(model.values));
          const owners = Object.entries(real.owners).map(([name, set]) => [
            name,
            Object.keys((set as JsonObject)['f:map'] as JsonObject)
              .filter((e) => e !== '.')
              .map((e) => e.slice(2))
              .sort(),
          ]);
          const owning = owners.filter(([, keys]) => keys!.length > 0);
          expect(Object.fromEntries(owning)).toEqual(
            Object.fromEntries([...model.owners].map(([n, s]) => [n, [...s].sort()])),
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});
