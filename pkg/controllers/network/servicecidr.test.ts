import { expect, it } from 'vitest';
import { refusal } from '../../registry/testing.js';
import { conditionsIn, metaIn, openScene } from '../testing/scene.js';
import { serviceCidrController } from './servicecidr.js';

const CIDRS = 'servicecidrs.networking.k8s.io/v1';
const ADDRESSES = 'ipaddresses.networking.k8s.io/v1';

it('keeps a range that is being deleted while only it contains an address of a service', async () => {
  const { bench, context, start, work } = await openScene();
  await start(serviceCidrController(context));
  const range = (name: string, cidr: string) =>
    bench.create(CIDRS, '', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name },
      spec: { cidrs: [cidr] },
    });
  await range('small', '192.0.2.0/28');
  await work();
  const shown = async () => bench.get(CIDRS, '', 'small');
  expect(metaIn(await shown())['finalizers']).toEqual(['networking.k8s.io/service-cidr-finalizer']);
  expect(conditionsIn(await shown())).toEqual({ Ready: 'True' });
  await bench.create(ADDRESSES, '', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: '192.0.2.3', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } },
  });
  await bench.delete(CIDRS, '', 'small');
  await work(30);
  expect(conditionsIn(await shown())).toEqual({ Ready: 'False' });
  await range('wide', '192.0.2.0/24');
  await work(9);
  expect(await refusal(bench.get(CIDRS, '', 'small'))).toMatch(/^404/);
  await bench.delete(CIDRS, '', 'wide');
  await work(30);
  expect(conditionsIn(await bench.get(CIDRS, '', 'wide'))).toEqual({ Ready: 'False' });
  await bench.delete(ADDRESSES, '', '192.0.2.3');
  await work();
  expect(await refusal(bench.get(CIDRS, '', 'wide'))).toMatch(/^404/);
});
