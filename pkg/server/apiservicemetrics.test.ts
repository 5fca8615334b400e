import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { ApiServiceMetrics } from './apiservicemetrics.js';

const condition = (status: string, reason: string): JsonObject => ({
  status: { conditions: [{ type: 'Available', status, reason }] },
});

it('the availability of an APIService is a gauge, and losses of it are counted by their reason', () => {
  const metrics = new ApiServiceMetrics();
  const shown = () => metrics.families.map((f) => f.get().values.map(({ labels, value }) => ({ ...labels, value })));
  const name = 'v1.demo.example.com';
  metrics.changed(name, {});
  expect(shown()).toEqual([[], []]);
  // The first result is no loss.
  metrics.changed(name, condition('False', 'ServiceNotFound'));
  expect(shown()).toEqual([[{ name, value: 1 }], []]);
  metrics.changed(name, condition('True', 'Passed'));
  metrics.changed(name, condition('False', 'FailedDiscoveryCheck'));
  metrics.changed(name, condition('False', 'MissingEndpoints'));
  expect(shown()).toEqual([[{ name, value: 1 }], [{ name, reason: 'FailedDiscoveryCheck', value: 1 }]]);
  metrics.changed(name, undefined);
  expect(shown()[0]).toEqual([]);
});
