import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { MEMBER_URI, type PeerNetwork } from '../common/index.js';

/**
 * Checks which member a certificate authenticates.
 *
 * Every certificate of a peer is signed by the peer CA; TLS has checked that before. A certificate that `triremectl
 * certs` issued names its member in a URI (`memberUri`), and authenticates the member of that name only. A certificate
 * without such a URI, for example one made for etcd, authenticates the members at the hosts of its subject alternative
 * names.
 */
/** A member as the cluster knows it. */
export interface KnownMember {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
}

export type CertificateRules = Pick<PeerNetwork, 'allowedCommonNames' | 'allowedHostnames'>;

/** The name of the member in the URI of the certificate, if it has one. */
export function memberNameOf({ subjectaltname = '' }: PeerCertificate): string | undefined {
  for (const part of subjectaltname.split(', ')) {
    if (!part.startsWith(`URI:${MEMBER_URI}`)) continue;
    try {
      return decodeURIComponent(part.slice(`URI:${MEMBER_URI}`.length));
    } catch {
      // A URI that cannot be decoded names no member.
      return '';
    }
  }
  return undefined;
}

/** Why the certificate may not be used on the peer port at all; undefined if it may. */
export function certificateProblem(certificate: PeerCertificate, rules: CertificateRules): string | undefined {
  const { allowedCommonNames = [], allowedHostnames = [] } = rules;
  const common = certificate.subject?.CN;
  const names = common === undefined ? [] : [common].flat();
  if (allowedCommonNames.length > 0 && !names.some((name) => allowedCommonNames.includes(name))) {
    return `the common name ${names.join(', ')} of its certificate is not allowed (--peer-cert-allowed-cn)`;
  }
  if (allowedHostnames.length > 0 && !allowedHostnames.some((name) => isFor(certificate, name))) {
    return 'its certificate is not for an allowed host (--peer-cert-allowed-hostname)';
  }
  return undefined;
}

/**
 * Why the certificate does not authenticate the member `id`; undefined if it does. A peer may not know a new member
 * yet: an unknown id is accepted, unless the certificate is that of another member.
 */
export function identityProblem(
  certificate: PeerCertificate,
  id: number,
  members: readonly KnownMember[],
): string | undefined {
  const name = memberNameOf(certificate);
  const member = members.find((known) => known.id === id);
  if (member === undefined) {
    const other = name === undefined ? undefined : members.find((known) => known.name === name);
    return other && `its certificate is that of member ${name}, which has the id ${other.id.toString(16)}`;
  }
  if (name !== undefined && member.name !== '') {
    return name === member.name ? undefined : `its certificate is that of member ${name}, not of ${member.name}`;
  }
  const hosts = member.peerUrls.map(hostOf);
  if (hosts.length === 0 || hosts.some((host) => isFor(certificate, host))) return undefined;
  return `its certificate names neither member ${member.name} nor its host ${hosts.join(', ')}`;
}

/** Why the certificate belongs to no member; undefined if it belongs to one, or if no members are known yet. */
export function memberProblem(certificate: PeerCertificate, members: readonly KnownMember[]): string | undefined {
  if (members.length === 0) return undefined;
  if (members.some(({ id }) => identityProblem(certificate, id, members) === undefined)) return undefined;
  return `its certificate (${memberNameOf(certificate) ?? certificate.subject?.CN}) is that of no member`;
}

export const hostOf = (url: string): string => new URL(url).hostname.replace('[', '').replace(']', '');

function isFor(certificate: PeerCertificate, host: string): boolean {
  return checkServerIdentity(host, certificate) === undefined;
}
