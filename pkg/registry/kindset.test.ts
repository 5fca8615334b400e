import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from './custom/compile.js';
import type { Kind } from './kind.js';
import { KindSet } from './kindset.js';
import { type ServedResources, servedResourcesOf } from './servedresources.js';

function kindOf(plural: string, group: string, versions: readonly string[]): Kind {
  const names = { plural, singular: plural, kind: plural.toUpperCase(), listKind: `${plural}List` };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const all = versions.map((name, i) => ({ name, served: true, storage: i === 0, schema }));
  return compile({ group, scope: 'Namespaced', names, versions: all }, names);
}

const shown = ({ groups }: ServedResources) =>
  groups.map(({ group, versions }) => [group, versions.map((v) => [v.version, v.resources.map((r) => r.resource)])]);

describe('a set of kinds', () => {
  const change = fc.record({
    plural: fc.constantFrom('as', 'bs', 'cs'),
    group: fc.constantFrom('a.example.com', 'b.example.com', 'apps'),
    versions: fc.subarray(['v1', 'v2', 'v1beta1'], { minLength: 0 }),
    isRemoved: fc.boolean(),
  });

  it('has the same snapshot after changes as one made of its kinds', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const set = new KindSet([kindOf('xs', 'a.example.com', ['v1'])]);
        for (const { plural, group, versions, isRemoved } of changes) {
          if (isRemoved) set.change({ remove: [{ group, resource: plural }] });
          else set.change({ set: [kindOf(plural, group, versions)] });
          const { current } = set;
          const whole = servedResourcesOf(current.kinds);
          expect(shown(current)).toEqual(shown(whole));
          for (const { resource, version } of current.kinds.flatMap((k) => k.served))
            for (const g of ['a.example.com', 'b.example.com', 'apps']) {
              expect(current.find(g, version, resource)).toBe(whole.find(g, version, resource));
              expect(current.kind(g, resource)).toBe(whole.kind(g, resource));
              expect(current.hasVersion(g, version)).toBe(whole.hasVersion(g, version));
            }
        }
      }),
    );
  });

  it('tells observers what was added and what is gone, and rejects a second kind below one prefix', () => {
    const first = kindOf('as', 'a.example.com', ['v1']);
    const set = new KindSet([first]);
    const told: unknown[] = [];
    set.observe((_, delta) => void told.push(delta));
    const second = kindOf('as', 'a.example.com', ['v1', 'v2']);
    set.change({ set: [second] });
    set.change({
      remove: [
        { group: 'a.example.com', resource: 'as' },
        { group: 'none', resource: 'as' },
      ],
    });
    expect(told).toEqual([
      { set: [second], gone: [first] },
      { set: [], gone: [second] },
    ]);
    set.change({ set: [first] });
    const other = { ...kindOf('bs', 'a.example.com', ['v1']), storage: first.storage };
    expect(() => set.change({ set: [other] })).toThrow('are stored below');
  });
});
