import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const THINGS = '/apis/demo.example.com/v1/namespaces/default/things';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const OPENAPI = 'apis/demo.example.com/v1';
const PATIENCE = { timeout: 60_000 };

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'demo.example.com/v1',
  resources: [
    { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] },
    { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get'] },
  ],
};

/** A server of the group demo.example.com that remembers the headers of the last request. */
class DemoServer {
  readonly #server: https.Server;
  headers: IncomingHttpHeaders = {};
  body = '';

  constructor({ cert, key }: { readonly cert: string; readonly key: string }) {
    this.#server = https.createServer({ cert, key }, (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.url?.startsWith(THINGS) === true) {
          this.headers = request.headers;
          this.body = Buffer.concat(pieces).toString();
        }
        this.#answer(request.url ?? '', response);
      });
    });
  }

  #answer(url: string, response: ServerResponse): void {
    const json = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-demo': 'yes' });
      response.end(JSON.stringify(value));
    };
    if (url.startsWith(`${THINGS}?watch=`)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const type of ['ADDED', 'DELETED'])
        response.write(`${JSON.stringify({ type, object: { kind: 'Thing' } })}\n`);
      response.end();
      return;
    }
    if (url === '/apis/demo.example.com/v1') json(200, RESOURCES);
    else if (url === '/openapi/v3')
      json(200, { paths: { [OPENAPI]: { serverRelativeURL: `/openapi/v3/${OPENAPI}?hash=X` } } });
    else if (url.startsWith(`/openapi/v3/${OPENAPI}`)) json(200, { openapi: '3.0.0' });
    else if (url.startsWith(THINGS)) json(200, { kind: 'ThingList', apiVersion: 'demo.example.com/v1', items: [] });
    else json(404, { kind: 'Status', code: 404 });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

describe('an aggregated server', () => {
  let server: TestApiServer;
  let admin: Client;
  let demo: DemoServer;

  beforeAll(async () => {
    server = await startApiServer();
    admin = new Client(server);
    demo = new DemoServer(server);
    const port = await demo.listen();
    const service = { metadata: { name: 'demo' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
    await admin.ask('/api/v1/namespaces/default/services', { body: service });
    const spec = {
      group: 'demo.example.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'demo', port },
    };
    const made = await admin.ask(API_SERVICES, { body: { metadata: { name: 'v1.demo.example.com' }, spec } });
    expect([made.status, made.body.toString()]).toEqual([201, expect.any(String)]);
  });
  afterAll(async () => {
    admin?.close();
    await server?.close();
    await demo?.close().catch(() => {});
  });

  const conditionOf = async (name: string) => {
    const found = (await admin.ask(`${API_SERVICES}/${name}`)).json();
    return found.status?.conditions?.find((c: { type: string }) => c.type === 'Available');
  };
  const isAvailable = (status: string) => async () => (await conditionOf('v1.demo.example.com'))?.status === status;
  const freshness = async () => {
    const list = (await admin.ask('/apis', { headers: { accept: AGGREGATED } })).json();
    const item = list.items.find((i: { metadata: { name: string } }) => i.metadata.name === 'demo.example.com');
    return item?.versions[0];
  };

  it('is available as soon as it responds, like the versions of this server', async () => {
    await vi.waitUntil(isAvailable('True'), PATIENCE);
    await vi.waitUntil(async () => (await conditionOf('v1.apps'))?.reason === 'Local', PATIENCE);
    expect((await admin.ask(`${API_SERVICES}/v1.`)).json().spec).toEqual({
      version: 'v1',
      groupPriorityMinimum: 18_000,
      versionPriority: 1,
    });
  });

  it('is in all discovery documents', async () => {
    await vi.waitUntil(async () => (await freshness())?.freshness === 'Current', PATIENCE);
    const { resources } = await freshness();
    expect(resources).toEqual([
      {
        resource: 'things',
        responseKind: { group: '', version: '', kind: 'Thing' },
        scope: 'Namespaced',
        singularResource: 'thing',
        verbs: ['get', 'list'],
        subresources: [
          { subresource: 'status', responseKind: { group: '', version: '', kind: 'Thing' }, verbs: ['get'] },
        ],
      },
    ]);
    const groups = (await admin.ask('/apis')).json().groups;
    expect(groups.at(-1)).toMatchObject({ name: 'demo.example.com', preferredVersion: { version: 'v1' } });
    expect((await admin.ask('/apis/demo.example.com')).json().versions).toHaveLength(1);
    expect((await admin.ask('/apis/demo.example.com/v1')).json()).toEqual(RESOURCES);
  });

  it('has its OpenAPI document beside those of this server', async () => {
    const index = (await admin.ask('/openapi/v3')).json().paths;
    expect(index[OPENAPI]).toEqual({ serverRelativeURL: `/openapi/v3/${OPENAPI}?hash=X` });
    expect(index['apis/apps/v1'].serverRelativeURL).toMatch(/hash=/);
    expect((await admin.ask(`/openapi/v3/${OPENAPI}?hash=X`)).json()).toEqual({ openapi: '3.0.0' });
  });

  it('gets requests with the name of the caller, and without credentials', async () => {
    const reply = await admin.ask(`${THINGS}?limit=3`, {
      headers: {
        'x-remote-user': 'forged',
        'impersonate-user': 'jane',
        'impersonate-group': 'system:masters',
        'x-other': 'kept',
      },
    });
    expect([reply.status, reply.json().kind, reply.headers['x-demo']]).toEqual([200, 'ThingList', 'yes']);
    expect(demo.headers).toMatchObject({ 'x-remote-user': 'jane', 'x-other': 'kept', 'x-forwarded-uri': THINGS });
    expect(demo.headers['x-remote-group']).toContain('system:masters');
    for (const name of ['authorization', 'impersonate-user', 'impersonate-group'])
      expect(demo.headers[name]).toBeUndefined();
    expect(reply.headers['audit-id']).toBe(demo.headers['audit-id']);
  });

  it('gets bodies, and its streams reach the client', async () => {
    await admin.ask(THINGS, { body: { kind: 'Thing', n: 1 } });
    expect(JSON.parse(demo.body)).toEqual({ kind: 'Thing', n: 1 });
    const lines = (await admin.ask(`${THINGS}?watch=1`)).body.toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['ADDED', 'DELETED']);
  });

  it('is called only for callers with the permission', async () => {
    demo.headers = {};
    const reply = await admin.ask(THINGS, { headers: { 'impersonate-user': 'nobody' } });
    expect(reply.status).toBe(403);
    expect(demo.headers).toEqual({});
  });

  it('is unavailable and stale after it has stopped, and unknown after its APIService is deleted', async () => {
    await demo.close();
    const service = { spec: { externalName: '127.0.0.1' }, metadata: { labels: { changed: 'yes' } } };
    await admin.ask('/api/v1/namespaces/default/services/demo', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: service,
    });
    await vi.waitUntil(isAvailable('False'), PATIENCE);
    await vi.waitUntil(async () => (await freshness())?.freshness === 'Stale', PATIENCE);
    const refused = await admin.ask(THINGS);
    expect([refused.status, refused.body.toString()]).toEqual([503, 'service unavailable\n']);
    await admin.ask(`${API_SERVICES}/v1.demo.example.com`, { method: 'DELETE' });
    await vi.waitUntil(async () => (await admin.ask(THINGS)).status === 404, PATIENCE);
    expect(await freshness()).toBeUndefined();
  });
});
