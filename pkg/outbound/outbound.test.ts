import { mkdtempSync, rmSync } from 'node:fs';
import { constants, type Http2ServerRequest } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createSecureServer, type PeerCertificate } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, StoredObjects } from '../api/index.js';
import { issueAuthority, issueLeaf } from '../server/issue.js';
import { systemWorld } from '../server/world.js';
import { CertificateMetrics } from './certificatemetrics.js';
import { ClientMetrics } from './clientmetrics.js';
import { sha1Problem } from './errors.js';
import {
  egressDialers,
  Outbound,
  OutboundError,
  OutboundKubeconfig,
  type OutboundRequest,
  type OutboundTarget,
  restError,
  serviceResolver,
} from './index.js';
import { closedPort, connectProxy, tcpServer, testServer } from './testing/server.js';

const world = systemWorld;
const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
});

function outbound(parts: Partial<ConstructorParameters<typeof Outbound>[0]> = {}): Outbound {
  const made = new Outbound({ world, ...parts });
  undo.push(() => made.close());
  return made;
}

async function server(...given: Parameters<typeof testServer>) {
  const made = await testServer(...given);
  undo.push(() => made.close());
  return made;
}

async function tcp(...given: Parameters<typeof tcpServer>) {
  const made = await tcpServer(...given);
  undo.push(() => made.close());
  return made;
}

const post = (fields: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  path: '/hook?timeout=10s',
  body: Buffer.from('{}'),
  timeout: 60_000,
  ...fields,
});

async function problemOf(target: OutboundTarget, request = post(), by = outbound()): Promise<string> {
  const error = await by.send(target, request).then(
    (r) => new Error(`answered ${r.status}`),
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return (error as Error).message;
}

describe('calls', () => {
  it.each([false, true])('send and receive over kept connections (HTTP/2: %s)', async (http2) => {
    const there = await server(
      (body, request, response) => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            body,
            version: request.httpVersion,
            url: request.url,
            agent: request.headers['user-agent'],
          }),
        );
      },
      { http2 },
    );
    const by = outbound({ userAgent: 'kube-apiserver-admission' });
    const target = { origin: there.origin, ca: there.ca };
    for (let i = 0; i < 3; i++) {
      const { status, body } = await by.send(target, post({ body: Buffer.from(`n${i}`) }));
      expect(status).toBe(201);
      expect(JSON.parse(body.toString())).toEqual({
        body: `n${i}`,
        version: http2 ? '2.0' : '1.1',
        url: '/hook?timeout=10s',
        agent: 'kube-apiserver-admission',
      });
    }
    await Promise.all(Array.from({ length: 20 }, () => by.send({ ...target }, post())));
    expect(there.connections()).toBeLessThanOrEqual(http2 ? 1 : 21);
  });

  it('use HTTP/1.1 if the target excludes HTTP/2', async () => {
    const there = await server((_, request, response) => void response.end(request.httpVersion), { http2: true });
    const { body } = await outbound().send({ origin: there.origin, ca: there.ca, http2: false }, post());
    expect(body.toString()).toBe('1.1');
  });

  it('do not follow redirects', async () => {
    const there = await server((_, __, response) => void response.writeHead(302, { location: '/other' }).end());
    const response = await outbound().send({ origin: there.origin, ca: there.ca }, post());
    expect(response.status).toBe(302);
    expect(restError(response)?.message).toBe(
      'the server responded with the status code 302 but did not return more information',
    );
  });

  it.each([false, true])('end at their timeout while others continue (HTTP/2: %s)', async (http2) => {
    const there = await server(
      (body, _, response) => {
        if (body === 'hang') return;
        if (body === 'half') {
          response.writeHead(200);
          response.write('x');
          return;
        }
        response.end('done');
      },
      { http2 },
    );
    const target = { origin: there.origin, ca: there.ca };
    const by = outbound();
    await by.send(target, post());
    const hung = problemOf(target, post({ body: Buffer.from('hang'), timeout: 300 }), by);
    const half = problemOf(target, post({ body: Buffer.from('half'), timeout: 300 }), by);
    expect((await by.send(target, post())).body.toString()).toBe('done');
    expect(await hung).toBe(`Post "${there.origin}/hook?timeout=10s": context deadline exceeded`);
    expect(await half).toContain('context deadline exceeded');
    expect((await by.send(target, post())).body.toString()).toBe('done');
  });

  it('end when the caller aborts', async () => {
    const there = await server(() => {});
    const controller = new AbortController();
    const problem = problemOf({ origin: there.origin, ca: there.ca }, post({ signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect(await problem).toBe(`Post "${there.origin}/hook?timeout=10s": context canceled`);
  });

  it('limit the size of the response', async () => {
    const there = await server((body, __, response) => {
      if (body === 'long') response.setHeader('content-length', 4_000_000);
      response.end(Buffer.alloc(4_000_000, 'x'));
    });
    const target = { origin: there.origin, ca: there.ca };
    for (const body of ['long', 'chunked'])
      expect(await problemOf(target, post({ body: Buffer.from(body), bodyBytesMax: 1_000_000 }))).toContain(
        'the response is larger than 1000000 bytes',
      );
  });

  it.each([false, true])('survive an idle connection that the server closed (HTTP/2: %s)', async (http2) => {
    const there = await server((_, __, response) => void response.end('ok'), { http2 });
    const by = outbound();
    const target = { origin: there.origin, ca: there.ca };
    for (let i = 0; i < 5; i++) {
      expect((await by.send(target, post())).status).toBe(200);
      there.cut();
    }
    // Several connections that were closed at once.
    await Promise.all(Array.from({ length: 8 }, () => by.send(target, post())));
    there.cut();
    expect((await by.send(target, post())).status).toBe(200);
  });

  it('are sent again over HTTP/2 if the server refused the stream, and not if it may have acted on it', async () => {
    const seen: string[] = [];
    const there = await server(
      (_, request, response) => {
        seen.push(request.url ?? '');
        const { stream } = request as unknown as Http2ServerRequest;
        if (seen.length === 2) stream.close(constants.NGHTTP2_REFUSED_STREAM);
        else if (request.url === '/broken') stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        else response.end('ok');
      },
      { http2: true },
    );
    const by = outbound();
    const target = { origin: there.origin, ca: there.ca };
    for (const path of ['/1', '/2']) expect((await by.send(target, post({ path, once: true }))).status).toBe(200);
    expect(seen).toEqual(['/1', '/2', '/2']);
    expect(await problemOf(target, post({ path: '/broken' }), by)).toContain('INTERNAL_ERROR');
    expect(seen).toEqual(['/1', '/2', '/2', '/broken']);
  });

  it('are not repeated over a connection that was closed during the call, if they change something', async () => {
    for (const http2 of [false, true]) {
      let calls = 0;
      const there = await server(
        (_, __, response) => {
          if (++calls === 1) response.end('ok');
          else there.cut();
        },
        { http2 },
      );
      const by = outbound();
      const target = { origin: there.origin, ca: there.ca };
      await by.send(target, post());
      await problemOf(target, post({ once: true }), by);
      expect(calls).toBe(2);
    }
  });

  it('go through the proxy of a kubeconfig', async () => {
    const there = await server((_, __, response) => void response.end('reached'));
    const proxy = await connectProxy();
    undo.push(() => proxy.close());
    const kubeconfig = new OutboundKubeconfig({
      file: '/etc/hook.yaml',
      read: () =>
        JSON.stringify({
          'current-context': 'c',
          contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
          clusters: [
            {
              name: 'c',
              cluster: {
                server: `${there.origin.replace('127.0.0.1', 'localhost')}/hook`,
                'certificate-authority-data': Buffer.from(there.ca).toString('base64'),
                'proxy-url': `http://me:p%40ss@127.0.0.1:${proxy.port}`,
              },
            },
          ],
          users: [{ name: 'u', user: {} }],
        }),
    });
    const { target } = kubeconfig.target();
    expect((await outbound().send(target, post())).body.toString()).toBe('reached');
    expect(proxy.heads).toEqual([
      `CONNECT localhost:${there.port} HTTP/1.1\r\nHost: 127.0.0.1\r\nProxy-Authorization: Basic ${btoa('me:p@ss')}\r\n\r\n`,
    ]);
    const nowhere = { ...target, proxy: `http://127.0.0.1:${await closedPort()}` };
    expect(await problemOf(nowhere)).toContain('proxyconnect tcp: dial tcp 127.0.0.1:');
  });
});

describe('errors have the texts of Go', () => {
  it('for targets that cannot be reached', async () => {
    const port = await closedPort();
    const origin = `https://127.0.0.1:${port}`;
    expect(await problemOf({ origin })).toBe(
      `Post "${origin}/hook?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  });

  it('for certificates', async () => {
    const good = await server((_, __, response) => void response.end());
    const other = await issueAuthority('another', Date.now(), 10);
    const unknown = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    expect(await problemOf({ origin: good.origin, ca: other.cert })).toContain(`timeout=10s": ${unknown}`);
    expect(await problemOf({ origin: good.origin })).toContain(unknown);
    const named = await server((_, __, response) => void response.end(), {
      dnsNames: ['a.test', 'b.test'],
      addresses: [],
    });
    // The name is compared before the chain.
    for (const { cert: ca } of [{ cert: named.ca }, other])
      expect(await problemOf({ origin: named.origin, ca })).toContain(
        "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
      );
    expect(await problemOf({ origin: named.origin, ca: named.ca, serverName: 'svc.ns.svc' })).toContain(
      'x509: certificate is valid for a.test, b.test, not svc.ns.svc',
    );
    expect(await problemOf({ origin: good.origin, ca: good.ca, serverName: '10.0.0.1' })).toContain(
      'x509: certificate is valid for 127.0.0.1, not 10.0.0.1',
    );
    const { body } = await outbound().send({ origin: named.origin, ca: named.ca, serverName: 'a.test' }, post());
    expect(body.length).toBe(0);
    const bare = await server((_, __, response) => void response.end(), { dnsNames: [], addresses: [] });
    expect(await problemOf({ origin: bare.origin, ca: bare.ca, serverName: 'test-server' })).toContain(
      'x509: certificate relies on legacy Common Name field, use SANs instead',
    );
    const old = await server((_, __, response) => void response.end(), { days: -0.001 });
    expect(await problemOf({ origin: old.origin, ca: old.ca })).toMatch(
      /x509: certificate has expired or is not yet valid: current time \S+Z is after \S+Z$/,
    );
    expect((await outbound().send({ origin: old.origin, insecure: true }, post())).status).toBe(200);
  });

  it('counts those of outdated certificates, by the purpose of the call', async () => {
    const certificates = new CertificateMetrics();
    const counts = (): readonly number[] => certificates.families.map((family) => family.get().values[0]!.value);
    expect(certificates.families.map((family) => family.name)).toEqual([
      'apiserver_webhooks_x509_missing_san_total',
      'apiserver_webhooks_x509_insecure_sha1_total',
      'apiserver_kube_aggregator_x509_missing_san_total',
      'apiserver_kube_aggregator_x509_insecure_sha1_total',
    ]);
    const by = outbound({ certificates });
    const bare = await server((_, __, response) => void response.end(), { dnsNames: [], addresses: [] });
    const target: OutboundTarget = { origin: bare.origin, ca: bare.ca, serverName: 'test-server' };
    await problemOf(target, post(), by);
    expect(counts()).toEqual([0, 0, 0, 0]);
    await problemOf({ ...target, purpose: 'webhook' }, post(), by);
    await problemOf({ ...target, serverName: 'other', purpose: 'webhook' }, post(), by);
    expect(counts()).toEqual([1, 0, 0, 0]);
    await problemOf({ ...target, purpose: 'aggregation' }, post(), by);
    expect(counts()).toEqual([1, 0, 1, 0]);
  });

  it('counts calls by host, method and status, with their time and sizes', async () => {
    const calls = new ClientMetrics();
    const by = outbound({ calls });
    const answering = await server((_, __, response) => {
      response.statusCode = 429;
      response.end('later');
    });
    const target: OutboundTarget = { origin: answering.origin, ca: answering.ca };
    await by.send(target, { ...post(), body: Buffer.from('0123456789') });
    await problemOf({ ...target, serverName: 'other' }, post(), by);
    const host = answering.origin.replace('https://', '');
    const [requests, ...histograms] = calls.families.map((family) => family.get());
    expect(requests!.values).toEqual([
      { value: 1, labels: { code: '429', host, method: 'POST' } },
      { value: 1, labels: { code: '<error>', host, method: 'POST' } },
    ]);
    const counts = histograms.map(({ values }) => values.find((v) => v.metricName?.endsWith('_count'))?.value);
    expect(counts).toEqual([2, 2, 1]);
    const bytes = histograms[2]!.values.find((v) => v.metricName?.endsWith('_sum'));
    expect(bytes).toMatchObject({ value: 5, labels: { host, verb: 'POST' } });
  });

  it('for signatures with SHA-1', () => {
    const oid = (hex: string) => ({ raw: Buffer.from(`3082${hex}0500`, 'hex'), issuer: { CN: 'old ca' } });
    const problem = (code: string, hex: string) => sha1Problem({ code }, oid(hex) as unknown as PeerCertificate);
    expect(problem('UNSPECIFIED', '06092a864886f70d010105')).toMatchObject({
      message:
        'certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm SHA1-RSA" while trying to verify candidate authority certificate "old ca")',
      fault: 'insecureSha1',
    });
    expect(problem('UNSPECIFIED', '06072a8648ce3d0401')?.message).toContain('insecure algorithm ECDSA-SHA1"');
    expect(problem('UNSPECIFIED', '06092a864886f70d01010b')).toBeUndefined();
    expect(problem('CERT_HAS_EXPIRED', '06092a864886f70d010105')).toBeUndefined();
  });

  it('for servers that do not speak the protocol', async () => {
    const plain = await server((_, __, response) => void response.end(), { plain: true });
    const url = `https://127.0.0.1:${plain.port}`;
    expect(await problemOf({ origin: url, insecure: true })).toBe(
      `Post "${url}/hook?timeout=10s": http: server gave HTTP response to HTTPS client`,
    );
    const closing = await tcp((socket) => socket.destroy());
    expect(await problemOf({ origin: closing.origin, insecure: true })).toMatch(
      /: (EOF|read: connection reset by peer)$/,
    );
    const garbage = await server((_, request) => void request.socket.end('garbage\r\n\r\n'));
    expect(await problemOf({ origin: garbage.origin, ca: garbage.ca })).toContain(
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response "garbage"',
    );
    const reset = await server((_, request) => void request.socket.destroy());
    expect(await problemOf({ origin: reset.origin, ca: reset.ca })).toBe(
      `Post "${reset.origin}/hook?timeout=10s": EOF`,
    );
    const short = await server(
      (_, request) => void request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'),
    );
    expect(await problemOf({ origin: short.origin, ca: short.ca })).toBe(
      'unexpected error when reading response body. Please retry. Original error: unexpected EOF',
    );
  });

  it('for a hung handshake', async () => {
    const hung = await tcp(() => {});
    expect(await problemOf({ origin: hung.origin }, post({ timeout: 200 }))).toBe(
      `Post "${hung.origin}/hook?timeout=10s": context deadline exceeded`,
    );
  });

  it('for responses that are errors', () => {
    const of = (status: number, text: string, type = 'text/plain') =>
      restError({ status, headers: { 'content-type': type }, body: Buffer.from(text) })?.message;
    expect(of(200, '')).toBeUndefined();
    expect(of(500, 'boom "x"\n')).toBe(
      'an error on the server ("boom \\"x\\"") has prevented the request from succeeding',
    );
    expect(of(500, 'boom', 'application/json')).toBe(
      'an error on the server ("unknown") has prevented the request from succeeding',
    );
    expect(of(404, 'no')).toBe('the server could not find the requested resource');
    expect(of(503, '')).toBe('the server is currently unable to handle the request');
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'mine', reason: 'Gone', code: 410 };
    expect(of(500, JSON.stringify(status), 'application/json')).toBe('mine');
  });
});

describe('credentials', () => {
  it('may be in a kubeconfig of YAML 1.1', () => {
    const text = 'clusters: [{name: c, cluster: {server: "https://h", insecure-skip-tls-verify: on}}]\n';
    const contexts = 'contexts: [{name: d, name: c, context: {cluster: c}}]\ncurrent-context: c\n';
    const kubeconfig = new OutboundKubeconfig({ file: '/k', read: () => text + contexts });
    expect(kubeconfig.target().target).toMatchObject({ origin: 'https://h', insecure: true });
    expect(() => new OutboundKubeconfig({ file: '/k', read: () => 'users: [' })).toThrow('/k: Flow sequence');
  });

  it('are those of the kubeconfig, by host and wildcard', async () => {
    const authority = await issueAuthority('clients', Date.now(), 10);
    const client = await issueLeaf(authority, { subject: { commonName: 'me' }, use: 'client', days: 5 }, Date.now());
    const there = await server(
      (_, request, response) => {
        const { subject } = (
          request.socket as unknown as { getPeerCertificate(): { subject?: { CN: string } } }
        ).getPeerCertificate();
        response.end(JSON.stringify([subject?.CN ?? '', request.headers['authorization'] ?? '']));
      },
      { clientCa: authority.cert },
    );
    const data = (text: string): string => Buffer.from(text).toString('base64');
    let token = 'first';
    const file = {
      'current-context': 'c',
      clusters: [
        { name: 'c', cluster: { server: `${there.origin}/root/`, 'certificate-authority-data': data(there.ca) } },
      ],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'hook.example.com' } }],
      users: [
        {
          name: 'hook.example.com',
          user: { 'client-certificate-data': data(client.cert), 'client-key-data': data(client.key), tokenFile: 'tok' },
        },
        { name: '*.example.com', user: { token: 'wild' } },
        { name: 'a.ns.svc:8443', user: { token: 'port' } },
        { name: '*', user: { username: 'u', password: 'p' } },
      ],
    };
    const kubeconfig = new OutboundKubeconfig({
      file: '/etc/x/kubeconfig',
      read: (path) => (path === '/etc/x/tok' ? token : JSON.stringify(file)),
    });
    const { target, path } = kubeconfig.target();
    expect(path).toBe('/root');
    const by = outbound();
    const seen = async () => JSON.parse((await by.send(target, post())).body.toString()) as unknown;
    expect(await seen()).toEqual(['me', 'Bearer first']);
    token = 'second';
    expect(await seen()).toEqual(['me', 'Bearer second']);
    token = '';
    expect(await seen()).toEqual(['me', 'Bearer second']);
    token = 'second';
    const auth = (host: string) => kubeconfig.credentialsFor(host).authorization?.();
    expect(auth('hook.example.com:443')).toBe('Bearer second');
    expect(auth('other.example.com:443')).toBe('Bearer wild');
    expect(auth('a.ns.svc:8443')).toBe('Bearer port');
    expect(auth('a.ns.svc:443')).toBe(`Basic ${data('u:p')}`);
    expect(() => new OutboundKubeconfig({ file: 'k', read: () => 'a: [' })).toThrow(/^k: /);
  });
});

describe('services', () => {
  const service = (name: string, spec: JsonObject): JsonObject => ({ metadata: { name, namespace: 'ns' }, spec });
  const services: Readonly<Record<string, JsonObject>> = {
    a: service('a', {
      type: 'ClusterIP',
      clusterIP: '10.0.0.9',
      ports: [{ name: 'h', port: 443 }],
      ipFamilies: ['IPv4'],
    }),
    none: service('none', { type: 'ClusterIP', clusterIP: 'None', ports: [{ name: 'h', port: 443 }] }),
    out: service('out', { type: 'ExternalName', externalName: 'x.example.com' }),
  };
  const slice = (ready: boolean, address: string): JsonObject => ({
    metadata: { labels: { 'kubernetes.io/service-name': 'a' } },
    addressType: 'IPv4',
    ports: [{ name: 'h', port: 8443 }],
    endpoints: [{ addresses: [address], conditions: { ready } }],
  });
  const objects = {
    cached: (_: unknown, namespace: string, name: string) => (namespace === 'ns' ? services[name] : undefined),
    list: () => [slice(false, '10.1.0.1'), slice(true, '10.1.0.2')],
  } as unknown as StoredObjects;
  const resolve = (toEndpoints: boolean, name: string, port = 443) => {
    try {
      return serviceResolver({ objects, random: world.random, toEndpoints })({ namespace: 'ns', name, port });
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('resolve to the cluster IP', () => {
    expect(resolve(false, 'a')).toEqual({ host: '10.0.0.9', port: 443 });
    expect(resolve(false, 'out', 8443)).toEqual({ host: 'x.example.com', port: 8443 });
    expect(resolve(false, 'a', 80)).toBe('no service port 80 found for service "a"');
    expect(resolve(false, 'none')).toBe('cannot route to service with ClusterIP "None"');
    expect(resolve(false, 'b')).toBe('service "b" not found');
  });

  it('resolve to ready endpoints', () => {
    expect(resolve(true, 'a')).toEqual({ host: '10.1.0.2', port: 8443 });
    expect(resolve(true, 'out')).toBe('unsupported service type "ExternalName"');
  });
});

describe('egress', () => {
  /** A proxy that supports CONNECT and refuses port 1. */
  const proxying = (seen: string[]) => (socket: Socket) => {
    socket.once('data', (head: Buffer) => {
      const target = head.toString().split(' ')[1]!;
      seen.push(target);
      if (target.endsWith(':1')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const upstream = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
    });
  };

  it('goes through HTTP CONNECT over TCP and over UNIX domain sockets', async () => {
    const there = await server((_, __, response) => void response.end('reached'));
    const seen: string[] = [];
    const folder = mkdtempSync(join(tmpdir(), 'egress-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const proxy = await tcp(proxying(seen));
    await tcp(proxying(seen), join(folder, 's'));
    const egress = egressDialers(
      new Map([
        ['cluster', { kind: 'httpConnect', url: `http://127.0.0.1:${proxy.port}`, tls: undefined }],
        ['controlplane', { kind: 'httpConnect', unixSocket: join(folder, 's') }],
        ['etcd', { kind: 'direct' }],
      ]),
      world,
    );
    const by = outbound({ egress });
    const target = { origin: there.origin, ca: there.ca };
    for (const network of ['cluster', 'controlplane', 'etcd'] as const)
      expect((await by.send({ ...target, network }, post())).body.toString()).toBe('reached');
    expect(seen).toEqual([`127.0.0.1:${there.port}`, `127.0.0.1:${there.port}`]);
    expect(await problemOf({ origin: 'https://127.0.0.1:1', network: 'cluster' }, post(), by)).toContain(
      `proxy error from 127.0.0.1:${proxy.port} while dialing 127.0.0.1:1, code 403: 403 Forbidden`,
    );
  });

  it('compares the certificate of an HTTPS proxy with its server name', async () => {
    const there = await server((_, __, response) => void response.end('reached'));
    const now = Date.now();
    const authority = await issueAuthority('proxies', now, 30);
    const leaf = { dnsNames: ['proxy.example.com'], addresses: [], days: 10 };
    const pair = await issueLeaf(authority, { subject: { commonName: 'p' }, use: 'server', ...leaf }, now);
    const secure = createSecureServer({ ...pair }, proxying([]));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    undo.push(() => void secure.close());
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const through = (tls: object) => {
      const connection = { kind: 'httpConnect', url, tls: { ca: authority.cert, ...tls } } as const;
      return outbound({ egress: egressDialers(new Map([['cluster', connection]]), world) });
    };
    const target = { origin: there.origin, ca: there.ca, network: 'cluster' } as const;
    const named = through({ serverName: 'proxy.example.com' });
    expect((await named.send(target, post())).body.toString()).toBe('reached');
    expect(await problemOf(target, post(), through({}))).toContain('127.0.0.1');
  });
});
