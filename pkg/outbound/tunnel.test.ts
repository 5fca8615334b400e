import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { issueAuthority, issueLeaf } from '../server/issue.js';
import { systemWorld } from '../server/world.js';
import { Exposition } from '../telemetry/index.js';
import { EgressMetrics, egressDialers, Outbound, type ProxyPlace } from './index.js';
import { type TestProxyOptions, testProxy } from './testing/konnectivity.js';
import { closedPort, type TestHandler, tcpServer, testServer } from './testing/server.js';

const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
});

async function proxy(options: TestProxyOptions = {}) {
  const made = await testProxy(options);
  undo.push(() => made.close());
  return made;
}

async function server(handler: TestHandler, options: Parameters<typeof testServer>[1] = {}) {
  const made = await testServer(handler, options);
  undo.push(() => made.close());
  return made;
}

async function tcp(f: (socket: Socket) => void) {
  const made = await tcpServer(f);
  undo.push(() => made.close());
  return made;
}

const metrics = () => new EgressMetrics(systemWorld.clock);

function through(place: ProxyPlace, counted = metrics()) {
  const egress = egressDialers(new Map([['cluster', { kind: 'grpc', ...place }]]), systemWorld, counted);
  const by = new Outbound({ world: systemWorld, egress });
  undo.push(() => by.close());
  return { by, dial: egress('cluster') };
}

const plain = (port: number): ProxyPlace => ({ url: `http://127.0.0.1:${port}`, tls: undefined });
const local = (port: number) => ({ host: '127.0.0.1', port });
const get = { method: 'GET', path: '/', timeout: 20_000 } as const;
const never = new AbortController().signal;
const until = async (condition: () => boolean): Promise<void> => {
  for (let i = 0; i < 2000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
};
const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  );

describe('a konnectivity proxy', () => {
  it.each([
    ['HTTP/1.1', {}],
    ['HTTP/2', { http2: true }],
    ['HTTP without TLS', { plain: true }],
  ])('carries calls by %s, with bodies larger than any packet', async (_, options) => {
    const there = await server((body, __, response) => void response.end(body + body), options);
    const at = await proxy();
    const { by } = through(plain(at.port));
    const target = { origin: there.origin, ca: there.ca, network: 'cluster' } as const;
    const body = Buffer.alloc(3 * 1024 * 1024, 'abcdefg');
    for (let i = 0; i < 3; i++) {
      const response = await by.send(target, { ...get, method: 'POST', body });
      expect(response.body.equals(Buffer.concat([body, body]))).toBe(true);
    }
    // One connection serves the three calls, and its end reaches the proxy.
    expect(at.received).toEqual([`dial 127.0.0.1:${there.port}`]);
    by.close();
    await until(() => at.open() === 0);
    expect(at.received).toContain('closeRequest');
  });

  it('is reached by UNIX domain sockets, and by TLS with a client certificate', async () => {
    const there = await server((_, __, response) => void response.end('reached'));
    const folder = mkdtempSync(join(tmpdir(), 'tunnel-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const unixSocket = join(folder, 's');
    await proxy({ unixSocket });
    const now = Date.now();
    const authority = await issueAuthority('proxies', now, 30);
    const leaf = { dnsNames: [], addresses: ['127.0.0.1'], days: 10 };
    const pair = await issueLeaf(authority, { subject: { commonName: 'p' }, use: 'server', ...leaf }, now);
    const certificate = await issueLeaf(authority, { subject: { commonName: 'c' }, use: 'client', ...leaf }, now);
    const secure = await proxy({ tls: { ...pair, clientCa: authority.cert } });
    const url = `https://127.0.0.1:${secure.port}`;
    const target = { origin: there.origin, ca: there.ca, network: 'cluster' } as const;
    const named = url.replace('127.0.0.1', 'localhost');
    const tls = { ca: authority.cert, certificate };
    for (const place of [{ unixSocket }, { url, tls }, { url: named, tls: { ...tls, serverName: '127.0.0.1' } }])
      expect((await through(place).by.send(target, get)).body.toString()).toBe('reached');
    const refused = (place: ProxyPlace) => failure(through(place).by.send(target, get));
    expect(await refused({ url, tls: { ca: authority.cert } })).toMatch(/dialing proxy "127.0.0.1:\d+" failed: /);
    expect(await refused({ url, tls: { ca: there.ca, certificate } })).toContain('certificate');
    expect(await refused({ url: named, tls })).toContain(
      'certificate is not valid for any names, but wanted to match localhost',
    );
  });

  it('reports where a dial failed', async () => {
    const counted = metrics();
    const [nobody, at] = [await closedPort(), await proxy()];
    const target = { origin: `https://127.0.0.1:${nobody}`, network: 'cluster' } as const;
    expect(await failure(through(plain(at.port), counted).by.send(target, get))).toBe(
      `Get "https://127.0.0.1:${nobody}/": dial tcp 127.0.0.1:${nobody}: connect ECONNREFUSED 127.0.0.1:${nobody}`,
    );
    expect(await failure(through(plain(nobody), counted).by.send(target, get))).toContain(
      `dialing proxy "127.0.0.1:${nobody}" failed: connect ECONNREFUSED`,
    );
    expect(await failure(through({ unixSocket: '/nowhere/s' }, counted).by.send(target, get))).toContain(
      'dialing proxy "/nowhere/s" failed: connect ENOENT',
    );
    const exposition = new Exposition();
    exposition.add(...counted.families);
    const text = (await exposition.scrape('text')).toString();
    for (const line of [
      'dial_start_total{protocol="grpc",transport="tcp"} 2',
      'dial_failure_count{protocol="grpc",transport="tcp",stage="proxy"} 1',
      'dial_failure_count{protocol="grpc",transport="tcp",stage="connect"} 1',
      'dial_failure_count{protocol="grpc",transport="uds",stage="connect"} 1',
    ])
      expect(text).toContain(`apiserver_egress_dialer_${line}`);
  });

  it('is counted: packets, connections by status, and dials that failed by reason', async () => {
    const counted = metrics();
    const exposition = new Exposition();
    exposition.add(...counted.families);
    const shown = async (): Promise<string[]> =>
      (await exposition.scrape('text'))
        .toString()
        .split('\n')
        .filter((line) => /^konnectivity_.* [1-9]/.test(line))
        .map((line) => line.replace('konnectivity_network_proxy_client_', ''))
        .sort();
    const echo = await tcp((socket) => socket.pipe(socket));
    const at = await proxy();
    const { dial } = through(plain(at.port), counted);
    const socket = await dial(local(echo.port), never);
    expect(await shown()).toEqual([
      'client_connections{status="ok"} 1',
      'stream_packets_total{segment="from_client",packet_type="DIAL_REQ"} 1',
      'stream_packets_total{segment="to_client",packet_type="DIAL_RSP"} 1',
    ]);
    socket.write('hello');
    await socket.iterator({ destroyOnReturn: false }).next();
    socket.destroy();
    await until(() => at.open() === 0);
    await failure(dial(local(await closedPort()), never));
    const silent = await proxy({ silent: true });
    const controller = new AbortController();
    const dialing = failure(through(plain(silent.port), counted).dial(local(1), controller.signal));
    await until(() => silent.received.length === 1);
    controller.abort();
    await dialing;
    await until(() => silent.open() === 0);
    expect(await shown()).toEqual([
      'dial_failure_total{reason="context"} 1',
      'dial_failure_total{reason="endpoint"} 1',
      'stream_packets_total{segment="from_client",packet_type="CLOSE_REQ"} 1',
      'stream_packets_total{segment="from_client",packet_type="DATA"} 1',
      'stream_packets_total{segment="from_client",packet_type="DIAL_CLS"} 1',
      'stream_packets_total{segment="from_client",packet_type="DIAL_REQ"} 3',
      'stream_packets_total{segment="to_client",packet_type="CLOSE_RSP"} 1',
      'stream_packets_total{segment="to_client",packet_type="DATA"} 1',
      'stream_packets_total{segment="to_client",packet_type="DIAL_RSP"} 2',
    ]);
  });

  it('counts a stream that breaks', async () => {
    const counted = metrics();
    const echo = await tcp((socket) => socket.pipe(socket));
    const at = await proxy();
    const socket = await through(plain(at.port), counted).dial(local(echo.port), never);
    const broken = new Promise((resolve) => socket.once('error', resolve));
    socket.resume();
    await at.close();
    await broken;
    const exposition = new Exposition();
    exposition.add(...counted.families);
    expect((await exposition.scrape('text')).toString()).toMatch(
      /stream_errors_total\{segment="to_client",code="\w+",packet_type="Unknown"\} 1/,
    );
  });

  it('is notified of a dial that was canceled', async () => {
    const at = await proxy({ silent: true });
    const controller = new AbortController();
    const dialing = failure(through(plain(at.port)).dial(local(1), controller.signal));
    await until(() => at.received.length === 1);
    controller.abort();
    expect(await dialing).toBe('dial timeout, context');
    await until(() => at.received.includes('closeDial') && at.open() === 0);
  });

  it('may use ids of all 64 bits', async () => {
    const echo = await tcp((socket) => socket.pipe(socket));
    const at = await proxy({ connectId: { low: -2, high: 0x7fffffff, unsigned: false } });
    const socket = await through(plain(at.port)).dial(local(echo.port), never);
    socket.write('hello');
    expect(String((await socket.iterator({ destroyOnReturn: false }).next()).value)).toBe('hello');
    socket.destroy();
    await until(() => at.open() === 0);
  });

  it('slows down a sender whose data is not read', async () => {
    const total = 24 * 1024 * 1024;
    const piece = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    const pieces = function* () {
      for (; sent < total; sent += piece.length) yield piece;
    };
    const there = await tcp((socket) => void Readable.from(pieces()).pipe(socket));
    const at = await proxy();
    const socket = await through(plain(at.port)).dial(local(there.port), never);
    socket.pause();
    for (let [still, last] = [0, -1]; still < 40; await new Promise((resolve) => setTimeout(resolve, 5))) {
      still = sent > 0 && sent === last ? still + 1 : 0;
      last = sent;
    }
    expect(sent).toBeLessThan(total);
    expect((await buffer(socket)).length).toBe(total);
    await until(() => at.open() === 0);
  });

  it('has no half-closed connections: the other end may finish after ours has', async () => {
    const there = await tcp((socket) => socket.once('data', () => setTimeout(() => socket.end('late'), 20)));
    const at = await proxy();
    const socket = await through(plain(at.port)).dial(local(there.port), never);
    socket.end('request');
    expect(String(await buffer(socket))).toBe('late');
    await until(() => at.open() === 0);
    expect(at.received).not.toContain('closeRequest');
  });

  it('ends connections with an error when it stops, so that nothing incomplete is taken for complete', async () => {
    const there = await tcp((socket) => void socket.write('part'));
    const at = await proxy();
    const socket = await through(plain(at.port)).dial(local(there.port), never);
    const error = new Promise<Error>((resolve) => void socket.once('error', resolve));
    await new Promise((resolve) => void socket.once('data', resolve));
    at.cut();
    expect((await error).message).toBe('read: tunnel closed');
  });
});
