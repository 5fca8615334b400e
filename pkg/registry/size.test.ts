import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { compile } from './custom/compile.js';
import { limits } from './limits.js';
import { Bench, refusal } from './testing.js';

const pod = (containers: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: Array.from({ length: containers }, () => ({})) },
});

describe('a list longer than the limit', () => {
  it('is refused before its items are validated', async () => {
    const bench = await Bench.open();
    expect(await refusal(bench.create('pods', 'default', pod(limits.listItemsMax + 1)))).toBe(
      `422 Pod "p" is invalid: spec.containers: Too many: ${limits.listItemsMax + 1}: must have at most ${limits.listItemsMax} items`,
    );
  });

  it('is also refused if it is a map', async () => {
    const bench = await Bench.open();
    const data = Object.fromEntries(Array.from({ length: limits.listItemsMax + 1 }, (_, i) => [`k${i}`, '']));
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
    expect(await refusal(bench.create('configmaps', 'default', map))).toMatch(/^422 .* data: Too many: 10001: /);
  });

  it('is refused if a patch creates it', async () => {
    const bench = await Bench.open();
    await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const finalizers = Array.from({ length: limits.listItemsMax + 1 }, (_, i) => `x.example/${i}`);
    expect(await refusal(bench.patch('configmaps', ['default', 'a'], { metadata: { finalizers } }))).toMatch(
      /^422 .*metadata\.finalizers: Too many/,
    );
  });

  it('is refused if a patch completes it', async () => {
    const bench = await Bench.open();
    const half = (letter: string): JsonObject =>
      Object.fromEntries(Array.from({ length: limits.listItemsMax / 2 + 1 }, (_, i) => [`${letter}${i}`, '']));
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: half('a') };
    await bench.create('configmaps', 'default', map);
    expect(await refusal(bench.patch('configmaps', ['default', 'a'], { data: half('b') }))).toMatch(
      /^422 .* data: Too many: 10002: /,
    );
  });

  it('is refused if it is applied, in one part or in two', async () => {
    const bench = await Bench.open();
    const map = (letter: string, count: number): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: Object.fromEntries(Array.from({ length: count }, (_, i) => [`${letter}${i}`, ''])),
    });
    const apply = (o: JsonObject, fieldManager: string): Promise<string> =>
      refusal(bench.patch('configmaps', ['default', 'a'], o, 'apply', { fieldManager }));
    expect(await apply(map('a', limits.listItemsMax + 1), 'one')).toMatch(/^422 .* data: Too many: 10001: /);
    expect(await apply(map('a', limits.listItemsMax / 2 + 1), 'one')).toBe('taken');
    expect(await apply(map('b', limits.listItemsMax / 2), 'two')).toMatch(/^422 .* data: Too many: 10001: /);
  });

  it('is refused before it is parsed, for values of any type', async () => {
    const bench = await Bench.open();
    expect(await refusal(bench.create('pods', 'default', pod(300_000)))).toMatch(/^400 .*more than 100000 values/);
  });
});

describe('a long list in a custom resource', () => {
  const texts = { type: 'array', items: { type: 'string' } };
  const NAMES = { plural: 'nets', singular: 'net', kind: 'Net', listKind: 'NetList' };
  const properties: JsonObject = {
    ranges: texts,
    set: { ...texts, 'x-kubernetes-list-type': 'set' },
    objects: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  const many = <T>(item: (i: number) => T): T[] => Array.from({ length: limits.listItemsMax + 1 }, (_, i) => item(i));
  const create = async (more: JsonObject, metadata: JsonObject = {}): Promise<string> => {
    const bench = await Bench.open();
    const schema = { openAPIV3Schema: { type: 'object', properties } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    await bench.registry.changeKinds({
      set: [compile({ group: 'example.com', scope: 'Cluster', names: NAMES, versions }, NAMES)],
    });
    const o = { apiVersion: 'example.com/v1', kind: 'Net', metadata: { name: 'a', ...metadata }, ...more };
    return refusal(bench.create('nets.example.com/v1', '', o));
  };

  it.each([
    ['texts', { ranges: many((i) => `10.0.0.${i}`) }],
    ['numbers that no schema declares', { open: { a: [many((i) => i)] } }],
  ] as const)('of %s is taken if it is atomic', async (_what, o) => {
    expect(await create(o as unknown as JsonObject)).toBe('taken');
  });

  it.each([
    ['its items have owners', { set: many((i) => `a${i}`) }, {}, 'set'],
    ['its items are objects', { objects: many((i) => ({ a: `${i}` })) }, {}, 'objects'],
    ['it is in the metadata', {}, { finalizers: many((i) => `x.example/${i}`) }, 'metadata.finalizers'],
  ] as const)('is refused if %s', async (_what, o, metadata, path) => {
    expect(await create(o as unknown as JsonObject, metadata as unknown as JsonObject)).toContain(
      `${path}: Too many: 10001`,
    );
  });
});
