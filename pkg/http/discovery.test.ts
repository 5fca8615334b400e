import { expect, it } from 'vitest';
import type { ServedResources } from '../registry/index.js';
import { DiscoveryDocuments } from './discovery.js';
import { testServices, testWorld } from './testing.js';

const NO_REMOTE: never[] = [];
const FORM = { encoding: 'json', pretty: false } as const;

it('encodes each document once for each snapshot of served resources, separately for each server', () => {
  const { servedResources } = testServices(testWorld).registry;
  const changed: ServedResources = Object.create(servedResources);
  let made = 0;
  const get = (server: DiscoveryDocuments, served: ServedResources): string => {
    const of = { served, remote: NO_REMOTE };
    const bytes = server.encoded(of, '/apis', FORM, () => ({ kind: 'APIGroupList', apiVersion: 'v1', made: ++made }));
    return `${JSON.parse(bytes.toString()).made} ${server.etag(of, '/apis', FORM, bytes)}`;
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
  const documents = (of: typeof a) => of.openApi.of(of.registry.servedResources, of.stages.scheduler);
  expect(documents(a)).toBe(documents(a));
  expect(documents(a)).not.toBe(documents(b));
});
