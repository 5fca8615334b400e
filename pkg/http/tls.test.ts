import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { issueAuthority, issueLeaf, type KeyPair } from '../server/issue.js';
import { type Listener, openListener } from './listener.js';
import { testServices, testWorld } from './testing.js';
import { defaultTlsPolicy, type TlsPolicy } from './tls.js';

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.drain(0);
  listener = undefined;
});

const now = Date.now();
const authority = issueAuthority('test', now, 5);
const pair = async (...dnsNames: readonly string[]): Promise<KeyPair> =>
  issueLeaf(await authority, { subject: { commonName: dnsNames[0]! }, use: 'server', dnsNames, days: 2 }, now);

async function open(policy: Partial<TlsPolicy> = {}): Promise<Listener> {
  const { cert: clientCa } = await authority;
  listener = await openListener(testServices(testWorld), {
    host: '127.0.0.1',
    port: 0,
    tls: {
      ...(await pair('server.example')),
      clientCa,
      named: [
        { ...(await pair('inside.example', '*.inside.example')), names: [] },
        { ...(await pair('other')), names: ['*.given.example', 'inside.example'] },
      ],
    },
    policy: { ...defaultTlsPolicy, ...policy },
  });
  return listener;
}

/** Connects, and returns what was agreed; rejects where the handshake fails. */
function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
      socket.destroy();
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

/** `servername` is empty for a client that names none. */
async function nameShown(port: number, servername: string, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port, host, rejectUnauthorized: false, servername };
    const socket = connect(options, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('the TLS of the serving port', () => {
  it('shows the certificate of the server name; names that were given come first', async () => {
    const { port } = await open();
    const shown = async (name: string): Promise<string> => nameShown(port, name);
    expect(await shown('unknown.example')).toBe('server.example');
    expect(await shown('a.given.example')).toBe('other');
    expect(await shown('a.b.given.example')).toBe('server.example');
    expect(await shown('A.Inside.example')).toBe('inside.example');
    expect(await shown('inside.example')).toBe('other');
  });

  it('chooses among several certificates as kube-apiserver does', async () => {
    const door = await open();
    const leaf = async (commonName: string, ...dnsNames: readonly string[]): Promise<KeyPair> =>
      issueLeaf(await authority, { subject: { commonName }, use: 'server', dnsNames, days: 2 }, now);
    const { cert: clientCa } = await authority;
    door.renew({
      ...(await leaf('main', 'main.example')),
      clientCa,
      named: [
        { ...(await leaf('wild', '*.wild.example')), names: [] },
        { ...(await leaf('exact', 'x.wild.example', 'both.example')), names: [] },
        { ...(await leaf('second', 'both.example', 'more.example')), names: [] },
        { ...(await leaf('127.0.0.1', 'address.example')), names: [] },
        { ...(await leaf('given', 'own.example', 'main.example')), names: ['given.example', 'more.example', '*'] },
        { ...(await leaf('hidden', 'hidden.example')), names: ['given.example'] },
      ],
    });
    for (const [name, shown] of [
      ['x.wild.example', 'exact'],
      ['y.wild.example', 'wild'],
      ['both.example', 'exact'],
      ['more.example', 'given'],
      ['own.example', 'given'],
      ['main.example', 'main'],
      ['address.example', '127.0.0.1'],
      ['hidden.example', 'main'],
      ['wild', 'wild'],
      ['single', 'given'],
    ] as const)
      expect([name, await nameShown(door.port, name)]).toEqual([name, shown]);
  });

  it('shows clients that name no server the certificate that was given for their address', async () => {
    const subject = { commonName: '127.0.0.1' };
    const address = issueLeaf(await authority, { subject, use: 'server', addresses: ['127.0.0.1'], days: 2 }, now);
    const named = [
      { ...(await pair('given')), names: ['127.0.0.5', 'given.example'] },
      // Addresses in certificates are no names.
      { ...(await address), names: [] },
    ];
    const { cert: clientCa } = await authority;
    const tls = { ...(await pair('server.example')), clientCa, named };
    listener = await openListener(testServices(testWorld), { host: '0.0.0.0', port: 0, tls });
    const { port } = listener;
    expect(await nameShown(port, '', '127.0.0.5')).toBe('given');
    expect(await nameShown(port, '')).toBe('server.example');
    expect(await nameShown(port, 'unknown', '127.0.0.5')).toBe('server.example');
    const { key, cert } = await pair('client');
    const again = (session?: Buffer): Promise<{ readonly session: Buffer; readonly isReused: boolean }> =>
      new Promise((resolve, reject) => {
        const options = { port, host: '127.0.0.5', rejectUnauthorized: false, servername: '', key, cert };
        const socket = connect({ ...options, maxVersion: 'TLSv1.2', ...(session === undefined ? {} : { session }) });
        socket.on('secureConnect', () => {
          resolve({ session: socket.getSession()!, isReused: socket.isSessionReused() });
          socket.destroy();
        });
        socket.on('error', reject);
      });
    expect((await again((await again()).session)).isReused).toBe(true);
    listener.renew({ ...tls, named: [{ ...(await pair('renewed')), names: ['127.0.0.5'] }] });
    expect(await nameShown(port, '', '127.0.0.5')).toBe('renewed');
  });

  it('shows new certificates after a renewal', async () => {
    const door = await open();
    const { cert: clientCa } = await authority;
    door.renew({ ...(await pair('new.example')), clientCa, named: [{ ...(await pair('more')), names: ['more'] }] });
    expect(await nameShown(door.port, 'more')).toBe('more');
    expect(await nameShown(door.port, 'inside.example')).toBe('new.example');
  });

  it('enforces the oldest version', async () => {
    const { port } = await open({ minVersion: 'TLSv1.3' });
    await handshake(port);
    await expect(handshake(port, { maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol version/);
  });

  it('enforces the suites', async () => {
    const { port } = await open({ ciphers: ['ECDHE-ECDSA-AES256-GCM-SHA384'] });
    const options = { maxVersion: 'TLSv1.2' } as const;
    await handshake(port, { ...options, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' });
    await expect(handshake(port, { ...options, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).rejects.toThrow(
      /handshake failure/,
    );
  });

  it('offers HTTP/2 unless it is switched off', async () => {
    const ALPNProtocols = ['h2', 'http/1.1'];
    expect((await handshake((await open()).port, { ALPNProtocols })).alpnProtocol).toBe('h2');
    await listener?.drain(0);
    expect((await handshake((await open({ http2: false })).port, { ALPNProtocols })).alpnProtocol).toBe('http/1.1');
  });
});
