import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
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

  it('is refused before it is parsed, for values of any type', async () => {
    const bench = await Bench.open();
    expect(await refusal(bench.create('pods', 'default', pod(300_000)))).toMatch(/^400 .*more than 100000 values/);
  });
});
