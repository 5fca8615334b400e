import { expect, it } from 'vitest';
import { Bench, refusal } from '../../testing.js';

it('requires a name in an endpoint of address type FQDN', async () => {
  const b = await Bench.open();
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'FQDN',
    endpoints: [{ addresses: [''] }],
  };
  expect(await refusal(b.create('endpointslices.discovery.k8s.io/v1', 'default', slice))).toBe(
    '422 EndpointSlice.discovery.k8s.io "s" is invalid: endpoints[0].addresses[0]: Required value',
  );
});
