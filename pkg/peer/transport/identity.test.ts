import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PeerCertificate } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { toPeerId } from '../../../raft/index.js';
import { PeerMetrics, type PeerNetwork, type PeerTls } from '../common/index.js';
import type { Transport, TransportPorts, TransportProvider } from '../network/index.js';
import { testPeerCa } from '../testing/certs.js';
import { freePorts } from '../testing/ports.js';
import { threadWorld } from '../thread/world.js';
import { certificateProblem, identityProblem, type KnownMember, memberProblem } from './identity.js';
import { grpcTransport } from './provider.js';

const member = (id: number, name: string, host = `${name}.example`): KnownMember => ({
  id,
  name,
  peerUrls: [`https://${host}:2380`],
});
const MEMBERS = [member(1, 'a'), member(2, 'b'), member(3, '')];

const certificate = (common: string, names: string): PeerCertificate =>
  ({ subject: { CN: common }, subjectaltname: names }) as unknown as PeerCertificate;

describe('the certificate of a member', () => {
  const a = certificate('a', 'DNS:a.example, URI:trireme://member/a');

  it('authenticates that member and no other', () => {
    expect(identityProblem(a, 1, MEMBERS)).toBeUndefined();
    expect(identityProblem(a, 2, MEMBERS)).toBe('its certificate is that of member a, not of b');
    expect(identityProblem(a, 9, MEMBERS)).toBe('its certificate is that of member a, which has the id 1');
    const odd = certificate('x', 'URI:trireme://member/%E0%A4%A');
    expect(identityProblem(odd, 1, MEMBERS)).toBe('its certificate is that of member , not of a');
  });

  it('authenticates a member that is not known yet', () => {
    expect(identityProblem(certificate('d', 'URI:trireme://member/d'), 9, MEMBERS)).toBeUndefined();
    expect(identityProblem(a, 1, [])).toBeUndefined();
  });

  it('without a URI authenticates the members at its hosts', () => {
    const etcd = certificate('etcd', 'DNS:a.example, DNS:localhost');
    expect(identityProblem(etcd, 1, MEMBERS)).toBeUndefined();
    expect(identityProblem(etcd, 2, MEMBERS)).toBe('its certificate names neither member b nor its host b.example');
    expect(memberProblem(etcd, MEMBERS)).toBeUndefined();
    expect(memberProblem(certificate('x', 'DNS:x.example'), MEMBERS)).toBe('its certificate (x) is that of no member');
    expect(memberProblem(certificate('x', 'DNS:x.example'), [])).toBeUndefined();
  });

  it('is checked against the flags', () => {
    expect(certificateProblem(a, {})).toBeUndefined();
    expect(certificateProblem(a, { allowedCommonNames: ['b', 'a'] })).toBeUndefined();
    expect(certificateProblem(a, { allowedCommonNames: ['b'] })).toContain('--peer-cert-allowed-cn');
    expect(certificateProblem(a, { allowedHostnames: ['a.example'] })).toBeUndefined();
    expect(certificateProblem(a, { allowedHostnames: ['b.example'] })).toContain('--peer-cert-allowed-hostname');
  });
});

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Node {
  readonly provider: TransportProvider;
  readonly transport: Transport;
  readonly heard: number[];
  readonly notes: string[];
}

/** A peer with the id `self`, which records the raft messages that reach it. */
async function node(self: number, url: string, members: readonly KnownMember[], network: Partial<PeerNetwork>) {
  const [heard, notes]: [number[], string[]] = [[], []];
  const known = members.map((of) => ({ ...of, learner: false }));
  const ports: TransportPorts = {
    world: threadWorld(),
    metrics: new PeerMetrics(),
    self: toPeerId(self),
    clusterId: 'c',
    version: '0',
    incarnation: 1,
    heartbeatMs: 20,
    describe: (id) => String(id),
    sink: {
      raft: ({ from }) => heard.push(from),
      proposal: () => {},
      refused: () => {},
      hash: () => {},
      unreachable: () => {},
      removed: () => {},
    },
    receiveSnapshot: async (parts) => {
      for await (const _ of parts);
      return { installed: true, refused: '' };
    },
    members: () => ({ clusterId: 'c', members: known }) as never,
    control: async () => 'done',
    wasRemoved: () => false,
    note: (_, message) => notes.push(message),
  };
  const provider = grpcTransport({ listenUrls: [url], advertiseUrls: [url], ...network } as PeerNetwork);
  const transport = await provider.open(ports);
  cleanups.push(() => transport.close());
  return { provider, transport, heard, notes } satisfies Node;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 3000 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isSo()).toBe(true);
}

const heartbeat = (from: number, to: number) =>
  ({ kind: 'heartbeat', from, to, term: 1, commit: 0, readRound: 0 }) as never;

describe('a peer that presents the certificate of another', () => {
  const setUp = async (issuedFor: string, more: Partial<PeerNetwork> = {}) => {
    const ca = await testPeerCa();
    const [first, second] = await freePorts(2);
    const [one, two] = [`https://127.0.0.1:${first}`, `https://127.0.0.1:${second}`];
    const members = [
      { id: 1, name: 'a', peerUrls: [one] },
      { id: 2, name: 'b', peerUrls: [two] },
    ];
    const a = await node(1, one, members, { tls: await ca.issue('a'), ...more });
    const b = await node(2, two, members, { tls: await ca.issue(issuedFor) });
    for (const each of [a, b]) {
      each.transport.setPeers(new Map(members.map(({ id, peerUrls }) => [toPeerId(id), peerUrls])));
    }
    return { a, b, one, two, deadline: Date.now() + 60_000 };
  };
  const begin = { begin: { clusterId: 'c', from: 2, to: 1, term: 1 } };

  it('is accepted if it is its own', async () => {
    const { a, b, one, deadline } = await setUp('b');
    await until(() => {
      b.transport.send([heartbeat(2, 1)]);
      return a.heard.length > 0;
    });
    expect(a.heard[0]).toBe(2);
    const stream = b.provider.openSnapshotStream(toPeerId(1), one);
    await stream.write(begin);
    expect(await stream.finish()).toEqual({ installed: true, refused: '' });
    stream.cancel();
    expect(await b.provider.callControl(one, deadline, 'report', null)).toBe('done');
  });

  it.each(['a', 'c'])(
    'is refused for messages and snapshots, and for calls too if no member has the certificate (%s)',
    async (other) => {
      const { a, b, one, two, deadline } = await setUp(other);
      await until(() => a.notes.some((note) => note.includes(`that of member ${other}, not of b`)));
      b.transport.send([heartbeat(2, 1)]);
      const stream = b.provider.openSnapshotStream(toPeerId(1), one);
      await stream.write(begin);
      expect((await stream.finish()).refused).toContain(`its certificate is that of member ${other}, not of b`);
      stream.cancel();
      expect(a.heard).toEqual([]);
      const call = b.provider.callControl(one, deadline, 'removeMember', 1);
      if (other === 'c') await expect(call).rejects.toThrow('is that of no member');
      else expect(await call).toBe('done');
      // The peer does not receive messages for the member.
      await expect(a.provider.fetchMembers(two, deadline)).rejects.toThrow(`that of member ${other}, not of b`);
    },
  );

  it('is refused when its common name is not allowed', async () => {
    const { a, b, one, deadline } = await setUp('b', { allowedCommonNames: ['a'] });
    await until(() => a.notes.some((note) => note.includes('--peer-cert-allowed-cn')));
    await expect(b.provider.fetchMembers(one, deadline)).rejects.toThrow('--peer-cert-allowed-cn');
  });
});

describe('certificate files', () => {
  it('are used for new connections when they change, and ignored while they do not match', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trireme-tls-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const files = { ca: join(folder, 'ca.crt'), cert: join(folder, 'peer.crt'), key: join(folder, 'peer.key') };
    const write = (tls: PeerTls): void => {
      writeFileSync(files.ca, tls.ca);
      writeFileSync(files.key, tls.key);
      writeFileSync(files.cert, tls.cert);
    };
    const [before, after] = [await testPeerCa(), await testPeerCa()];
    const old = await before.issue('a');
    write(old);
    const [port] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const { notes } = await node(1, url, [], { tls: old, tlsFiles: files });
    const ask = (tls: PeerTls) =>
      grpcTransport({ listenUrls: [], advertiseUrls: [], tls }).fetchMembers(url, Date.now() + 60_000);
    const [knownBefore, knownAfter] = [await before.issue('b'), await after.issue('b')];
    expect((await ask(knownBefore)).clusterId).toBe('c');
    await expect(ask(knownAfter)).rejects.toThrow();

    const renewed = await after.issue('a');
    writeFileSync(files.cert, renewed.cert);
    await until(() => notes.some((note) => note.includes('keeping the last ones')));
    expect((await ask(knownBefore)).clusterId).toBe('c');
    write(renewed);
    await until(() => notes.some((note) => note.includes('read the peer certificate')));
    expect((await ask(knownAfter)).clusterId).toBe('c');
    await expect(ask(knownBefore)).rejects.toThrow();
  });
});
