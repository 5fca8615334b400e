// Peers without one of their protections. The simulation must detect each. All of them were bugs of the production peer.

import type { PeerFaults } from './faults.js';
import { ACTS, type Act, type PeerProfile } from './profile.js';

export interface PeerMutation {
  readonly name: string;
  /** The purpose of the protection. */
  readonly breaks: string;
  readonly faults: PeerFaults;
  /** The parts of the profile that make the fault likely. The seed draws the others. */
  readonly profile: Partial<PeerProfile>;
}

function acts(weights: Partial<Record<Act, number>>): Record<Act, number> {
  return Object.fromEntries(ACTS.map((act) => [act, weights[act] ?? 0])) as Record<Act, number>;
}

export const PEER_MUTATIONS: readonly PeerMutation[] = [
  {
    name: 'records a removal before it is committed',
    breaks:
      'A removal that a deposed leader appended may be cut off. If it is recorded, it excludes a voter that the cluster counts on.',
    faults: { rules: { recordsCommittedRemovals: false } },
    profile: {
      founders: 5,
      spares: 0,
      electionMs: 500,
      nemesisMs: 300,
      chaosMs: 12_000,
      acts: acts({ removeMember: 4, isolateLeader: 3, split: 2, heal: 5, restart: 3 }),
    },
  },
  {
    name: 'lets a member join again with an emptied disk',
    breaks: 'The member has forgotten its votes, and entries that a majority counted as stored.',
    faults: { hidesStarted: true },
    profile: { founders: 3, nemesisMs: 300, acts: acts({ wipe: 3, restart: 5, isolateLeader: 1, heal: 4 }) },
  },
  {
    name: 'appends a forwarded proposal without validation',
    breaks: 'Every peer applies the proposal: a malformed one stops all of them, at every start.',
    faults: { rules: { checksProposals: false } },
    profile: { founders: 3, nemesisMs: 300, acts: acts({ badProposal: 3, restart: 3, heal: 3 }) },
  },
  {
    name: 'trusts its last frame after a failed sync',
    breaks:
      'The kernel may have dropped the data of the failed sync but still return it from its cache: the next power cut loses it.',
    faults: { ignoresRewrites: true },
    profile: { founders: 3, nemesisMs: 250, acts: acts({ failSync: 4, powerCut: 4, restart: 6 }) },
  },
];
