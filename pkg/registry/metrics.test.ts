import { describe, expect, it } from 'vitest';
import { type AdmissionStep, errors } from '../api/index.js';
import { Bench } from './testing.js';

/** The series of a metric that ends with `_count` or `_sum`, without those of other resources' writes. */
function series(bench: Bench, name: string, of: 'count' | 'sum' = 'count'): readonly string[] {
  const family = bench.metrics.families.find((f) => f.name === name)!;
  return family
    .get()
    .values.filter(({ metricName }) => metricName === `${name}_${of}`)
    .map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`);
}

const CONTROLLERS = 'apiserver_admission_controller_admission_duration_seconds';
const PHASES = 'apiserver_admission_step_admission_duration_seconds';
const mine = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.startsWith('Mine'));

const object = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

/** A plug-in that takes 20 ms to mutate, and 40 ms to validate; it refuses what is named so. */
const slow = (world: Bench['world']): AdmissionStep => ({
  name: 'Mine',
  operations: ['create', 'update'],
  mutate: ({ groupResource }) => {
    if (groupResource.resource === 'configmaps') world.advance(20);
  },
  validate: ({ groupResource, name }) => {
    if (groupResource.resource !== 'configmaps') return;
    world.advance(40);
    if (name === 'refused') throw errors.forbidden(groupResource, name, 'no');
  },
});

describe('the metrics of writes', () => {
  it('have the time of each plug-in by operation and result', async () => {
    const bench = await Bench.open([], (_, world) => [slow(world as Bench['world'])]);
    const before = mine(series(bench, CONTROLLERS));
    expect(before.every((line) => line.includes(' CREATE false '))).toBe(true);
    const sums = (): readonly string[] =>
      mine(series(bench, CONTROLLERS, 'sum')).map((line) => line.replace(/\d[\d.]*$/, (n) => Number(n).toFixed(3)));
    expect(sums()).toEqual(['Mine admit CREATE false 0.000', 'Mine validate CREATE false 0.000']);
    await bench.create('configmaps', 'default', object('a'));
    await expect(bench.create('configmaps', 'default', object('refused'))).rejects.toThrow('no');
    await bench.update('configmaps', 'default', object('a', { b: 'c' }));
    await bench.delete('configmaps', 'default', 'a');
    expect(sums()).toEqual([
      'Mine admit CREATE false 0.040',
      'Mine validate CREATE false 0.040',
      'Mine validate CREATE true 0.040',
      'Mine admit UPDATE false 0.020',
      'Mine validate UPDATE false 0.040',
    ]);
  });

  it('have the time of each phase, also of an operation that no plug-in handles', async () => {
    const bench = await Bench.open([], (_, world) => [slow(world as Bench['world'])]);
    await bench.create('configmaps', 'default', object('a'));
    await expect(bench.create('configmaps', 'default', object('refused'))).rejects.toThrow('no');
    await bench.delete('configmaps', 'default', 'a');
    const names = series(bench, PHASES).map((line) => line.replace(/ \d+$/, ''));
    expect(names).toEqual([
      'admit CREATE false',
      'validate CREATE false',
      'validate CREATE true',
      'admit DELETE false',
      'validate DELETE false',
    ]);
    expect(series(bench, `${PHASES}_summary`).map((line) => line.replace(/ \d+$/, ''))).toEqual(names);
    const quantiles = bench.metrics.families
      .find((f) => f.name === `${PHASES}_summary`)!
      .get()
      .values.filter(({ labels }) => labels['rejected'] === 'true' && labels['quantile'] !== undefined);
    expect(quantiles.map(({ labels, value }) => [labels['quantile'], value.toFixed(2)])).toEqual([
      [0.5, '0.04'],
      [0.9, '0.04'],
      [0.99, '0.04'],
    ]);
  });

  it('have the comparisons of objects by their result', async () => {
    const bench = await Bench.open();
    const update = async (value: string): Promise<readonly string[]> => {
      bench.world.advance(2000);
      await bench.update('configmaps', 'default', object('a', { b: value }), { fieldManager: 'm' });
      return series(bench, 'apiserver_request_timestamp_comparison_time');
    };
    await bench.create('configmaps', 'default', object('a', { b: 'c' }));
    expect(series(bench, 'apiserver_request_timestamp_comparison_time')).toEqual([]);
    expect(await update('d')).toEqual(['unequal_objects_fast 1']);
    expect(await update('e')).toEqual(['unequal_objects_fast 1', 'unequal_objects_slow 1']);
    expect(await update('e')).toEqual(['unequal_objects_fast 2', 'unequal_objects_slow 1']);
  });
});
