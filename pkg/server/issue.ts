import { createPrivateKey, webcrypto } from 'node:crypto';

/**
 * Issues certificates. The library for this (`@peculiar/x509`) takes longer to load than the server takes to start, and
 * is needed only at the first start and once a year. So it is loaded on demand.
 */

/** A certificate and its private key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface LeafRequest {
  readonly subject: Subject;
  readonly use: 'server' | 'client' | 'peer';
  /** Host names of a server; with `addresses`, its subject alternative names. */
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** URIs among the subject alternative names. */
  readonly uris?: readonly string[];
  readonly days: number;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;
/** Certificates start this many milliseconds in the past, because clocks of clients may be behind. */
const BACKDATED = 5 * 60_000;

export async function issueAuthority(commonName: string, now: number, days: number): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: [{ CN: [commonName] }],
    notBefore: new Date(now - BACKDATED),
    notAfter: new Date(now + days * DAY),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(certificate.toString('pem')), key: await privatePem(keys.privateKey) };
}

export async function issueLeaf(authority: KeyPair, request: LeafRequest, now: number): Promise<KeyPair> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.cert);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(request.uris ?? []).map((value) => ({ type: 'url' as const, value })),
  ];
  const usages = {
    server: [x509.ExtendedKeyUsage.serverAuth],
    client: [x509.ExtendedKeyUsage.clientAuth],
    peer: [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth],
  }[request.use];
  const { organizations = [], commonName } = request.subject;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [...(organizations.length > 0 ? organizations.map((o) => ({ O: [o] })) : []), { CN: [commonName] }],
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATED),
    notAfter: new Date(Math.min(now + request.days * DAY, issuer.notAfter.getTime())),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await importPrivate(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { cert: pem(certificate.toString('pem')), key: await privatePem(keys.privateKey) };
}

/** A certificate request (PKCS #10) for a client, and its new private key, PEM. */
export async function requestCertificate(
  subject: Subject,
): Promise<{ readonly request: string; readonly key: string }> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const { organizations = [], commonName } = subject;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [...organizations.map((o) => ({ O: [o] })), { CN: [commonName] }],
    keys,
    signingAlgorithm: ALGORITHM,
  });
  return { request: pem(request.toString('pem')), key: await privatePem(keys.privateKey) };
}

async function library(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** 16 random bytes, positive. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

/** In the form of SEC1 (`EC PRIVATE KEY`), which clients in Java read as well. */
async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'sec1' }) as string;
}

async function importPrivate(text: string): Promise<webcrypto.CryptoKey> {
  const key = createPrivateKey(text);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error(`the key of the authority is ${key.asymmetricKeyType}; this server signs with ECDSA P-256 only`);
  // The key of an authority from elsewhere may have another encoding.
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

function pem(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
