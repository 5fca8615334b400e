import { createHash, X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import type { UserInfo } from '../user.js';
import { ANY_USAGE, CLIENT_AUTH, isIssuedForAnyUsage } from './anyusage.js';
import { type Authentication, type Authenticator, type CredentialConnection, NONE } from './authenticator.js';

/** The client certificate of a connection, as TLS reports it. */
export interface ClientCertificate {
  /** Whether TLS verified it against the union of all configured authorities. */
  readonly verified: boolean;
  /** TLS did not verify it, and the last problem that it found is that the certificate is not for clients. */
  readonly isForOtherPurpose?: boolean;
  readonly certificate: PeerCertificate | DetailedPeerCertificate;
}

export interface CertificateUser {
  readonly user: UserInfo;
  /** Milliseconds since the epoch after which the certificate is no longer valid. */
  readonly validUntil: number;
}

const UID_ATTRIBUTE = '1.3.6.1.4.1.57683.2';

/**
 * Returns the user in a verified client certificate: its common name, its organisations as groups, and the UID from
 * attribute 1.3.6.1.4.1.57683.2. Undefined if the certificate has no common name or is not for client authentication.
 * The subject is read from the parsed certificate, never from its printed form, which can be forged with escapes.
 */
export function certificateUser({ verified, certificate }: ClientCertificate): CertificateUser | undefined {
  if (!verified || certificate.subject === undefined || !isForClients(certificate)) return undefined;
  const subject = subjectOf(certificate);
  // The last common name counts, as in kube-apiserver.
  const name = subject('CN').at(-1);
  if (name === undefined || name === '') return undefined;
  const uids = subject(UID_ATTRIBUTE);
  if (uids.length > 1 || uids[0] === '') return undefined;
  const fingerprint = createHash('sha256').update(certificate.raw).digest('hex');
  return {
    user: {
      name,
      ...(uids[0] === undefined ? {} : { uid: uids[0] }),
      groups: subject('O'),
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    },
    validUntil: Date.parse(certificate.valid_to),
  };
}

function isForClients({ ext_key_usage: usages }: PeerCertificate): boolean {
  return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}

function subjectOf(certificate: PeerCertificate): (attribute: string) => readonly string[] {
  const subject = certificate.subject as unknown as Record<string, string | string[] | undefined>;
  return (attribute) => [subject[attribute] ?? []].flat();
}

/** PEM bundles: authorities of client certificates, and of front proxies. */
export interface CertificateBundles {
  readonly client: string;
  /** Undefined: no front proxy is configured. */
  readonly proxy: string | undefined;
}

/** The result of checking a connection's certificate. */
export interface CertificateFindings {
  readonly user: CertificateUser | 'none' | 'bad';
  /** The common name, if the certificate is valid for a front proxy. */
  readonly proxy: { readonly name: string; readonly validUntil: number } | undefined;
}

interface Remembered extends CertificateFindings {
  readonly generation: number;
}

/** Checks the certificate of each connection once, and again after the bundles change. */
export class CertificateInspector {
  #generation = 0;
  #client: Authorities = new Map();
  #proxy: Authorities | undefined;
  readonly #now: () => number;
  readonly #looked: (user: CertificateUser) => void;

  /** `looked` is called for each connection with a valid certificate, for metrics. `now`: milliseconds since the epoch. */
  constructor(bundles: CertificateBundles, now: () => number, looked: (user: CertificateUser) => void) {
    this.#now = now;
    this.#looked = looked;
    this.use(bundles);
  }

  /** Uses these bundles from now on, for open connections as well. */
  use({ client, proxy }: CertificateBundles): void {
    this.#generation++;
    this.#client = authorities(client);
    this.#proxy = proxy === undefined ? undefined : authorities(proxy);
  }

  look(connection: CredentialConnection): CertificateFindings {
    const known = connection.identity as Remembered | undefined;
    if (known !== undefined && known.generation === this.#generation) return known;
    const found = { ...this.#inspect(connection.certificate()), generation: this.#generation };
    connection.identity = found;
    if (known === undefined && typeof found.user === 'object') this.#looked(found.user);
    return found;
  }

  #inspect(shown: ClientCertificate | undefined): CertificateFindings {
    if (shown === undefined) return { user: 'none', proxy: undefined };
    const { certificate } = shown;
    const chain = fingerprintsOfChain(certificate);
    const isTrusted = (roots: Authorities): boolean =>
      shown.verified
        ? chain.some((print) => roots.has(print))
        : shown.isForOtherPurpose === true && isIssuedForAnyUsage(certificate, roots.values(), this.#now());
    const user = certificateUser({ verified: isTrusted(this.#client), certificate }) ?? 'bad';
    const forProxy =
      this.#proxy !== undefined && isForClients(certificate) && isTrusted(this.#proxy)
        ? { name: subjectOf(certificate)('CN').at(-1) ?? '', validUntil: Date.parse(certificate.valid_to) }
        : undefined;
    return { user, proxy: forProxy };
  }
}

/** The maximum length of a chain that is followed to its root. */
const CHAIN_MAX = 16;

function fingerprintsOfChain(certificate: PeerCertificate | DetailedPeerCertificate): readonly string[] {
  const found: string[] = [];
  let at: PeerCertificate | DetailedPeerCertificate | undefined = certificate;
  while (at?.fingerprint256 !== undefined && !found.includes(at.fingerprint256) && found.length < CHAIN_MAX) {
    found.push(at.fingerprint256);
    at = 'issuerCertificate' in at ? at.issuerCertificate : undefined;
  }
  return found;
}

const PEM_BEGIN = '-----BEGIN CERTIFICATE-----';
const PEM_END = '-----END CERTIFICATE-----';

/** The certificates of authorities by their fingerprints. */
type Authorities = ReadonlyMap<string, X509Certificate>;

function authorities(pem: string): Authorities {
  const found = new Map<string, X509Certificate>();
  for (let at = pem.indexOf(PEM_BEGIN); at >= 0; at = pem.indexOf(PEM_BEGIN, at + 1)) {
    const end = pem.indexOf(PEM_END, at);
    if (end < 0) break;
    const certificate = new X509Certificate(pem.slice(at, end + PEM_END.length));
    found.set(certificate.fingerprint256, certificate);
  }
  return found;
}

/** Users of the client authorities, identified by the subjects of their certificates. */
export function certificateAuthenticator(inspector: CertificateInspector, now: () => number): Authenticator {
  return {
    authenticate({ connection }): Authentication {
      const { user } = inspector.look(connection);
      if (user === 'none') return NONE;
      if (user === 'bad' || now() >= user.validUntil) return INVALID;
      return { kind: 'authenticated', user: user.user };
    },
  };
}

const INVALID: Authentication = { kind: 'failed', reason: 'the client certificate is not valid for a user' };
