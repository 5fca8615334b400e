import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueAuthority, issueLeaf, type KeyPair } from '../../pkg/server/issue.js';
import { PEER_METHODS } from '../../proto/index.js';
import { isBuilt, ServerProcess } from '../e2e/process.js';

const TIME = 10_000;

let data = '';
let server: ServerProcess;
let target = '';
let peerCa = '';
const pairs: Record<string, KeyPair | undefined> = {};

async function freePort(): Promise<number> {
  const listener = createServer();
  const port = await new Promise<number>((resolve) =>
    listener.listen(0, '127.0.0.1', () => resolve((listener.address() as { port: number }).port)),
  );
  await new Promise((resolve) => void listener.close(resolve));
  return port;
}

beforeAll(async () => {
  if (!isBuilt) return;
  data = mkdtempSync(join(tmpdir(), 'trireme-peerport-'));
  const port = await freePort();
  target = `127.0.0.1:${port}`;
  server = await ServerProcess.start(data, 0, [
    `--listen-peer-urls=https://${target}`,
    `--initial-advertise-peer-urls=https://${target}`,
    `--initial-cluster=one=https://${target}`,
    '--name=one',
  ]);
  const file = (name: string): string => readFileSync(join(data, 'pki', name), 'utf8');
  const pair = (name: string): KeyPair => ({ cert: file(`${name}.crt`), key: file(`${name}.key`) });
  peerCa = file('peer-ca.crt');
  const now = Date.now();
  const leaf = {
    subject: { commonName: 'one' },
    use: 'peer',
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
  } as const;
  const foreign = await issueAuthority('trireme-peer-ca', now, 30);
  Object.assign(pairs, {
    stranger: await issueLeaf(foreign, { ...leaf, days: 10 }, now),
    admin: pair('admin'),
    server: pair('apiserver'),
    expired: await issueLeaf(pair('peer-ca'), { ...leaf, days: -1 }, now - 5 * 86_400_000),
    guest: await issueLeaf(pair('peer-ca'), { ...leaf, subject: { commonName: 'guest' }, days: 10 }, now),
    peer: pair('peer'),
  });
}, 90_000);
afterAll(async () => {
  await server?.stop();
  if (data !== '') rmSync(data, { recursive: true, force: true });
});

const asIs = (bytes: Buffer): Buffer => bytes;

/** The outcome of an empty message to a method: a gRPC code, or `refused` if there was no connection. */
function outcome(method: string, pair: KeyPair | undefined): Promise<string> {
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  const trust = credentials.createSsl(Buffer.from(peerCa), pem(pair?.key), pem(pair?.cert));
  const client = new Client(target, trust, { 'grpc.ssl_target_name_override': 'localhost', 'grpc.enable_retries': 0 });
  return new Promise<string>((resolve) => {
    client.makeUnaryRequest(method, asIs, asIs, Buffer.alloc(0), { deadline: Date.now() + TIME }, (error) => {
      const unavailable = error?.code === status.UNAVAILABLE;
      resolve(error === null ? 'OK' : unavailable ? 'refused' : (status[error.code] ?? String(error.code)));
    });
  }).finally(() => client.close());
}

describe.skipIf(!isBuilt)('the peer port', () => {
  it.each(Object.values(PEER_METHODS))('%s is for peers', async (method) => {
    const refused: string[] = [];
    for (const actor of ['nobody', 'stranger', 'admin', 'server', 'expired', 'guest', 'peer'])
      if ((await outcome(method, pairs[actor])) === 'refused') refused.push(actor);
    // Whoever has a certificate of the authority of the peers is trusted, as in etcd.
    expect(refused).toEqual(['nobody', 'stranger', 'admin', 'server', 'expired']);
  });

  it.each(['/metrics', '/peer/v1/status', '/api/v1/secrets', '/version', '/'])('does not serve %s', async (path) => {
    expect(await statusOf(path, pairs['admin'])).toBe('refused');
    // gRPC answers a request of another media type with 415.
    expect(await statusOf(path, pairs['peer'])).toBe('415');
  });
});

/** The status of a GET over HTTP/2, or `refused`. */
function statusOf(path: string, pair: KeyPair | undefined): Promise<string> {
  const session = connect(`https://${target}`, {
    ca: peerCa,
    servername: 'localhost',
    ...pair,
  });
  return new Promise<string>((resolve) => {
    session.on('error', () => resolve('refused'));
    const stream = session.request({ ':method': 'GET', ':path': path });
    stream.on('response', (headers) => resolve(String(headers[':status'])));
    stream.on('error', () => resolve('refused'));
    stream.on('close', () => resolve('refused'));
    stream.end();
  }).finally(() => session.destroy());
}
