import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { builtIn, type Outcome, things, Written } from './testing.js';

/** One write and its expected result. A manager with `*` updates (replaces the whole object), otherwise it applies. */
type Step = readonly [who: string, what: JsonObject, then?: Expected];

interface Expected {
  /** Conflicts of a refused apply; `!` after the manager's name forces it. */
  readonly conflicts?: readonly string[];
  readonly object?: JsonObject;
  readonly owners?: Readonly<Record<string, unknown>>;
}

function play(written: Written, steps: readonly Step[]): void {
  for (const [who, what, then = {}] of steps) {
    if (who.endsWith('*')) written.update(who.slice(0, -1), what);
    else {
      const force = who.endsWith('!');
      const outcome: Outcome = written.apply(force ? who.slice(0, -1) : who, what, { force });
      expect(outcome).toEqual(then.conflicts ?? 'ok');
    }
    if (then.object !== undefined) expect(written.value).toEqual(then.object);
    if (then.owners !== undefined) expect(written.owners).toEqual(then.owners);
  }
}

const item = (name: string, more: JsonObject = {}) => ({ name, ...more });
const k = (name: string, protocol = 'TCP') => `k:{"name":"${name}","protocol":"${protocol}"}`;
const owned = (name: string, ...fields: string[]) => ({
  [k(name)]: { '.': {}, 'f:name': {}, ...Object.fromEntries(fields.map((f) => [`f:${f}`, {}])) },
});

const tables: Record<string, readonly Step[]> = {
  'a create owns all set fields, including containers': [
    [
      'u*',
      {
        inner: { a: '1', deep: { x: '1' } },
        map: { k: '1' },
        set: ['s'],
        items: [item('i')],
        whole: { a: '1' },
        any: { l: [1] },
      },
      {
        owners: {
          'u*': {
            'f:any': { '.': {}, 'f:l': {} },
            'f:inner': { '.': {}, 'f:a': {}, 'f:deep': { '.': {}, 'f:x': {} } },
            'f:items': { '.': {}, [k('i')]: { '.': {}, 'f:name': {} } },
            'f:map': { '.': {}, 'f:k': {} },
            'f:set': { '.': {}, 'v:"s"': {} },
            'f:whole': {},
          },
        },
      },
    ],
  ],
  'an apply owns leaves, items and entries, not the structs above them': [
    [
      'a',
      {
        inner: { a: '1', deep: { x: '1' } },
        map: { k: '1' },
        set: ['s'],
        items: [item('i')],
        whole: { a: '1' },
        any: { l: [1] },
      },
      {
        owners: {
          a: {
            'f:any': { 'f:l': {} },
            'f:inner': { 'f:a': {}, 'f:deep': { 'f:x': {} } },
            'f:items': owned('i'),
            'f:map': { 'f:k': {} },
            'f:set': { 'v:"s"': {} },
            'f:whole': {},
          },
        },
      },
    ],
  ],
  'equal values are shared, and stay until the last owner removes them': [
    ['a', { map: { k: '1' } }],
    [
      'b',
      { map: { k: '1', l: '1' } },
      { owners: { a: { 'f:map': { 'f:k': {} } }, b: { 'f:map': { 'f:k': {}, 'f:l': {} } } } },
    ],
    ['a', {}, { object: { map: { k: '1', l: '1' } }, owners: { b: { 'f:map': { 'f:k': {}, 'f:l': {} } } } }],
    ['b', { map: { l: '1' } }, { object: { map: { l: '1' } } }],
    ['b', {}, { object: {}, owners: {} }],
  ],
  'a different value conflicts with every owner': [
    ['a', { number: 1, inner: { a: '1', b: '1' } }],
    ['b', { number: 1 }],
    ['u*', { number: 1, inner: { a: '1', b: '2' } }],
    [
      'c',
      { number: 2, inner: { a: '1', b: '3' } },
      {
        conflicts: ['"a": .number', '"b": .number', '"u" using t.io/v1: .inner.b'],
        object: { number: 1, inner: { a: '1', b: '2' } },
      },
    ],
    [
      'c!',
      { number: 2 },
      {
        object: { number: 2, inner: { a: '1', b: '2' } },
        owners: { a: { 'f:inner': { 'f:a': {} } }, c: { 'f:number': {} }, 'u*': { 'f:inner': { 'f:b': {} } } },
      },
    ],
  ],
  'a manager that lost a field conflicts with the new owner, or gives the field up': [
    ['a', { map: { k: '1', l: '1' } }],
    ['b!', { map: { k: '2' } }],
    ['a', { map: { k: '1', l: '1' } }, { conflicts: ['"b": .map.k'] }],
    [
      'a',
      { map: { l: '1' } },
      { object: { map: { k: '2', l: '1' } }, owners: { a: { 'f:map': { 'f:l': {} } }, b: { 'f:map': { 'f:k': {} } } } },
    ],
  ],
  'an update takes what it changes, and what it removes has no owner': [
    ['a', { map: { k: '1', l: '1' } }],
    ['u*', { map: { k: '2' } }, { owners: { 'u*': { 'f:map': { 'f:k': {} } } } }],
    [
      'a',
      { map: { k: '2', l: '1' } },
      { owners: { a: { 'f:map': { 'f:k': {}, 'f:l': {} } }, 'u*': { 'f:map': { 'f:k': {} } } } },
    ],
    ['a', { map: { k: '3', l: '1' } }, { conflicts: ['"u" using t.io/v1: .map.k'] }],
  ],
  'a field shared with an updater stays when the applier removes it': [
    ['u*', { map: { k: '1' } }],
    ['a', { map: { k: '1', l: '1' } }],
    ['a', { map: { l: '1' } }, { object: { map: { k: '1', l: '1' } } }],
  ],
  'one manager can have both an Apply and an Update entry': [
    ['a', { map: { k: '1' } }],
    [
      'a*',
      { map: { k: '1', l: '1' } },
      { owners: { a: { 'f:map': { 'f:k': {} } }, 'a*': { 'f:map': { 'f:l': {} } } } },
    ],
    ['a', {}, { object: { map: { l: '1' } }, owners: { 'a*': { 'f:map': { 'f:l': {} } } } }],
  ],
  sets: [
    ['a', { set: ['x', 'y'] }],
    [
      'b',
      { set: ['y', 'z'] },
      {
        object: { set: ['x', 'y', 'z'] },
        owners: { a: { 'f:set': { 'v:"x"': {}, 'v:"y"': {} } }, b: { 'f:set': { 'v:"y"': {}, 'v:"z"': {} } } },
      },
    ],
    ['a', { set: ['x'] }, { object: { set: ['x', 'y', 'z'] } }],
    ['b', { set: [] }, { object: { set: ['x'] } }],
  ],
  'keyed items merge field by field; an item is removed with its last owner': [
    ['a', { items: [item('i', { value: '1' }), item('j')] }],
    [
      'b',
      { items: [item('i', { list: ['l'] }), item('k')] },
      { object: { items: [item('i', { value: '1', list: ['l'] }), item('j'), item('k')] } },
    ],
    ['a', { items: [item('i')] }, { object: { items: [item('i', { list: ['l'] }), item('k')] } }],
    [
      'a',
      {},
      {
        owners: { b: { 'f:items': { [k('i')]: { '.': {}, 'f:list': { 'v:"l"': {} }, 'f:name': {} }, ...owned('k') } } },
      },
    ],
  ],
  'an absent key counts as its default': [
    ['a', { items: [item('i', { value: '1' })] }],
    [
      'b',
      { items: [item('i', { protocol: 'TCP', inner: { a: '1' } })] },
      { object: { items: [item('i', { value: '1', protocol: 'TCP', inner: { a: '1' } })] } },
    ],
    [
      'b',
      { items: [item('i', { protocol: 'UDP' })] },
      { object: { items: [item('i', { value: '1' }), item('i', { protocol: 'UDP' })] } },
    ],
  ],
  'the fields of a removed item that others own stay': [
    ['a', { items: [item('i', { value: '1', inner: { a: '1' } })] }],
    ['b', { items: [item('i', { inner: { b: '1' } })] }],
    ['a', {}, { object: { items: [item('i', { inner: { b: '1' } })] } }],
  ],
  'fields that no manager applied stay when others are removed': [
    ['a', { inner: { a: '1' }, items: [item('i', { value: '1' })] }],
    ['u*', { inner: { a: '1', b: '1' }, items: [item('i', { value: '1', inner: { a: '1' } })] }],
    ['a', { items: [item('i')] }, { object: { inner: { b: '1' }, items: [item('i', { inner: { a: '1' } })] } }],
  ],
  'atomic lists, maps and structs conflict as a whole': [
    ['a', { whole: { a: '1' }, wholeMap: { k: '1' }, whole_list: ['1'], raw: { x: 1 } }],
    [
      'b',
      { whole: { b: '1' }, wholeMap: { l: '1' }, whole_list: ['2'], raw: { y: 1 } },
      { conflicts: ['"a": .raw', '"a": .whole', '"a": .wholeMap', '"a": .whole_list'] },
    ],
    ['b', { whole_list: ['1'] }],
    ['a', {}, { object: { whole_list: ['1'] } }],
  ],
  'without a schema, maps merge by key and lists are atomic': [
    ['a', { any: { m: { x: 1 }, l: [1] }, open: { known: 'k', other: { y: 1 } } }],
    ['b', { any: { m: { z: 1 }, l: [2] } }, { conflicts: ['"a": .any.l'] }],
    [
      'b',
      { any: { m: { z: 1 } }, open: { other: { z: 2 } } },
      {
        object: { any: { m: { x: 1, z: 1 }, l: [1] }, open: { known: 'k', other: { y: 1, z: 2 } } },
        owners: {
          a: {
            'f:any': { 'f:l': {}, 'f:m': { '.': {}, 'f:x': {} } },
            'f:open': { 'f:known': {}, 'f:other': { '.': {}, 'f:y': {} } },
          },
          b: { 'f:any': { 'f:m': { '.': {}, 'f:z': {} } }, 'f:open': { 'f:other': { '.': {}, 'f:z': {} } } },
        },
      },
    ],
    ['a!', { any: 5 }, { object: { any: 5, open: { other: { z: 2 } } } }],
  ],
  'empty maps and nulls are owned': [
    ['a', { map: {}, inner: { deep: {} } }, { owners: { a: { 'f:inner': { 'f:deep': {} }, 'f:map': {} } } }],
    ['b', { map: { k: '1' } }, { conflicts: ['"a": .map'] }],
    ['b', { inner: { deep: null } }, { conflicts: ['"a": .inner.deep'] }],
  ],
  'null on a map changes nothing but owns the map': [
    ['a', { map: { k: '1' } }],
    [
      'b',
      { map: null },
      { object: { map: { k: '1' } }, owners: { a: { 'f:map': { 'f:k': {} } }, b: { 'f:map': {} } } },
    ],
  ],
  'metadata: the name and the fields that the server sets have no owner': [
    [
      'a',
      { metadata: { name: 'x', uid: 'u', labels: { l: '1' }, finalizers: ['f'] } },
      { owners: { a: { 'f:metadata': { 'f:finalizers': { 'v:"f"': {} }, 'f:labels': { 'f:l': {} } } } } },
    ],
    ['a', {}, { owners: {}, object: {} }],
  ],
};

/** For objects stored with empty lists and maps, which then differ from absent ones and from null. */
const emptiesKept: Record<string, readonly Step[]> = {
  'an empty list is owned if an update sets it, but not if an apply does': [
    ['u*', { set: [], items: [] }, { owners: { 'u*': { 'f:items': {}, 'f:set': {} } } }],
    ['a', { set: [], items: [] }, { object: { set: [], items: [] }, owners: { 'u*': { 'f:items': {}, 'f:set': {} } } }],
    ['a', { set: ['x'] }, { owners: { 'u*': { 'f:items': {}, 'f:set': {} }, a: { 'f:set': { 'v:"x"': {} } } } }],
    [
      'u*',
      { set: ['x', 'y'], items: [] },
      { owners: { 'u*': { 'f:items': {}, 'f:set': { '.': {}, 'v:"y"': {} } }, a: { 'f:set': { 'v:"x"': {} } } } },
    ],
    ['u*', { set: [], items: [] }, { owners: { 'u*': { 'f:items': {}, 'f:set': {} } } }],
    ['v*', { set: [] }, { owners: { 'u*': { 'f:set': {} } } }],
    ['v*', {}, { owners: {} }],
  ],
  'a list that an apply empties is removed; one that another manager emptied is not': [
    ['u*', { number: 1 }],
    ['a', { set: ['x'] }],
    ['a', { set: [] }, { object: { number: 1 }, owners: { 'u*': { 'f:number': {} } } }],
    ['u*', { number: 1, set: [] }, { owners: { 'u*': { 'f:number': {}, 'f:set': {} } } }],
    ['a', { set: [] }, { object: { number: 1, set: [] }, owners: { 'u*': { 'f:number': {}, 'f:set': {} } } }],
  ],
  'an empty atomic list or map is a value': [
    ['a', { whole_list: [], wholeMap: {} }, { owners: { a: { 'f:wholeMap': {}, 'f:whole_list': {} } } }],
    ['b', { whole_list: ['x'] }, { conflicts: ['"a": .whole_list'] }],
    ['b', { whole_list: [] }, { owners: { a: { 'f:wholeMap': {}, 'f:whole_list': {} }, b: { 'f:whole_list': {} } } }],
  ],
  'an empty map is owned until it has members': [
    ['a', { map: {} }, { owners: { a: { 'f:map': {} } } }],
    ['b', { map: {} }, { owners: { a: { 'f:map': {} }, b: { 'f:map': {} } } }],
    [
      'u*',
      { map: { k: '1' } },
      { owners: { a: { 'f:map': {} }, b: { 'f:map': {} }, 'u*': { 'f:map': { 'f:k': {} } } } },
    ],
  ],
};

describe('operations and owners', () => {
  for (const [name, steps] of Object.entries(emptiesKept))
    it(name, () => play(new Written(things, { keepsEmpty: true }), steps));
  for (const [name, steps] of Object.entries(tables)) it(name, () => play(new Written(), steps));
});

describe('order of a merged list', () => {
  const names = (w: Written) => (w.value['items'] as { name: string }[]).map((i) => i.name).join(' ');
  const of = (text: string) => ({ items: text.split(' ').map((n) => item(n)) });
  it.each<[string, string, string]>([
    ['1 2 3', '3 1 2', '3 1 2'],
    ['1 2 3 4', '4 2', '1 3 4 2'],
    ['1 2 3 5 6', '0 3 4', '1 2 0 3 5 6 4'],
    ['1 2 0 3 5 6 4', '6 d 1', '2 0 3 5 6 4 d 1'],
    ['1 2', '3 4', '1 2 3 4'],
    ['a b c', 'c a', 'b c a'],
  ])('%s, another applies %s', (live, applied, out) => {
    const w = new Written();
    w.apply('a', of(live));
    expect(w.apply('b', of(applied))).toBe('ok');
    expect(names(w)).toBe(out);
  });

  it('a manager without other owners sets the order', () => {
    const w = new Written();
    w.apply('a', of('1 2 3'));
    w.apply('a', of('3 4 1'));
    expect(names(w)).toBe('3 4 1');
  });
});

describe('duplicates of an updater in a keyed list', () => {
  const twice = { items: [item('i', { value: '1' }), item('i', { value: '2' }), item('j')] };

  it('are owned as one value', () => {
    const w = new Written();
    w.update('u', twice);
    expect(w.owners).toEqual({ 'u*': { 'f:items': { '.': {}, [k('i')]: {}, [k('j')]: { '.': {}, 'f:name': {} } } } });
  });

  it('stay after an apply without them, and are replaced by an apply with the item', () => {
    const w = new Written();
    w.update('u', twice);
    expect(w.apply('a', { items: [item('j', { value: '3' })] })).toBe('ok');
    expect(w.value).toEqual({
      items: [item('i', { value: '1' }), item('i', { value: '2' }), item('j', { value: '3' })],
    });
    expect(w.apply('a', { items: [item('i', { value: '4' }), item('j', { value: '3' })] })).toEqual([
      `"u" using t.io/v1: .items[name="i",protocol="TCP"]`,
    ]);
    w.apply('a', { items: [item('i', { value: '4' }), item('j', { value: '3' })] }, { force: true });
    expect(w.value).toEqual({ items: [item('i', { value: '4' }), item('j', { value: '3' })] });
  });

  it('are owned by field once only one is left', () => {
    const w = new Written();
    w.update('u', twice);
    w.update('v', { items: [item('i', { value: '1' }), item('j')] });
    expect(w.owners).toEqual({
      'u*': { 'f:items': { '.': {}, [k('j')]: { '.': {}, 'f:name': {} } } },
      'v*': { 'f:items': { [k('i')]: { '.': {}, 'f:name': {}, 'f:value': {} } } },
    });
  });
});

describe('built-in kinds', () => {
  it('a create does not own the fields that are always written', () => {
    const w = new Written(builtIn('apps', 'v1', 'Deployment'));
    w.update('u', {
      metadata: {},
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i', resources: {} }] },
        },
        strategy: {},
      },
      status: {},
    });
    expect(w.owners).toEqual({
      'u*': {
        'f:spec': {
          'f:replicas': {},
          'f:selector': {},
          'f:template': {
            'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
            'f:spec': {
              'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } },
            },
          },
        },
      },
    });
  });

  it('service ports are identified by number and protocol', () => {
    const w = new Written(builtIn('', 'v1', 'Service'));
    w.apply('a', {
      spec: {
        ports: [
          { port: 53, name: 't' },
          { port: 53, protocol: 'UDP', name: 'u' },
        ],
      },
    });
    expect(w.owners).toEqual({
      a: {
        'f:spec': {
          'f:ports': {
            'k:{"port":53,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
            'k:{"port":53,"protocol":"UDP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} },
          },
        },
      },
    });
    expect(w.apply('b', { spec: { ports: [{ port: 53, protocol: 'TCP', name: 'x' }] } })).toEqual([
      '"a": .spec.ports[port=53,protocol="TCP"].name',
    ]);
  });

  it('an absent key that is always written counts as its zero value', () => {
    const w = new Written(builtIn('', 'v1', 'PodTemplate'));
    w.apply('a', { template: { spec: { containers: [{ image: 'i' }] } } });
    expect(w.owners).toEqual({
      a: { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":""}': { '.': {}, 'f:image': {} } } } } },
    });
  });

  it('a custom resource without a schema merges maps by key', () => {
    const w = new Written({ schema: undefined, apiVersion: 't.io/v1', kind: 'Free', subresource: '' });
    w.apply('a', { spec: { x: 1, l: [1] } });
    expect(w.apply('b', { spec: { y: 2 } })).toBe('ok');
    expect(w.value).toEqual({ spec: { x: 1, l: [1], y: 2 } });
    expect(w.apply('b', { spec: { l: [2] } })).toEqual(['"a": .spec.l']);
  });
});
