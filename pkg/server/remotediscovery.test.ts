import { expect, it } from 'vitest';
import type { JsonValue } from '../api/index.js';
import { Scheduler } from '../base/index.js';
import { OutboundError, type OutboundResponse } from '../outbound/index.js';
import { TestWorld } from '../registry/testing.js';
import { RemoteDiscovery } from './remotediscovery.js';

type Answers = Readonly<Record<string, JsonValue | Error>>;

/** A server with these answers by path; other paths are 404. */
function discovered(first: Answers) {
  const world = new TestWorld();
  const unusable: unknown[] = [];
  let answers = first;
  let changes = 0;
  const send = ({ path }: { readonly path: string }): Promise<OutboundResponse> => {
    const answer = answers[path];
    if (answer instanceof Error) return Promise.reject(answer);
    const body = Buffer.from(JSON.stringify(answer ?? null));
    return Promise.resolve({ status: answer === undefined ? 404 : 200, headers: {}, body });
  };
  const discovery = new RemoteDiscovery(
    { group: 'example.com', version: 'v1' },
    {
      world,
      pace: new Scheduler(world, 1000),
      send,
      changed: () => changes++,
      unusable: (error) => unusable.push(error),
    },
  );
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const after = async (milliseconds: number, next: Answers): Promise<void> => {
    answers = next;
    world.advance(milliseconds);
    await settled();
  };
  return { discovery, after, settled, unusable, changes: () => changes };
}

const LIST = '/apis/example.com/v1';
const plain = (...resources: readonly JsonValue[]): Answers => ({ [LIST]: { resources: [...resources] } });
const names = ({ document }: RemoteDiscovery): unknown =>
  (document?.document['resources'] as { resource: string }[] | undefined)?.map((r) => r.resource);

it('prefers the aggregated document', async () => {
  const version = { version: 'v1', resources: [{ resource: 'fruits' }] };
  const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v2' }, version] }];
  const { discovery, settled } = discovered({ '/apis': { items }, ...plain({ name: 'other' }) });
  discovery.setAvailable(true);
  await settled();
  expect(discovery.document).toEqual({ document: version, isCurrent: true });
});

it('converts an APIResourceList', async () => {
  const fruit = {
    name: 'fruits',
    singularName: 'fruit',
    namespaced: true,
    kind: 'Fruit',
    verbs: ['get'],
    shortNames: ['f'],
  };
  const status = { name: 'fruits/status', kind: 'Fruit', verbs: ['update'] };
  const { discovery, settled } = discovered(plain(fruit, status, { name: 'roots', kind: 'Root', categories: ['all'] }));
  discovery.setAvailable(true);
  await settled();
  const kind = (name: string) => ({ group: '', version: '', kind: name });
  expect(discovery.document?.document).toEqual({
    version: 'v1',
    resources: [
      {
        resource: 'fruits',
        responseKind: kind('Fruit'),
        scope: 'Namespaced',
        singularResource: 'fruit',
        verbs: ['get'],
        shortNames: ['f'],
        subresources: [{ subresource: 'status', responseKind: kind('Fruit'), verbs: ['update'] }],
      },
      {
        resource: 'roots',
        responseKind: kind('Root'),
        scope: 'Cluster',
        singularResource: '',
        verbs: [],
        categories: ['all'],
      },
    ],
  });
});

it('keeps the last document of a server that fails, marked as not current, until it answers again', async () => {
  const { discovery, after, settled, changes } = discovered(plain({ name: 'fruits' }));
  discovery.setAvailable(true);
  await settled();
  expect([names(discovery), discovery.document?.isCurrent, changes()]).toEqual([['fruits'], true, 1]);
  await after(60_000, { '/apis': new OutboundError('dial', 'refused') });
  expect([names(discovery), discovery.document?.isCurrent, changes()]).toEqual([['fruits'], false, 2]);
  await after(5_000, plain({ name: 'roots' }));
  expect([names(discovery), discovery.document?.isCurrent, changes()]).toEqual([['roots'], true, 3]);
  await after(60_000, plain({ name: 'roots' }));
  expect(changes()).toBe(3);
});

it('asks a server that was away when the minute passed', async () => {
  const { discovery, after, settled } = discovered(plain({ name: 'fruits' }));
  discovery.setAvailable(true);
  await settled();
  discovery.setAvailable(false);
  await after(120_000, plain({ name: 'roots' }));
  expect(names(discovery)).toEqual(['fruits']);
  discovery.setAvailable(true);
  await settled();
  expect(names(discovery)).toEqual(['roots']);
});

it('knows the OpenAPI document of the version, and does not need it', async () => {
  const index = { paths: { 'apis/example.com/v1': { serverRelativeURL: '/openapi/v3/apis/example.com/v1?hash=A' } } };
  const { discovery, after, settled } = discovered({ ...plain({ name: 'fruits' }), '/openapi/v3': index });
  discovery.setAvailable(true);
  await settled();
  expect(discovery.openApi).toBe('/openapi/v3/apis/example.com/v1?hash=A');
  await after(60_000, { ...plain({ name: 'fruits' }), '/openapi/v3': new OutboundError('dial', 'too late') });
  expect([discovery.document?.isCurrent, discovery.openApi]).toEqual([true, '/openapi/v3/apis/example.com/v1?hash=A']);
});

it('survives answers of any other form', async () => {
  const { discovery, after, settled, unusable } = discovered({ '/apis': [1], [LIST]: 'text' });
  discovery.setAvailable(true);
  await settled();
  await after(5_000, { '/apis': { items: [null, { versions: 3 }] }, [LIST]: { resources: [null, { name: 1 }] } });
  expect(unusable).toEqual([]);
  await after(60_000, plain({ name: 'fruits' }));
  expect(names(discovery)).toEqual(['fruits']);
});
