import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

/** Requests that the kubelet of a node answers. The answers are those of kube-apiserver 1.37. */

const PODS = '/api/v1/namespaces/default/pods';
const NODE = '/api/v1/nodes/n';

interface Asked {
  readonly line: string;
  readonly user: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A kubelet that remembers what it was asked. */
class Kubelet {
  readonly #server: https.Server;
  readonly asked: Asked[] = [];

  constructor({ cert, key, ca }: Pick<TestApiServer, 'cert' | 'key' | 'ca'>) {
    this.#server = https.createServer({ cert, key, ca, requestCert: true }, (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        this.#note(request, Buffer.concat(pieces).toString());
        answer(request, response);
      });
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      this.#note(request, '');
      if (request.url?.startsWith('/exec/default/refused') === true)
        return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nnever\n');
      if (request.url?.startsWith('/exec/default/plain') === true)
        return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      socket.on('error', () => socket.destroy());
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nfirst ');
      socket.on('data', (piece: Buffer) => socket.end(`then ${piece.toString()}`));
    });
  }

  #note({ method, url, headers, socket }: IncomingMessage, body: string): void {
    const user = String((socket as TLSSocket).getPeerCertificate().subject?.CN ?? '');
    this.asked.push({ line: `${method} ${url}`, user, headers, body });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, headers: Record<string, string | string[]>, body: string | Buffer): void => {
    response.writeHead(status, headers);
    response.end(body);
  };
  const url = request.url ?? '';
  if (url.includes('/starting/')) send(400, { 'content-type': 'text/plain' }, 'container "c" is waiting to start\n');
  else if (url.includes('/gone/')) send(404, {}, 'no such pod');
  else if (url.includes('/broken/')) send(500, {}, 'boom');
  else if (url === '/moved') send(302, { location: '/elsewhere/?x=1' }, '');
  else if (url === '/away') send(302, { location: 'http://other.example.com/a' }, '');
  else if (url === '/page') send(200, { 'content-type': 'text/html; charset=utf-8' }, '<a href="/x">\u00fc</a>');
  else if (url === '/compressed')
    send(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, gzipSync('<a href="/y">'));
  else if (url === '/hops')
    send(200, { connection: 'x-hop', 'x-hop': '1', 'x-kept': '2', 'set-cookie': ['a=1', 'b=2'] }, 'hops');
  else {
    response.writeHead(200, { 'content-type': 'text/x-odd' });
    response.write('one\n');
    setImmediate(() => response.end('two\n'));
  }
}

let server: TestApiServer;
let client: Client;
let kubelet: Kubelet;

beforeAll(async () => {
  server = await startApiServer();
  client = new Client(server);
  kubelet = new Kubelet(server);
  const daemonEndpoints = { kubeletEndpoint: { Port: await kubelet.listen() } };
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  await client.ask('/api/v1/nodes', {
    method: 'POST',
    body: { metadata: { name: 'n' }, status: { addresses, daemonEndpoints } },
  });
  const nowhere = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
  await client.ask('/api/v1/nodes', { method: 'POST', body: { metadata: { name: 'dead' }, status: nowhere } });
  for (const name of ['p', 'starting', 'gone', 'broken', 'refused', 'plain', 'dead']) {
    const spec = { nodeName: name === 'dead' ? 'dead' : 'n', containers: [{ name: 'c', image: 'i' }] };
    const made = await client.ask(PODS, { method: 'POST', body: { metadata: { name }, spec } });
    expect(made.status).toBe(201);
  }
}, 60_000);

afterAll(async () => {
  kubelet.close();
  client.close();
  await server.close();
});

const last = (): Asked => kubelet.asked.at(-1)!;

describe('a log', () => {
  it('is text, whatever type the kubelet says, and is asked for with the certificate of the server', async () => {
    const log = await client.ask(`${PODS}/p/log?tailLines=2&follow=true`);
    expect(log.status).toBe(200);
    expect(log.headers['content-type']).toBe('text/plain');
    expect(log.body.toString()).toBe('one\ntwo\n');
    expect(last()).toMatchObject({
      line: 'GET /containerLogs/default/p/c?follow=true&tailLines=2',
      user: 'kube-apiserver-kubelet-client',
    });
  });

  it.each([
    ['starting', 400, 'BadRequest', 'container "c" is waiting to start\n'],
    ['gone', 404, 'NotFound', 'the server could not find the requested resource ( pods/log gone)'],
    ['broken', 500, 'InternalError', 'Internal error occurred: boom'],
    [
      'dead',
      500,
      undefined,
      'Get "https://127.0.0.1:1/containerLogs/default/dead/c": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
  ])('that the kubelet of %s does not have is a Status with code %i', async (name, code, reason, message) => {
    const refused = await client.ask(`${PODS}/${name}/log`);
    expect(refused.status).toBe(code);
    expect(refused.json()).toMatchObject({ kind: 'Status', code, message });
    expect(refused.json().reason).toBe(reason);
  });
});

/** Sends the head of a request that asks for SPDY, then `hello` once something came, and returns all that came. */
function upgraded(path: string, method = 'POST', more = ''): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const { ca, cert, key } = server;
    const socket = connect({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ['http/1.1'] }, () =>
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${more}\r\n`,
      ),
    );
    let all = '';
    socket.on('data', (piece: Buffer) => {
      all += piece.toString();
      if (all.endsWith('first ')) socket.write('hello');
    });
    socket.on('end', () => resolve(all));
    socket.on('error', reject);
  });
}

describe('a command in a container', () => {
  it('is a connection between the client and the kubelet', async () => {
    const all = await upgraded(`${PODS}/p/exec?command=ls&stdout=true`);
    expect(all).toMatch(/^HTTP\/1\.1 101 .*first then hello$/s);
    expect(last()).toMatchObject({
      line: 'POST /exec/default/p/c?command=ls&output=1',
      user: 'kube-apiserver-kubelet-client',
    });
    expect(last().headers).toMatchObject({ host: 'here', upgrade: 'SPDY/3.1', 'x-forwarded-for': '127.0.0.1' });
    expect(last().headers).not.toHaveProperty('authorization');
  });

  it('needs another protocol', async () => {
    const plain = await client.ask(`${PODS}/p/exec?command=ls`, { method: 'POST' });
    expect(plain.json()).toMatchObject({ code: 400, message: 'Upgrade request required' });
  });

  it('that the kubelet refuses has its answer', async () => {
    expect(await upgraded(`${PODS}/refused/attach`)).toContain('101 Switching');
    expect(await upgraded(`${PODS}/refused/exec?command=ls`)).toMatch(/^HTTP\/1\.1 403 .*never\n/s);
    expect(await upgraded(`${PODS}/plain/exec?command=ls`)).toContain('invalid upgrade response: status code 200');
    expect(await upgraded(`${PODS}/dead/exec?command=ls`)).toContain(
      'error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });
});

describe('a proxy to a node', () => {
  it('forwards any request below its path', async () => {
    const headers = { cookie: 'k=v', 'x-own': '1', 'x-remote-user': 'root', 'content-type': 'text/plain' };
    const answered = await client.ask(`${NODE}/proxy/a%20b/c?d=%2F`, {
      method: 'PUT',
      headers,
      body: Buffer.from('body'),
    });
    expect(answered.status).toBe(200);
    expect(answered.headers['content-type']).toBe('text/x-odd');
    expect(answered.headers['cache-control']).toBe('no-cache, private');
    expect(last()).toMatchObject({ line: 'PUT /a%20b/c?d=%2F', body: 'body' });
    expect(last().headers).toMatchObject({
      cookie: 'k=v',
      'x-own': '1',
      'x-forwarded-uri': `${NODE}/proxy/a%20b/c`,
      host: new URL(server.url).host,
    });
    expect(last().headers).not.toHaveProperty('x-remote-user');
  });

  it('redirects to a path with a slash, and keeps redirections of the backend below its own path', async () => {
    const moved = async (path: string) => {
      const { status, headers } = await client.ask(`${NODE}/proxy${path}`);
      return `${status} ${headers.location}`;
    };
    expect(await moved('?x=1')).toBe(`301 ${NODE}/proxy/?x=1`);
    expect(await moved('/moved')).toBe(`302 ${NODE}/proxy/elsewhere/?x=1`);
    expect(await moved('/away')).toBe('302 http://other.example.com/a');
  });

  it.each(['OPTIONS', 'HEAD', 'DELETE'])('forwards %s', async (method) => {
    const { status, body } = await client.ask(`${NODE}/proxy/x`, { method });
    expect([status, body.toString()]).toEqual([200, method === 'HEAD' ? '' : 'one\ntwo\n']);
    expect(last().line).toBe(`${method} /x`);
  });

  it('keeps the links of a page below its own path', async () => {
    const page = await client.ask(`${NODE}/proxy/page`, { headers: { 'accept-encoding': 'gzip' } });
    expect(page.body.toString()).toBe(`<a href="${NODE}/proxy/x">\u00fc</a>`);
    const { body, headers } = await client.ask(`${NODE}/proxy/compressed`);
    expect([body.toString(), headers['content-encoding']]).toEqual([`<a href="${NODE}/proxy/y">`, undefined]);
  });

  it('drops the headers of a connection', async () => {
    const { headers } = await client.ask(`${NODE}/proxy/hops`);
    expect(headers).toMatchObject({ 'x-kept': '2', 'set-cookie': ['a=1', 'b=2'] });
    expect(headers).not.toHaveProperty('x-hop');
  });

  it('does not give a token in a subprotocol of a WebSocket to a backend', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`;
    const more = `Sec-WebSocket-Protocol: ${token}, v4.channel.k8s.io\r\n`;
    expect(await upgraded(`${PODS}/p/exec?command=ls`, 'GET', more)).toMatch(/first then hello$/);
    expect(last().headers['sec-websocket-protocol']).toBe('v4.channel.k8s.io');
  });

  it('connects an upgrade, and says why it cannot reach a node', async () => {
    expect(await upgraded(`${NODE}/proxy/stream?dropped=1`, 'GET')).toMatch(/first then hello$/);
    expect(last().line).toBe('GET /stream');
    const dead = await client.ask('/api/v1/nodes/dead/proxy/x');
    expect(dead.json()).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused',
    });
  });
});
