import { expect, it } from 'vitest';
import type { ServedResources } from '../registry/index.js';
import type { RemoteVersion } from './aggregation.js';
import { DiscoveryDocuments } from './discovery.js';
import { createRouter } from './router.js';
import { testServices, testWorld } from './testing.js';

const NO_REMOTE: never[] = [];
const FORM = { encoding: 'json', pretty: false } as const;

it('encodes each document once for each snapshot of served resources, separately for each server', () => {
  const { servedResources } = testServices(testWorld).registry;
  const changed: ServedResources = Object.create(servedResources);
  let made = 0;
  const get = (server: DiscoveryDocuments, served: ServedResources): string => {
    const of = { served, remote: NO_REMOTE };
    const make = () => ({ kind: 'APIGroupList', apiVersion: 'v1', made: ++made });
    const bytes = server.encoded(of, '/apis', FORM, make);
    return `${JSON.parse(bytes.toString()).made} ${server.etag(of, '/apis', make)}`;
  };
  const one = new DiscoveryDocuments();
  const other = new DiscoveryDocuments();
  const first = get(one, servedResources);
  expect(get(one, servedResources)).toBe(first);
  expect(made).toBe(1);
  const second = get(one, changed);
  const third = get(other, servedResources);
  expect(made).toBe(3);
  expect(new Set([first, second, third].map((text) => text.split(' ')[1])).size).toBe(3);
});

it('has no module-level document that two servers would share', () => {
  const [a, b] = [testServices(testWorld), testServices(testWorld)];
  expect(a.registry.servedResources).toBe(b.registry.servedResources);
  const documents = (of: typeof a) =>
    of.openApi.of(of.registry.servedResources, { scheduler: of.stages.scheduler, now: () => 0 });
  expect(documents(a)).toBe(documents(a));
  expect(documents(a)).not.toBe(documents(b));
});

it('lists the groups of other servers by priority and name, the same in both forms', async () => {
  const services = testServices(testWorld);
  const remote = (group: string, groupPriority: number): RemoteVersion =>
    ({ group, version: 'v1', groupPriority, isAvailable: false }) as RemoteVersion;
  const versions = [remote('b.example.com', 100), remote('c.example.com', 2000), remote('a.example.com', 100)];
  const aggregation = { versions, documents: [], find: () => undefined };
  const router = createRouter({ ...services, aggregation });
  const plain = (await router.inject({ url: '/apis' })).json().groups.map((g: { name: string }) => g.name);
  expect(plain.slice(-3)).toEqual(['c.example.com', 'a.example.com', 'b.example.com']);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await router.inject({ url: '/apis', headers: { accept } })).json();
  expect(items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual(plain);
});

it('orders groups of one priority by the names of their APIServices in the plain list', async () => {
  const services = testServices(testWorld);
  const remote = (group: string, version: string, groupPriority = 100): RemoteVersion =>
    ({ group, version, groupPriority, isAvailable: false }) as RemoteVersion;
  const versions = [
    remote('a.io', 'v2'),
    remote('a-b.io', 'v2'),
    remote('z.io', 'v2'),
    remote('z.io', 'v1'),
    remote('y.io', 'v1', 50),
  ];
  const aggregation = { versions: [...versions, remote('y.io', 'v3')], documents: [], find: () => undefined };
  const router = createRouter({ ...services, aggregation });
  const plain = (await router.inject({ url: '/apis' })).json().groups.map((g: { name: string }) => g.name);
  expect(plain.slice(-4)).toEqual(['z.io', 'a-b.io', 'a.io', 'y.io']);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await router.inject({ url: '/apis', headers: { accept } })).json();
  expect(items.slice(-4).map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual([
    'a-b.io',
    'a.io',
    'y.io',
    'z.io',
  ]);
});

it('lists groups without the address of the server', async () => {
  const router = createRouter(testServices(testWorld));
  for (const group of (await router.inject({ url: '/apis' })).json().groups)
    expect(Object.keys(group)).toEqual(['name', 'versions', 'preferredVersion']);
});
