import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

let server: TestApiServer;
let client: Client;
beforeAll(async () => {
  server = await startApiServer({ controllers: [] });
  client = new Client(server, { http2: false });
});
afterAll(async () => {
  client?.close();
  await server?.close();
});

const CMS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';
const named = (kind: string, name: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...rest,
});

/** Samples by their name with labels. */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const text = (await client.ask('/metrics')).body.toString();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

it('count what lists read, by where they read it', async () => {
  for (const name of ['a', 'b', 'c']) await client.ask(CMS, { body: named('ConfigMap', name) });
  const before = await scrape();
  await client.ask(CMS);
  const page = await client.ask(`${CMS}?limit=2`);
  await client.ask(`${CMS}?labelSelector=x`);
  await client.ask(`${CMS}?fieldSelector=metadata.name%3Da`);
  expect(page.json().items).toHaveLength(2);
  const after = await scrape();
  const grown = (name: string, labels: string): number =>
    (after.get(`apiserver_storage_list_${name}{${labels}}`) ?? 0) -
    (before.get(`apiserver_storage_list_${name}{${labels}}`) ?? 0);
  const plain = 'group="",resource="configmaps",storage="watchcache"';
  const read = 'group="",resource="configmaps",index="",storage="watchcache"';
  const all = (await client.ask(CMS)).json().items.length;
  expect(grown('total', read)).toBe(4);
  expect(grown('fetched_objects_total', read)).toBe(all + 2 + all + 1);
  expect(grown('evaluated_objects_total', plain)).toBeGreaterThanOrEqual(all);
  expect(grown('returned_objects_total', plain)).toBe(all + 2 + 1);
  const bytes = after.get('apiserver_resource_size_estimate_bytes{group="",resource="configmaps"}')!;
  expect(bytes).toBeGreaterThan(300);
  const version = Number((await client.ask(CMS)).json().metadata.resourceVersion);
  expect(after.get('apiserver_watch_cache_resource_version{group="",resource="configmaps"}')).toBe(version);
});

it('count the addresses and ports of services, and failed allocations', async () => {
  const before = await scrape();
  const create = async (name: string, spec: object, query = ''): Promise<number> =>
    (await client.ask(SERVICES + query, { body: named('Service', name, { spec: { ports: [{ port: 80 }], ...spec } }) }))
      .status;
  const [range] = [...before.keys()].flatMap((line) => /allocated_ips\{cidr="([^"]+)"/.exec(line)?.[1] ?? []);
  const address = `${range!.slice(0, range!.lastIndexOf('.'))}.77`;
  expect(await create('one', { type: 'NodePort' })).toBe(201);
  expect(await create('two', { clusterIP: address })).toBe(201);
  expect(await create('three', { clusterIP: address })).toBe(422);
  expect(await create('outside', { clusterIP: '192.0.2.1' })).toBe(422);
  expect(await create('dry', { type: 'NodePort' }, '?dryRun=All')).toBe(201);
  const after = await scrape();
  const grown = (name: string): number =>
    (after.get(`kube_apiserver_${name}`) ?? 0) - (before.get(`kube_apiserver_${name}`) ?? 0);
  const ips = `clusterip_allocator_`;
  expect({
    dynamic: grown(`${ips}allocation_total{cidr="${range}",scope="dynamic"}`),
    static: grown(`${ips}allocation_total{cidr="${range}",scope="static"}`),
    errors: grown(`${ips}allocation_errors_total{cidr="${range}",scope="static"}`),
    timed: grown(`${ips}allocation_duration_seconds_count{cidr="${range}"}`),
    allocated: grown(`${ips}allocated_ips{cidr="${range}"}`),
    available: grown(`${ips}available_ips{cidr="${range}"}`),
    ports: grown('nodeport_allocator_allocation_total{scope="dynamic"}'),
    allocatedPorts: grown('nodeport_allocator_allocated_ports'),
    availablePorts: grown('nodeport_allocator_available_ports'),
  }).toEqual({
    ...{ dynamic: 1, static: 1, errors: 1, timed: 2, allocated: 2, available: -2 },
    ...{ ports: 1, allocatedPorts: 1, availablePorts: -1 },
  });
});
