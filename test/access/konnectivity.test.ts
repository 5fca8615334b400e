import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EgressMetrics, egressDialers, Outbound, type ProxyPlace } from '../../pkg/outbound/index.js';
import { closedPort, testServer } from '../../pkg/outbound/testing/server.js';
import { issueAuthority, issueLeaf } from '../../pkg/server/issue.js';
import { systemWorld } from '../../pkg/server/world.js';
import { eventually } from './client.js';

/** The folder of proxy-server and proxy-agent of sigs.k8s.io/apiserver-network-proxy; `make konnectivity` builds them with Go. */
const bin = process.env['TRIREME_KONNECTIVITY'];

let folder = '';
const children: ChildProcess[] = [];
const places: Record<string, ProxyPlace> = {};

async function freePorts(count: number): Promise<readonly number[]> {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(listeners.map((l) => new Promise((resolve) => void l.once('listening', resolve))));
  const ports = listeners.map((l) => (l.address() as { port: number }).port);
  await Promise.all(listeners.map((l) => new Promise((resolve) => void l.close(resolve))));
  return ports;
}

function run(program: string, args: Readonly<Record<string, string | number>>): void {
  const flags = Object.entries(args).map(([name, value]) => `--${name}=${value}`);
  children.push(spawn(join(bin!, program), flags, { stdio: 'ignore' }));
}

beforeAll(async () => {
  if (bin === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'konnectivity-'));
  const now = Date.now();
  const ca = await issueAuthority('konnectivity', now, 30);
  const leaf = { dnsNames: ['localhost'], addresses: ['127.0.0.1'], days: 10 };
  const serving = await issueLeaf(ca, { subject: { commonName: 'proxy' }, use: 'server', ...leaf }, now);
  const client = await issueLeaf(ca, { subject: { commonName: 'client' }, use: 'client', ...leaf }, now);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [caFile, cert, key] = [file('ca', ca.cert), file('cert', serving.cert), file('key', serving.key)];
  const [clientCert, clientKey] = [file('client-cert', client.cert), file('client-key', client.key)];
  const unixSocket = join(folder, 'socket');
  for (const kind of ['unix', 'tls']) {
    const [serverPort, agentPort, adminPort, healthPort, agentHealth, agentAdmin] = await freePorts(6);
    run('proxy-server', {
      mode: 'grpc',
      ...(kind === 'unix'
        ? { 'uds-name': unixSocket, 'server-port': 0 }
        : { 'server-port': serverPort!, 'server-ca-cert': caFile, 'server-cert': cert, 'server-key': key }),
      'cluster-ca-cert': caFile,
      'cluster-cert': cert,
      'cluster-key': key,
      'agent-port': agentPort!,
      'admin-port': adminPort!,
      'health-port': healthPort!,
    });
    run('proxy-agent', {
      'proxy-server-host': '127.0.0.1',
      'proxy-server-port': agentPort!,
      'ca-cert': caFile,
      'agent-cert': clientCert,
      'agent-key': clientKey,
      'health-server-port': agentHealth!,
      'admin-server-port': agentAdmin!,
      'sync-interval': '200ms',
    });
    places[kind] =
      kind === 'unix'
        ? { unixSocket }
        : { url: `https://127.0.0.1:${serverPort}`, tls: { ca: ca.cert, certificate: client } };
  }
  await eventually(async () => (existsSync(unixSocket) ? true : undefined));
}, 90_000);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(bin === undefined)('a real konnectivity server and agent', () => {
  it.each(['unix', 'tls'])('carry calls (%s)', async (kind) => {
    const there = await testServer((body, _, response) => void response.end(body + body), { http2: true });
    const egress = egressDialers(
      new Map([['cluster', { kind: 'grpc', ...places[kind]! }]]),
      systemWorld,
      new EgressMetrics(systemWorld.clock),
    );
    const by = new Outbound({ world: systemWorld, egress });
    const target = { origin: there.origin, ca: there.ca, network: 'cluster' } as const;
    const post = { method: 'POST', path: '/', timeout: 20_000 } as const;
    try {
      // The agent connects after a while; until then the server answers that it has none.
      await eventually(() =>
        by.send(target, { ...post, body: Buffer.from('x') }).then(
          () => true,
          () => undefined,
        ),
      );
      const body = Buffer.alloc(5 * 1024 * 1024, 'konnectivity');
      const response = await by.send(target, { ...post, body });
      expect(response.body.equals(Buffer.concat([body, body]))).toBe(true);
      await Promise.all(
        Array.from({ length: 20 }, () => by.send({ ...target, http2: false }, { ...post, body: Buffer.from('y') })),
      );
      const port = await closedPort();
      await expect(by.send({ ...target, origin: `https://127.0.0.1:${port}` }, post)).rejects.toThrow(
        `dial tcp 127.0.0.1:${port}: connect: connection refused`,
      );
    } finally {
      by.close();
      await there.close();
    }
  });
});
