import { createHash } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { type UserInfo, withAuthenticatedGroup } from './user.js';

/** A connection's client certificate, as TLS saw it. */
export interface ClientCertificate {
  /** Whether TLS verified it against the cluster's client CA. */
  readonly verified: boolean;
  readonly certificate: PeerCertificate;
}

export interface CertificateUser {
  readonly user: UserInfo;
  /** Milliseconds since the epoch after which the certificate no longer speaks for the user. */
  readonly validUntil: number;
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/**
 * The user that a client certificate names: its common name, its organisations as groups, an UID from attribute
 * 1.3.6.1.4.1.57683.2. undefined: not verified, without a name, or not made for clients.
 * The subject is read from the parsed certificate, never from its printed form, which can be forged by escapes.
 */
export function certificateUser(client: ClientCertificate): CertificateUser | undefined {
  const { certificate } = client;
  if (!client.verified || certificate.subject === undefined) return undefined;
  const usages = certificate.ext_key_usage;
  if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE)) return undefined;
  const subject = certificate.subject as unknown as Record<string, string | string[] | undefined>;
  // Of several the last one counts, as for the reference.
  const name = [subject['CN'] ?? []].flat().at(-1);
  if (name === undefined || name === '') return undefined;
  const uid = [subject['1.3.6.1.4.1.57683.2'] ?? []].flat()[0];
  const fingerprint = createHash('sha256').update(certificate.raw).digest('hex');
  return {
    user: withAuthenticatedGroup({
      name,
      ...(uid === undefined ? {} : { uid }),
      groups: [subject['O'] ?? []].flat(),
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    }),
    validUntil: Date.parse(certificate.valid_to),
  };
}
