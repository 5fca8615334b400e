import type { PeerId, RaftNode } from '../../raft/index.js';
import type { HashChecks } from './checks.js';
import type { Network, NetworkSink } from './network.js';
import type { Proposals } from './proposals.js';

export interface IncomingParts {
  readonly raft: RaftNode;
  readonly proposals: Proposals;
  readonly checks: HashChecks;
  network(): Network;
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
    proposal: (from, id, data) => step(() => forwarded(parts, from, id, data)),
    answered: (answer) => proposals.answered(answer),
    hash: (from, at, hash) => checks.heard(from, at, hash),
    unreachable: (peer) => step(() => raft.reportUnreachable(peer)),
    removed: () =>
      parts.fail(new Error('this member has been removed from the cluster: its data directory is of no more use')),
  };
}

/** Another peer's proposal: this one leads, or did a moment ago. */
function forwarded({ raft, network }: IncomingParts, from: PeerId, id: number, data: Uint8Array): void {
  const result = raft.propose(data);
  if (result.kind === 'appended') {
    network().answer(from, { id, index: result.index, term: result.term, refused: '', message: '' });
    return;
  }
  const refused = result.reason === 'uncommittedLimit' ? 'overloaded' : 'noLeader';
  network().answer(from, { id, index: 0, term: 0, refused, message: result.detail });
}
