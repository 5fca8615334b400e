import type { PeerId, RaftNode } from '../../raft/index.js';
import type { HashChecks } from './checks.js';
import type { Network, NetworkSink } from './network.js';
import type { ForwardedProposal, Proposals } from './proposals.js';

export interface IncomingParts {
  readonly raft: RaftNode;
  readonly proposals: Proposals;
  readonly checks: HashChecks;
  network(): Network;
  leadership(): { readonly term: number };
  stopped(): boolean;
  poke(): void;
  fail(error: unknown): void;
}

/** What comes in over the wires goes to whom it concerns. What breaks an invariant stops the peer, whoever sent it. */
export function incoming(parts: IncomingParts): NetworkSink {
  const { raft, proposals, checks } = parts;
  const step = (run: () => void): void => {
    if (parts.stopped()) return;
    try {
      run();
    } catch (error) {
      parts.fail(error);
    }
    parts.poke();
  };
  return {
    raft: (message) => step(() => raft.step(message)),
    proposal: (from, proposal) => step(() => forwarded(parts, from, proposal)),
    refused: (refusal) => step(() => proposals.refused(refusal)),
    hash: (from, at, hashes) => checks.heard(from, at, hashes),
    unreachable: (peer) => step(() => raft.reportUnreachable(peer)),
    removed: () =>
      parts.fail(new Error('this member has been removed from the cluster: its data directory is of no more use')),
  };
}

/**
 * Another peer's proposal, meant for this peer's leadership of one term. `leadership` is as of the last Ready; between two of
 * them a peer can not lose its place and win it back, because that takes messages, and they go out with a Ready.
 */
function forwarded({ raft, network, leadership }: IncomingParts, from: PeerId, proposal: ForwardedProposal): void {
  const { id, data, term } = proposal;
  if (leadership().term !== term) {
    network().refuse(from, { id, term, refused: 'noLeader', message: 'this peer leads another term' });
    return;
  }
  const result = raft.propose(data);
  if (result.kind === 'appended') return;
  const refused = result.reason === 'uncommittedLimit' ? 'overloaded' : 'noLeader';
  network().refuse(from, { id, term, refused, message: result.detail });
}
