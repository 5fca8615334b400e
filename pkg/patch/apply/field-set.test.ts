import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { compareElements, elementText, keyElement, pathText, sortedElements, valueElement } from './element.js';
import {
  below,
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  hasPath,
  intersection,
  isEmptySet,
  leaves,
  parseSet,
  paths,
  recursiveDifference,
  setOfNames,
  setOfPaths,
  sortedSet,
  union,
  withNamedFields,
} from './field-set.js';
import { thing } from './testing.js';

const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"n":"a"}', 'k:{"n":"b"}', 'v:1', 'v:"x"', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const pathList = fc.array(path, { maxLength: 8 });

/** Simple model: a set of path strings. */
function model(list: readonly (readonly string[])[]): Set<string> {
  return new Set(list.map((p) => p.join('\u0000')));
}
const modelOf = (set: FieldSet) => model(paths(set));

describe('set algebra agrees with sets of paths', () => {
  const check = (name: string, run: (a: string[][], b: string[][]) => void) =>
    it(name, () => fc.assert(fc.property(pathList, pathList, run), { numRuns: 300 }));
  const minus = (a: Set<string>, b: Set<string>) => new Set([...a].filter((p) => !b.has(p)));

  check('membership', (a) => {
    expect(modelOf(setOfPaths(a))).toEqual(model(a));
    for (const p of a) expect(hasPath(setOfPaths(a), p)).toBe(true);
  });
  check('union', (a, b) => {
    expect(modelOf(union(setOfPaths(a), setOfPaths(b)))).toEqual(model([...a, ...b]));
  });
  check('intersection', (a, b) => {
    const both = new Set([...model(a)].filter((p) => model(b).has(p)));
    expect(modelOf(intersection(setOfPaths(a), setOfPaths(b)))).toEqual(both);
  });
  check('difference', (a, b) => {
    expect(modelOf(difference(setOfPaths(a), setOfPaths(b)))).toEqual(minus(model(a), model(b)));
  });
  check('recursive difference', (a, b) => {
    const kept = a.filter((p) => !b.some((q) => q.length <= p.length && q.every((e, i) => e === p[i])));
    expect(modelOf(recursiveDifference(setOfPaths(a), setOfPaths(b)))).toEqual(model(kept));
  });
  check('leaves', (a) => {
    const longer = (p: string[]) => a.some((q) => q.length > p.length && p.every((e, i) => e === q[i]));
    expect(modelOf(leaves(setOfPaths(a)))).toEqual(model(a.filter((p) => !longer(p))));
  });
  check('below', (a) => {
    const set = setOfPaths(a);
    expect(modelOf(below(set, 'f:a'))).toEqual(
      model(a.filter((p) => p[0] === 'f:a' && p.length > 1).map((p) => p.slice(1))),
    );
  });
  check('equality and emptiness', (a, b) => {
    const [x, y] = [setOfPaths(a), setOfPaths(b)];
    expect(equalSets(x, y)).toBe(JSON.stringify([...modelOf(x)].sort()) === JSON.stringify([...modelOf(y)].sort()));
    expect(isEmptySet(x)).toBe(a.length === 0);
    expect(isEmptySet(difference(x, x))).toBe(true);
  });
  check('no operation changes its arguments, and a set that does not change is returned as the same value', (a, b) => {
    const [x, y] = [setOfPaths(a), setOfPaths(b)];
    const before = JSON.stringify([x, y]);
    union(x, y);
    intersection(x, y);
    recursiveDifference(x, y);
    const rest = difference(x, y);
    sortedSet(x);
    expect(JSON.stringify([x, y])).toBe(before);
    expect(difference(rest, y)).toBe(rest);
    expect(union(x, emptySet)).toBe(x);
  });
  check('a sorted set is equal after writing and reading', (a) => {
    const sorted = sortedSet(setOfPaths(a));
    const read = JSON.parse(JSON.stringify(sorted)) as JsonValue;
    const set = parseSet(read);
    if (a.length > 0) expect(set).toBe(read);
    expect(equalSets(set, sorted)).toBe(true);
    expect(JSON.stringify(sortedSet(set))).toBe(JSON.stringify(sorted));
  });
});

it('sorts a set of many nodes as it sorts its parts', () => {
  const small = fc.array(path, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(small, { minLength: 60, maxLength: 80 }), (lists) => {
      const whole: Record<string, FieldSet> = {};
      lists.forEach((list, i) => {
        whole[`f:${(i * 37) % 1000}`] = setOfPaths(list);
      });
      const names = Object.keys(whole).sort();
      const expected = names.map((name) => `"${name}":${JSON.stringify(sortedSet(whole[name]!))}`);
      expect(JSON.stringify(sortedSet(whole))).toBe(`{${expected.join(',')}}`);
    }),
    { numRuns: 50 },
  );
});

describe('the wire form', () => {
  const read = (json: JsonValue) => JSON.stringify(sortedSet(parseSet(json)));
  it.each<[string, JsonValue, string]>([
    [
      'order: the node itself, fields, keys, values, indexes',
      { 'f:n': { 'i:0': {}, 'v:"s"': {}, 'k:{"a":1}': {}, 'f:z': {}, '.': {} } },
      '{"f:n":{".":{},"f:z":{},"k:{\\"a\\":1}":{},"v:\\"s\\"":{},"i:0":{}}}',
    ],
    [
      'numbers by value',
      { 'f:n': { 'v:10': {}, 'v:9': {}, 'v:-1': {}, 'v:1.5': {} } },
      '{"f:n":{"v:-1":{},"v:1.5":{},"v:9":{},"v:10":{}}}',
    ],
    [
      'values by kind',
      { 'f:n': { 'v:null': {}, 'v:true': {}, 'v:"a"': {}, 'v:1': {} } },
      '{"f:n":{"v:1":{},"v:\\"a\\"":{},"v:true":{},"v:null":{}}}',
    ],
    [
      'keys by content',
      { 'f:n': { 'k:{"p":10}': {}, 'k:{"p":9}': {}, 'k:{"a":"z"}': {} } },
      '{"f:n":{"k:{\\"a\\":\\"z\\"}":{},"k:{\\"p\\":9}":{},"k:{\\"p\\":10}":{}}}',
    ],
    [
      'spelling of keys',
      { 'f:n': { 'k:{ "b":1, "a":"<" }': {} } },
      '{"f:n":{"k:{\\"a\\":\\"\\\\u003c\\",\\"b\\":1}":{}}}',
    ],
    ['a node with only itself as a member is a leaf', { 'f:a': { '.': {} } }, '{"f:a":{}}'],
    ['null is a leaf', { 'f:a': null }, '{"f:a":{}}'],
    ['unknown elements are dropped', { 'x:a': {}, 'f:b': { 'y:c': {} } }, '{"f:b":{}}'],
    ['the root is not a member', { '.': {}, 'f:a': {} }, '{"f:a":{}}'],
    ['nothing', null, '{}'],
  ])('%s', (_, json, out) => expect(read(json)).toBe(out));

  it.each<[JsonValue]>([
    [{ data: {} }],
    [{ f: {} }],
    [{ 'f:a': { 'k:nojson': {} } }],
    [{ 'f:a': { 'k:[1]': {} } }],
    [{ 'f:a': { 'v:': {} } }],
    [{ 'f:a': { 'i:x': {} } }],
    [{ 'f:a': 'x' }],
    [{ 'f:a': [] }],
    [[]],
    ['x'],
    [{ 'v:1e309': {} }],
    [{ 'k:{"a":[-1e309]}': {} }],
    [JSON.parse('{"__proto__":{}}') as JsonObject],
  ])('refuses %j', (json) => expect(() => parseSet(json)).toThrow(Error));

  it('refuses deep nesting', () => {
    let deep: JsonValue = {};
    for (let i = 0; i < 5000; i++) deep = { 'f:a': deep };
    expect(() => parseSet(deep)).toThrow('too deeply');
  });

  it('throws nothing but an Error for any input', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        try {
          const set = parseSet(json as JsonValue);
          expect(parseSet(JSON.parse(JSON.stringify(sortedSet(set))) as JsonValue)).toEqual(set);
        } catch (e) {
          expect(e).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('elements', () => {
  it('order text by bytes, not by UTF-16', () => {
    expect(compareElements('f:\uffee', 'f:\u{1f600}')).toBeLessThan(0);
    expect(compareElements('f:a', 'f:ab')).toBeLessThan(0);
    expect(compareElements('f:Z', 'f:a')).toBeLessThan(0);
  });
  it('sort by content in a list as in single comparisons', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom('a', 'a ', 'a!', 'a"', 'ab', '<', '\\', '\u{1f600}'),
    );
    const value = fc.oneof(text, fc.integer({ min: -9, max: 9 }), fc.boolean());
    const any = fc.oneof(
      text.map((name) => `f:${name}`),
      fc.tuple(fc.constantFrom('name', 'port'), value).map(([name, v]) => keyElement([[name, v]])),
      fc.tuple(value, value).map(([v, w]) =>
        keyElement([
          ['a', v],
          ['b', w],
        ]),
      ),
      value.map(valueElement),
      fc.nat(20).map((i) => `i:${i}`),
    );
    fc.assert(
      fc.property(fc.uniqueArray(any, { maxLength: 12 }), (elements) => {
        expect(finish(sortedElements(elements))).toEqual([...elements].sort(compareElements));
      }),
    );
    expect(finish(sortedElements(['k:{"name":"a!"}', 'k:{"name":"a"}', 'k:{"name":"a "}']))).toEqual([
      'k:{"name":"a"}',
      'k:{"name":"a "}',
      'k:{"name":"a!"}',
    ]);
  });
  it('have a readable form', () => {
    expect(pathText(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'])).toBe(
      '.spec.ports[port=80,protocol="TCP"].name',
    );
    expect(elementText('v:"x"')).toBe('[="x"]');
    expect(elementText('k:{"a":null}')).toBe('[a=null]');
    expect(elementText('i:3')).toBe('[3]');
  });
});

it('named fields become members, map keys and items do not', () => {
  const set = setOfPaths([
    ['f:inner', 'f:deep', 'f:x'],
    ['f:map', 'f:k'],
    ['f:maps', 'f:k', 'f:l'],
    ['f:items', 'k:{"name":"a","protocol":"TCP"}', 'f:inner', 'f:a'],
  ]);
  expect(sortedSet(withNamedFields(set, thing))).toEqual({
    'f:inner': { '.': {}, 'f:deep': { '.': {}, 'f:x': {} } },
    'f:items': { '.': {}, 'k:{"name":"a","protocol":"TCP"}': { 'f:inner': { '.': {}, 'f:a': {} } } },
    'f:map': { '.': {}, 'f:k': {} },
    'f:maps': { '.': {}, 'f:k': { 'f:l': {} } },
  });
});

it('names of fields make a set', () => {
  expect(setOfNames([['status'], ['metadata', 'labels']])).toEqual({
    'f:status': {},
    'f:metadata': { 'f:labels': {} },
  });
});
