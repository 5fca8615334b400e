/**
 * The URI by which a peer's certificate names its member (a subject alternative name, RFC 5280, section 4.2.1.6):
 *
 *     trireme://member/<name>
 */
export const MEMBER_URI = 'trireme://member/';

export function memberUri(name: string): string {
  return `${MEMBER_URI}${encodeURIComponent(name)}`;
}
