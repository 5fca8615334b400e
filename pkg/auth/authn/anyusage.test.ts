import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { connect, createServer, type DetailedPeerCertificate, type PeerCertificate, type TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIssuedForAnyUsage } from './anyusage.js';
import { type CertificateFindings, CertificateInspector } from './certificate.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;
const ANY = '2.5.29.37.0';
const NOW = Date.now();

interface Pair {
  readonly certificate: x509.X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
}

interface Wanted {
  readonly name: string;
  readonly issuer?: Pair | undefined;
  readonly usages?: readonly string[];
  readonly isAuthority?: boolean;
  readonly pathLength?: number;
  readonly from?: number;
  readonly to?: number;
  readonly more?: readonly x509.Extension[];
  readonly hash?: 'SHA-256' | 'SHA-1';
}

async function issue(wanted: Wanted): Promise<Pair> {
  const { issuer, usages = [], isAuthority = false, more = [] } = wanted;
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const subject = [{ CN: [wanted.name] }];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date(wanted.from ?? NOW - DAY),
    notAfter: new Date(wanted.to ?? NOW + DAY),
    signingAlgorithm: { ...ALGORITHM, hash: wanted.hash ?? 'SHA-256' },
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, wanted.pathLength, true),
      ...(usages.length > 0 ? [new x509.ExtendedKeyUsageExtension([...usages])] : []),
      ...more,
    ],
  });
  return { certificate, keys };
}

const authority = await issue({ name: 'authority', isAuthority: true });
const serving = await issue({ name: 'server', issuer: authority });
const keyOf = async ({ keys }: Pair): Promise<string> => {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
};

/** What TLS reports for the certificate of each connection. */
let show: (socket: TLSSocket) => void = () => {};
const roots = [authority.certificate.toString('pem')];
let port = 0;
const server = createServer({ requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' }, (s) => show(s));
beforeAll(async () => {
  server.setSecureContext({ cert: serving.certificate.toString('pem'), key: await keyOf(serving), ca: roots });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => void server.close());

/**
 * Connects with a certificate, and inspects it. `trusted`: the authorities that OpenSSL and the inspector know. `sent`: the intermediate
 * authorities that the client sends.
 */
async function inspect(
  client: Pair,
  trusted: readonly Pair[] = [authority],
  now = NOW,
  sent: readonly Pair[] = [],
): Promise<CertificateFindings> {
  const ca = trusted.map((a) => a.certificate.toString('pem'));
  server.setSecureContext({ cert: serving.certificate.toString('pem'), key: await keyOf(serving), ca });
  const shown = new Promise<TLSSocket>((resolve) => {
    show = resolve;
  });
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const socket = connect({
    ...options,
    cert: [client, ...sent].map((c) => c.certificate.toString('pem')).join('\n'),
    key: await keyOf(client),
  });
  socket.on('error', () => {});
  const accepted = await shown;
  const { authorized, authorizationError } = accepted;
  const found = {
    verified: authorized,
    isForOtherPurpose: String(authorizationError) === 'INVALID_PURPOSE',
    certificate: accepted.getPeerCertificate(true),
  };
  accepted.destroy();
  socket.destroy();
  const inspector = new CertificateInspector(
    { client: ca.join('\n'), proxy: ca.join('\n') },
    () => now,
    () => {},
  );
  return inspector.look({ identity: undefined, digested: undefined, certificate: () => found });
}

/** Constraints that permit DNS names that end with `a`. */
const SOME_NAMES = Buffer.from('3007a0053003820161', 'hex');
const REFUSED: CertificateFindings = { user: 'bad', proxy: undefined };
const forAny = (wanted: Partial<Wanted> = {}): Promise<Pair> =>
  issue({ name: 'jane', issuer: authority, usages: [ANY], ...wanted });

function isAccepted({ certificate }: Pair, by: Pair = authority): boolean {
  const shown = { raw: Buffer.from(certificate.rawData), ext_key_usage: [ANY] } as unknown as PeerCertificate;
  return isIssuedForAnyUsage(shown, [new X509Certificate(by.certificate.toString('pem'))], NOW);
}

describe('a client certificate for any usage', () => {
  it('is accepted if a configured authority issued it', async () => {
    const found = await inspect(await forAny());
    expect(found).toMatchObject({ user: { user: { name: 'jane' } }, proxy: { name: 'jane' } });
    expect(await inspect(await forAny({ usages: ['1.3.6.1.5.5.7.3.1', ANY] }))).toMatchObject({ user: { user: {} } });
  });

  it('is refused if it is for servers only', async () => {
    expect(await inspect(await forAny({ usages: ['1.3.6.1.5.5.7.3.1'] }))).toMatchObject(REFUSED);
  });

  it('is refused if its signature is forged', async () => {
    const forger = await issue({ name: 'authority', isAuthority: true });
    expect(await inspect(await forAny({ issuer: forger }))).toMatchObject(REFUSED);
    expect(await inspect(await forAny({ issuer: undefined }))).toMatchObject(REFUSED);
  });

  it('is refused if another authority issued it, also through an intermediate one', async () => {
    const other = await issue({ name: 'other', isAuthority: true });
    expect(await inspect(await forAny({ issuer: other }))).toMatchObject(REFUSED);
    const intermediate = await issue({ name: 'intermediate', issuer: authority, isAuthority: true });
    expect(await inspect(await forAny({ issuer: intermediate }))).toMatchObject(REFUSED);
  });

  it('is refused if it or its authority is not valid at the time', async () => {
    expect(await inspect(await forAny({ to: NOW - 1000 }))).toMatchObject(REFUSED);
    expect(await inspect(await forAny({ from: NOW + DAY / 2 }))).toMatchObject(REFUSED);
    const brief = await issue({ name: 'brief', isAuthority: true, to: NOW + DAY / 2 });
    const client = await forAny({ issuer: brief });
    expect(await inspect(client, [brief])).toMatchObject({ user: { user: { name: 'jane' } } });
    expect(await inspect(client, [brief], NOW + (3 * DAY) / 4)).toMatchObject(REFUSED);
    expect(await inspect(await forAny(), [authority], NOW + 2 * DAY)).toMatchObject(REFUSED);
  });

  it('is refused if the issuer is no authority, or not for clients', async () => {
    const leaf = await issue({ name: 'leaf' });
    expect(await inspect(await forAny({ issuer: leaf }), [leaf])).toMatchObject(REFUSED);
    const forServers = await issue({ name: 'servers', isAuthority: true, usages: ['1.3.6.1.5.5.7.3.1'] });
    expect(await inspect(await forAny({ issuer: forServers }), [forServers])).toMatchObject(REFUSED);
    const notSigning = await issue({
      name: 'not signing',
      isAuthority: true,
      more: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)],
    });
    expect(await inspect(await forAny({ issuer: notSigning }), [notSigning])).toMatchObject(REFUSED);
  });

  // OpenSSL clients do not even send the second one.
  it('is refused if it has an unknown critical extension, or a broken signature algorithm', async () => {
    const unknown = new x509.Extension('1.2.3.4', true, new Uint8Array([5, 0]));
    expect(await inspect(await forAny({ more: [unknown] }))).toMatchObject(REFUSED);
    expect(isAccepted(await forAny({ hash: 'SHA-1' }))).toBe(false);
    expect(isAccepted(await forAny())).toBe(true);
  });

  it('is refused if its authority may issue only for some names', async () => {
    const constrained = await issue({
      name: 'constrained',
      isAuthority: true,
      more: [new x509.Extension('2.5.29.30', true, SOME_NAMES)],
    });
    expect(isAccepted(await forAny({ issuer: constrained }), constrained)).toBe(false);
  });
});

describe('a client certificate for any usage, issued through intermediate authorities that the client sends,', () => {
  /** Authorities, each issued by the one before, the first by the configured authority. Returns them from the last to the first. */
  async function intermediates(...all: readonly Partial<Wanted>[]): Promise<readonly Pair[]> {
    const found: Pair[] = [];
    for (const [i, wanted] of all.entries())
      found.unshift(
        await issue({ name: `intermediate ${i}`, issuer: found[0] ?? authority, isAuthority: true, ...wanted }),
      );
    return found;
  }

  /** Whether the client is accepted without the verification by OpenSSL, which refuses some chains before. */
  function isAcceptedBelow(sent: readonly Pair[], client: Pair): boolean {
    const rawOf = ({ certificate }: Pair): Buffer => Buffer.from(certificate.rawData);
    let issuerCertificate: object = { raw: rawOf(authority) };
    for (const pair of [...sent].reverse()) issuerCertificate = { raw: rawOf(pair), issuerCertificate };
    const shown = { raw: rawOf(client), ext_key_usage: [ANY], issuerCertificate } as unknown as DetailedPeerCertificate;
    return isIssuedForAnyUsage(shown, [new X509Certificate(authority.certificate.toString('pem'))], NOW);
  }

  /** Whether a client below these authorities is accepted over TLS, and whether by `isIssuedForAnyUsage` alone. */
  async function accepts(...all: readonly Partial<Wanted>[]): Promise<readonly boolean[]> {
    const sent = await intermediates(...all);
    const client = await forAny({ issuer: sent[0] });
    const { user } = await inspect(client, [authority], NOW, sent);
    return [user !== 'bad', isAcceptedBelow(sent, client)];
  }

  it('is accepted if there are at most three', async () => {
    expect(await accepts({})).toEqual([true, true]);
    expect(await accepts({ pathLength: 2 }, { usages: [ANY], pathLength: 1 }, { pathLength: 0 })).toEqual([true, true]);
    expect(await accepts({}, {}, {}, {})).toEqual([false, false]);
  });

  it('is refused if one of them is forged', async () => {
    const forger = await issue({ name: 'authority', isAuthority: true });
    expect(await accepts({ issuer: forger })).toEqual([false, false]);
    const second = await issue({ name: 'intermediate 0', isAuthority: true });
    expect(await accepts({}, { issuer: second })).toEqual([false, false]);
  });

  it.each<[string, Partial<Wanted>]>([
    ['has expired', { to: NOW - 1000 }],
    ['is not valid yet', { from: NOW + DAY / 2 }],
    ['is no authority', { isAuthority: false }],
    ['is not for clients', { usages: ['1.3.6.1.5.5.7.3.1'] }],
    ['may not have another one below it', { pathLength: 0 }],
    ['may not sign', { more: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)] }],
    ['has an unknown critical extension', { more: [new x509.Extension('1.2.3.4', true, new Uint8Array([5, 0]))] }],
    ['may issue only for some names', { more: [new x509.Extension('2.5.29.30', false, SOME_NAMES)] }],
  ])('is refused if one of them %s', async (_, wanted) => {
    expect(await accepts(wanted, {})).toEqual([false, false]);
  });

  // OpenSSL clients do not even send it.
  it('is refused if one of them has a broken signature algorithm', async () => {
    const sent = await intermediates({ hash: 'SHA-1' }, {});
    expect(isAcceptedBelow(sent, await forAny({ issuer: sent[0] }))).toBe(false);
  });
});
