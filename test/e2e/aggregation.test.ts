import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const THINGS = '/apis/demo.example.com/v1/namespaces/default/things';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const OPENAPI = 'apis/demo.example.com/v1';
const GROUP_OPENAPI = 'apis/demo.example.com';
const documentAt = (at: string) => ({ serverRelativeURL: `/openapi/v3/${at}?hash=X` });
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

const TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';
const returning = (name: string) => ({
  get: { responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } } },
});
/** Its definition of a time is not the one of this server. */
const SWAGGER = {
  swagger: '2.0',
  paths: { '/apis/demo.example.com/v1/things': returning('com.example.demo.Thing'), '/version': returning('Version') },
  definitions: {
    'com.example.demo.Thing': { type: 'object', properties: { at: { $ref: `#/definitions/${TIME}` } } },
    [TIME]: { type: 'integer' },
    Version: { type: 'object' },
  },
};

/** A server of the group demo.example.com that remembers the headers of the last request. */
class DemoServer {
  readonly #server: https.Server;
  headers: IncomingHttpHeaders = {};
  body = '';
  /** Requests with an Upgrade header, and those of their connections that are closed. */
  upgrades = 0;
  closed = 0;

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
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#echo(request, socket, head),
    );
  }

  #answer(url: string, response: ServerResponse): void {
    const json = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-demo': 'yes' });
      response.end(JSON.stringify(value));
    };
    if (url === `${THINGS}?moved`) {
      response.writeHead(302, { location: '/elsewhere' });
      response.end();
      return;
    }
    if (url === `${THINGS}?watch=true&forever`) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify({ type: 'ADDED', object: { kind: 'Thing' } })}\n`);
      return;
    }
    if (url.startsWith(`${THINGS}?watch=`)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const type of ['ADDED', 'DELETED'])
        response.write(`${JSON.stringify({ type, object: { kind: 'Thing' } })}\n`);
      response.end();
      return;
    }
    if (url === '/apis/demo.example.com/v1') json(200, RESOURCES);
    else if (url === '/openapi/v3')
      json(200, { paths: Object.fromEntries([OPENAPI, GROUP_OPENAPI].map((at) => [at, documentAt(at)])) });
    else if (url === '/openapi/v2') json(200, SWAGGER);
    else if (url.startsWith(`/openapi/v3/${GROUP_OPENAPI}`)) json(200, { openapi: '3.0.0' });
    else if (url.startsWith(THINGS)) json(200, { kind: 'ThingList', apiVersion: 'demo.example.com/v1', items: [] });
    else json(404, { kind: 'Status', code: 404 });
  }

  /** Returns what it receives in the new protocol. Paths that end with `refused` or `ignored` are not upgraded. */
  #echo(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.headers = request.headers;
    this.upgrades++;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.closed++);
    if (request.url?.endsWith('refused') === true) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 3\r\nx-demo: yes\r\n\r\nno\n');
      return;
    }
    if (request.url?.endsWith('ignored') === true) {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      return;
    }
    const { upgrade } = request.headers;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nX-Demo: yes\r\n\r\n`,
    );
    socket.write(`first ${request.method} `);
    if (head.length > 0) socket.write(head);
    socket.on('data', (piece: Buffer) => {
      if (piece.toString() === 'bye') socket.end('last');
      else socket.write(piece);
    });
    socket.on('end', () => socket.end());
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

async function register(admin: Client, port: number, version = 'v1'): Promise<void> {
  const service = { metadata: { name: 'demo' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
  await admin.ask('/api/v1/namespaces/default/services', { body: service });
  const spec = {
    group: 'demo.example.com',
    version,
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'demo', port },
  };
  const made = await admin.ask(API_SERVICES, { body: { metadata: { name: `${version}.demo.example.com` }, spec } });
  expect([made.status, made.body.toString()]).toEqual([201, expect.any(String)]);
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
    await register(admin, port);
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
    const { groups } = (await admin.ask('/apis')).json();
    expect(groups.at(-1)).toMatchObject({ name: 'demo.example.com', preferredVersion: { version: 'v1' } });
    const { items } = (await admin.ask('/apis', { headers: { accept: AGGREGATED } })).json();
    const names = groups.map((g: { name: string }) => g.name);
    expect(items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual(names);
    const versions = async () => {
      const group = (await admin.ask('/apis/demo.example.com')).json();
      return group.versions.map((v: { version: string }) => v.version);
    };
    expect(await versions()).toEqual(['v1']);
    await register(admin, 1, 'v2');
    await expect.poll(versions, PATIENCE).toEqual(['v2', 'v1']);
    await admin.ask(`${API_SERVICES}/v2.demo.example.com`, { method: 'DELETE' });
    await expect.poll(versions, PATIENCE).toEqual(['v1']);
    expect((await admin.ask('/apis/demo.example.com/v1')).json()).toEqual(RESOURCES);
  });

  it('has its OpenAPI document beside those of this server', async () => {
    const index = (await admin.ask('/openapi/v3')).json().paths;
    expect(index['apis/apps/v1'].serverRelativeURL).toMatch(/hash=/);
    for (const at of [OPENAPI, GROUP_OPENAPI]) {
      expect(index[at]).toEqual(documentAt(at));
      expect((await admin.ask(`/openapi/v3/${at}?hash=X`)).json()).toEqual({ openapi: '3.0.0' });
    }
  });

  const swagger = async (headers = {}) => admin.ask('/openapi/v2', { headers });
  const hasThings = async () => '/apis/demo.example.com/v1/things' in (await swagger()).json().paths;

  it('has its paths and definitions in the OpenAPI v2 document', async () => {
    await vi.waitUntil(hasThings, PATIENCE);
    const { paths, definitions } = (await swagger()).json();
    expect(paths['/apis/demo.example.com/v1/things']).toEqual(SWAGGER.paths['/apis/demo.example.com/v1/things']);
    expect(paths['/api/v1/namespaces/{namespace}/pods']).toBeDefined();
    expect(definitions['com.example.demo.Thing'].properties.at).toEqual({ $ref: `#/definitions/${TIME}_v2` });
    expect([definitions[TIME].type, definitions[`${TIME}_v2`].type]).toEqual(['string', 'integer']);
    expect(definitions.Version).toBeUndefined();
    const protobuf = await swagger({ accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' });
    expect(protobuf.body.includes('com.example.demo.Thing')).toBe(true);
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

  const upgrade = (path: string, more: { readonly protocol?: string; readonly method?: string } = {}) =>
    new Promise<{ readonly response: IncomingMessage; readonly socket: Socket | undefined; readonly head: Buffer }>(
      (resolve, reject) => {
        const { protocol = 'SPDY/3.1', method = 'POST' } = more;
        const { ca, cert, key } = server;
        const asking = https.request(`${server.url}${path}`, {
          method,
          ca,
          cert,
          key,
          agent: false,
          headers: { connection: 'Upgrade', upgrade: protocol, 'x-forwarded-for': '192.0.2.1' },
        });
        asking.once('upgrade', (response, socket, head) => resolve({ response, socket: socket as Socket, head }));
        asking.once('response', (response) => resolve({ response, socket: undefined, head: Buffer.alloc(0) }));
        asking.once('error', reject);
        asking.end();
      },
    );
  const textOf = async (response: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const piece of response) text += piece;
    return text;
  };
  /** Reads until the text ends with `last`. */
  const readUntil = async (socket: Socket, head: Buffer, last: string): Promise<string> => {
    let text = head.toString();
    while (!text.endsWith(last)) text += String(await new Promise((resolve) => socket.once('data', resolve)));
    return text;
  };

  it.each(['SPDY/3.1', 'websocket'])('gets upgraded connections: %s', async (protocol) => {
    const { response, socket, head } = await upgrade(`${THINGS}/a/exec?command=ls`, { protocol });
    expect([response.statusCode, response.headers['x-demo'], response.headers.upgrade]).toEqual([101, 'yes', protocol]);
    expect(demo.headers).toMatchObject({ upgrade: protocol, 'x-remote-group': expect.stringContaining('system:') });
    expect(demo.headers['x-forwarded-for']).toMatch(/^192\.0\.2\.1, \S*127\.0\.0\.1$/);
    expect(demo.headers.authorization).toBeUndefined();
    socket!.write('one');
    expect(await readUntil(socket!, head, 'one')).toBe('first POST one');
    const many = 'x'.repeat(1_000_000);
    socket!.write(`${many}!`);
    expect(await readUntil(socket!, Buffer.alloc(0), '!')).toHaveLength(many.length + 1);
    const { closed } = demo;
    socket!.end();
    await vi.waitUntil(() => demo.closed === closed + 1, PATIENCE);
  });

  it('closes the connection of the client when the server closes its own', async () => {
    const { socket, head } = await upgrade(`${THINGS}/a/exec`, { method: 'GET' });
    socket!.write('bye');
    expect(await readUntil(socket!, head, 'last')).toBe('first GET last');
    await new Promise((resolve) => socket!.once('close', resolve));
  });

  it('refuses an upgrade as the server does', async () => {
    const { response } = await upgrade(`${THINGS}/a/refused`);
    expect([response.statusCode, response.headers['x-demo'], await textOf(response)]).toEqual([403, 'yes', 'no\n']);
    const ignored = await upgrade(`${THINGS}/a/ignored`);
    expect([ignored.response.statusCode, await textOf(ignored.response)]).toEqual([
      503,
      'invalid upgrade response: status code 200\n',
    ]);
  });

  it('may not redirect requests', async () => {
    const { status, body } = await admin.ask(`${THINGS}?moved`);
    expect([status, body.toString()]).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted',
    ]);
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
    expect(await hasThings()).toBe(true);
    const { etag } = (await swagger()).headers;
    expect((await swagger({ 'if-none-match': etag })).status).toBe(304);
    await admin.ask(`${API_SERVICES}/v1.demo.example.com`, { method: 'DELETE' });
    await vi.waitUntil(async () => (await admin.ask(THINGS)).status === 404, PATIENCE);
    expect(await freshness()).toBeUndefined();
    await vi.waitUntil(async () => !(await hasThings()), PATIENCE);
    expect((await swagger({ 'if-none-match': etag })).status).toBe(200);
  });
});

it('ends the watches of aggregated servers in order when the server stops', async () => {
  const server = await startApiServer();
  const admin = new Client(server);
  const demo = new DemoServer(server);
  try {
    await register(admin, await demo.listen());
    const watch = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const { ca, cert, key } = server;
        const path = `${server.url}${THINGS}?watch=true&forever`;
        https.get(path, { ca, cert, key, agent: false }, resolve).once('error', reject);
      });
    let response = await watch();
    for (; response.statusCode !== 200; response = await watch()) response.resume();
    await new Promise((resolve) => response.once('data', resolve));
    const ended = new Promise<boolean>((resolve) => {
      response.once('end', () => resolve(response.complete));
      response.once('error', () => resolve(false));
      response.resume();
    });
    await server.close();
    expect(await ended).toBe(true);
  } finally {
    admin.close();
    await demo.close();
    await server.close();
  }
});
