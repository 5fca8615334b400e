import { expect, it } from 'vitest';
import { ApiError, FieldErrors, type JsonObject } from '../../../../api/index.js';
import type { WriteContext } from '../../../resource.js';
import type { ClusterConfig } from '../../cluster.js';
import { serviceResource } from './service.js';
import type { Service } from './shape.js';
import { addresses } from './validation.js';

const MANY = 10_000;
const ips = Array.from({ length: MANY }, (_, i) => `10.0.${i >> 8}.${i & 255}`);

it('reads the families of a service a few times, not for each of its addresses', () => {
  let reads = 0;
  const spec: JsonObject = {
    clusterIP: ips[0]!,
    clusterIPs: ips,
    get ipFamilies() {
      reads++;
      return ['IPv4'];
    },
  };
  const found = new FieldErrors();
  addresses({ spec } as Service, undefined, found);
  found.finish();
  expect(reads).toBeLessThan(10);
});

it('checks the addresses of a service in steps before everything else', () => {
  const service: JsonObject = { metadata: { name: 's' }, spec: { clusterIP: ips[0]!, clusterIPs: ips } };
  const preparing = serviceResource({
    serviceIpRanges: ['10.0.0.0/16'],
  } as unknown as ClusterConfig).strategy.create?.prepare?.(service, {} as WriteContext);
  let steps = 0;
  const run = (): void => {
    while (preparing !== undefined && !preparing.next().done) steps++;
  };
  expect(run).toThrow(ApiError);
  expect(steps).toBeGreaterThan(MANY / 1_000);
});
