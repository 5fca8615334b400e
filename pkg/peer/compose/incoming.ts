import type { PeerId } from '../../../raft/index.js';
import type { HashChecks } from '../apply/index.js';
import type { PeerRules } from '../common/index.js';
import type { DrivenRaft } from '../consensus/index.js';
import type { Admission, Members } from '../membership/index.js';
import type { ForwardedProposal, Transport, TransportSink } from '../network/index.js';
import { type Proposals, proposalProblem } from '../requests/index.js';

export interface IncomingParts {
  readonly raft: DrivenRaft;
  readonly proposals: Proposals;
  readonly checks: HashChecks;
  readonly transport: Transport;
  readonly rules: PeerRules;
  readonly members: Members;
  readonly admission: Admission;
  /** The newest form of log entries that this peer reads; undefined: the newest of this program. */
  readonly reads: number | undefined;
  fail(error: Error): void;
}

/** Why a removed member stops. */
export const REMOVED = 'this member has been removed from the cluster: its data directory is of no more use';

/** Dispatches everything that arrives over the transport. */
export function incoming(parts: IncomingParts): TransportSink {
  const { raft, proposals, checks, members, admission } = parts;
  return {
    raft: (message) => {
      if (!admission.isOpen) return;
      members.received(message);
      raft.step(message);
    },
    proposal: (from, proposal) => forwarded(parts, from, proposal),
    refused: (refusal) => proposals.refused(refusal),
    hash: (from, at, hashes) => checks.heard(from, at, hashes),
    unreachable: (peer) => raft.reportUnreachable(peer),
    removed: () => parts.fail(new Error(REMOVED)),
  };
}

/**
 * A proposal that another peer forwarded to this peer as the leader of one term. The term is compared with the role as
 * of the last Ready. Between two Readys a peer cannot lose its leadership and win it back, because that takes messages,
 * which are sent with a Ready.
 */
function forwarded({ raft, transport, rules, reads }: IncomingParts, from: PeerId, proposal: ForwardedProposal): void {
  const { id, data, term } = proposal;
  if (raft.soft.term !== term) {
    transport.refuse(from, { id, term, refused: 'noLeader', message: 'this peer leads another term' });
    return;
  }
  const problem = rules.checksProposals ? proposalProblem(data, reads) : undefined;
  // Ends the connection that the message came from.
  if (problem !== undefined) throw new RangeError(problem);
  const result = raft.propose(data);
  if (result.kind === 'appended') return;
  const refused = result.reason === 'uncommittedLimit' ? 'overloaded' : 'noLeader';
  transport.refuse(from, { id, term, refused, message: result.detail });
}
