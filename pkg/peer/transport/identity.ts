import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { MEMBER_URI, type PeerNetwork } from '../common/index.js';

/**
 * Who may speak for a member of the cluster.
 *
 * Every certificate of a peer comes from the peer authority; TLS has checked that before. A certificate that `triremectl certs`
 * issued names its member in a URI (`memberUri`). It speaks for the member of that name and for no other. A certificate without such a URI, for instance one made for etcd, speaks
 * for the members at whose hosts its subject alternative names point.
 */
/** A member as the cluster knows it. */
export interface KnownMember {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
}

export type CertificateRules = Pick<PeerNetwork, 'allowedCommonNames' | 'allowedHostnames'>;

/** The name of the member that the certificate names in its URI, if it names one. */
export function memberNameOf({ subjectaltname = '' }: PeerCertificate): string | undefined {
  for (const part of subjectaltname.split(', ')) {
    if (!part.startsWith(`URI:${MEMBER_URI}`)) continue;
    try {
      return decodeURIComponent(part.slice(`URI:${MEMBER_URI}`.length));
    } catch {
      // A URI that cannot be decoded is the name of no member.
      return '';
    }
  }
  return undefined;
}

/** Why the certificate may not be used at the peer port at all; undefined when it may. */
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
 * Why the certificate does not speak for the member `id`; undefined when it does. A peer may not have heard of a new member yet: an
 * unknown id is accepted, unless the certificate is that of another member.
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

/** Why the certificate is that of no member; undefined when it is that of one, or when no members are known yet. */
export function memberProblem(certificate: PeerCertificate, members: readonly KnownMember[]): string | undefined {
  if (members.length === 0) return undefined;
  if (members.some(({ id }) => identityProblem(certificate, id, members) === undefined)) return undefined;
  return `its certificate (${memberNameOf(certificate) ?? certificate.subject?.CN}) is that of no member`;
}

export const hostOf = (url: string): string => new URL(url).hostname.replace('[', '').replace(']', '');

function isFor(certificate: PeerCertificate, host: string): boolean {
  return checkServerIdentity(host, certificate) === undefined;
}
