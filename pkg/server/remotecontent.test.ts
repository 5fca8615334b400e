import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import type { OutboundRequest } from '../outbound/index.js';
import { remoteContent } from './remotecontent.js';
import type { RemoteServer } from './remoteserver.js';

/** Work never yields. */
const ENDLESS = { spent: () => false, yield: () => Promise.resolve() };

/** A server of things that remembers its requests, and refuses those of other users than `user`. */
function thingServer(user: string) {
  const requests: OutboundRequest[] = [];
  const resource = { resource: 'things', scope: 'Namespaced', verbs: ['delete', 'deletecollection', 'list'] };
  const document: JsonObject = { version: 'v1', resources: [resource] };
  const server: RemoteServer = {
    group: 'demo.example.com',
    version: 'v1',
    isAvailable: true,
    discovery: { document, isCurrent: true },
    pace: ENDLESS,
    async send(request) {
      requests.push(request);
      const status = request.headers?.['x-remote-user'] === user ? 200 : 403;
      return {
        status,
        headers: {},
        body: Buffer.from(JSON.stringify({ items: [{ metadata: { finalizers: ['f'] } }] })),
      };
    },
  };
  return { server, requests };
}

describe('the content of aggregated servers', () => {
  it('is listed and deleted as the service account of the namespace controller', async () => {
    const { server, requests } = thingServer('system:serviceaccount:kube-system:namespace-controller');
    const [things] = remoteContent(() => [server]).resources().known;
    expect(await things!.finalizers('n')).toEqual([['f']]);
    await things!.deleteAll('n');
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /apis/demo.example.com/v1/namespaces/n/things',
      'DELETE /apis/demo.example.com/v1/namespaces/n/things',
    ]);
    for (const { headers } of requests)
      expect(headers?.['x-remote-group']).toEqual([
        'system:serviceaccounts',
        'system:serviceaccounts:kube-system',
        'system:authenticated',
      ]);
  });

  it('is unknown where the server refuses', async () => {
    const { server } = thingServer('somebody else');
    const [things] = remoteContent(() => [server]).resources().known;
    await expect(things!.finalizers('n')).rejects.toThrow(/status 403/);
    await expect(things!.deleteAll('n')).rejects.toThrow(/status 403/);
  });
});

describe('the content of a server without deletecollection', () => {
  const resource = { resource: 'things', scope: 'Namespaced', verbs: ['delete', 'list'] };
  const things = '/apis/demo.example.com/v1/namespaces/n/things';

  /** Things by name, with their uids. `missing`: the server does not know the collection any more. */
  function serverOf(objects: Map<string, string>, missing = false): RemoteServer {
    const notFound = { kind: 'Status', reason: 'NotFound', code: 404 };
    const answer = ({ method, path, body }: OutboundRequest): JsonObject => {
      if (missing) return notFound;
      if (method === 'GET') return { items: [...objects].map(([name, uid]) => ({ metadata: { name, uid } })) };
      const name = path.slice(things.length + 1);
      // Another client deletes b first.
      objects.delete('b');
      const options = JSON.parse(String(body)) as JsonObject;
      expect(options['propagationPolicy']).toBe('Background');
      if (!objects.has(name)) return notFound;
      expect(options['preconditions']).toEqual({ uid: objects.get(name) });
      objects.delete(name);
      return {};
    };
    return {
      group: 'demo.example.com',
      version: 'v1',
      isAvailable: true,
      discovery: { document: { version: 'v1', resources: [resource] }, isCurrent: true },
      pace: ENDLESS,
      async send(request) {
        const value = answer(request);
        return { status: Number(value['code'] ?? 200), headers: {}, body: Buffer.from(JSON.stringify(value)) };
      },
    };
  }

  it('is deleted object by object, each by its uid', async () => {
    const objects = new Map([
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]);
    const [found] = remoteContent(() => [serverOf(objects)]).resources().known;
    expect(await found!.finalizers('n')).toHaveLength(3);
    await found!.deleteAll('n');
    expect(await found!.finalizers('n')).toEqual([]);
  });

  it('is empty if the server does not know the collection any more', async () => {
    const [found] = remoteContent(() => [serverOf(new Map(), true)]).resources().known;
    expect(await found!.finalizers('n')).toEqual([]);
  });
});
