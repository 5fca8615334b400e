import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import type { OutboundRequest } from '../outbound/index.js';
import { remoteContent } from './remotecontent.js';
import type { RemoteServer } from './remoteserver.js';

/** A server of things that remembers its requests, and refuses those of other users than `user`. */
function thingServer(user: string) {
  const requests: OutboundRequest[] = [];
  const resource = { resource: 'things', scope: 'Namespaced', verbs: ['deletecollection', 'list'] };
  const document: JsonObject = { version: 'v1', resources: [resource] };
  const server: RemoteServer = {
    group: 'demo.example.com',
    version: 'v1',
    isAvailable: true,
    discovery: { document, isCurrent: true },
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
