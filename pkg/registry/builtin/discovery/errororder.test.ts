import { expect, it } from 'vitest';
import { Bench, causesOf } from '../../testing.js';

it('an endpoint slice reports its ports before its endpoints', async () => {
  const b = await Bench.open();
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'a' },
    addressType: 'IPv4',
    endpoints: [{ addresses: [] }],
    ports: [{ name: 'A' }],
  };
  expect(
    (await causesOf(b.create('endpointslices.discovery.k8s.io', 'default', slice))).map((c) => c.split(':')[0]),
  ).toEqual(['ports[0].name', 'endpoints[0].addresses']);
});
