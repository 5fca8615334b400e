import { expect, it } from 'vitest';
import { isObject, type JsonObject, objectsAt, textAt } from '../../api/index.js';
import { clusterOf } from '../../server/cluster.js';
import { openScene } from '../testing/scene.js';
import { defaultServiceCidr, SERVICE_CIDR_MANAGER } from './defaultservicecidr.js';

const CIDRS = 'servicecidrs.networking.k8s.io/v1';
const API_SERVER = { user: 'system:apiserver', manager: 'kube-apiserver' };

it('keeps the ServiceCIDR kubernetes, and reports what it does not overwrite', async () => {
  const { bench, context, start, work } = await openScene();
  const as = (manager: string) => clusterOf(bench.registry, bench.world, { ...API_SERVER, manager });
  const options = { ranges: ['10.96.0.0/12'], status: as(SERVICE_CIDR_MANAGER) };
  await start(defaultServiceCidr({ ...context, cluster: as('kube-apiserver') }, options));
  await work(3);
  const made = await bench.get(CIDRS, '', 'kubernetes');
  const owners = objectsAt(made, 'metadata', 'managedFields').map((m) =>
    ['manager', 'operation', 'subresource'].map((f) => textAt(m, f)),
  );
  expect(owners).toEqual([
    [SERVICE_CIDR_MANAGER, 'Apply', 'status'],
    ['kube-apiserver', 'Update', ''],
  ]);
  const conditions = (o: JsonObject): unknown =>
    objectsAt(o, 'status', 'conditions').map((c) => [c['type'], c['status'], c['reason'], c['message']]);
  expect(conditions(made)).toEqual([['Ready', 'True', '', 'Kubernetes default Service CIDR is ready']]);

  const [ready] = objectsAt(made, 'status', 'conditions');
  const status = { conditions: [{ ...ready, status: 'False', reason: 'Wrong', message: 'it is wrong' }] };
  await bench.patch('servicecidrs.networking.k8s.io/v1/status', ['', 'kubernetes'], { status });
  await work(3);
  await bench.patch(CIDRS, ['', 'kubernetes'], { metadata: { labels: { a: 'b' } } });
  await work(3);
  const events = async (): Promise<unknown> =>
    (await bench.list('events', 'default')).items.map((e) => [
      e['reason'],
      e['message'],
      isObject(e['source']) && e['source']['component'],
    ]);
  expect(await events()).toEqual([['Wrong', 'Configuration matches, but it is wrong', SERVICE_CIDR_MANAGER]]);
});

it('reports once that the ranges differ from the flag', async () => {
  const { bench, context, start, work } = await openScene();
  await start(defaultServiceCidr(context, { ranges: ['10.0.0.0/16', 'fd00::/112'], status: context.cluster }));
  await work(3);
  await bench.patch(CIDRS, ['', 'kubernetes'], { metadata: { labels: { a: 'b' } } });
  await work(3);
  const events = (await bench.list('events', 'default')).items;
  expect(events.map((e) => e['message'])).toEqual([
    'The default ServiceCIDR [10.96.0.0/12] does not match the controller flag configurations [10.0.0.0/16 fd00::/112]',
  ]);
});
