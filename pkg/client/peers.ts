import type { Access } from './access.js';
import { ClientError } from './error.js';
import { ask, askAny } from './http.js';

/** The status of a peer (`GET /peer/v1/status`). */
export interface PeerStatus {
  readonly clusterId: string;
  readonly id: number;
  readonly name: string;
  readonly version: string;
  readonly role: string;
  readonly leader: number;
  readonly term: number;
  /** The range of the stored log: a member that needs an older entry needs a snapshot. */
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly commit: number;
  readonly applied: number;
  readonly sizeBytes: number;
  readonly sizeInUseBytes: number;
  readonly walBytes: number;
  readonly problem?: string;
}

export interface Member {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly learner: boolean;
}

export async function statusOf(access: Access, endpoint: string): Promise<PeerStatus> {
  return (await ask(access, endpoint, { method: 'GET', path: '/peer/v1/status' })) as PeerStatus;
}

/** The members. With `linearizable` false the server answers from its own state, also without a leader. */
export async function listMembers(access: Access, linearizable = true): Promise<readonly Member[]> {
  const path = `/peer/v1/members${linearizable ? '' : '?linearizable=false'}`;
  const answer = await askAny(access, { method: 'GET', path });
  return (answer as { readonly members: readonly Member[] }).members;
}

/** The text of an id: hexadecimal. */
export const idText = (id: number): string => id.toString(16);

/** The member with this id or name. */
export async function findMember(access: Access, text: string): Promise<Member> {
  const members = await listMembers(access);
  const found = members.filter((m) => idText(m.id) === text || (m.name !== '' && m.name === text));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw new ClientError(`several members have the name ${text}: use the id`);
  throw new ClientError(`no member has the name or id ${text}`);
}
