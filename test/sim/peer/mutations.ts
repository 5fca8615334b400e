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

const MUTATIONS: readonly PeerMutation[] = [
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
    name: 'stops at a malformed entry of the log',
    breaks: 'Every peer has the entry, and meets it at every start.',
    faults: { rules: { ignoresMalformed: false } },
    profile: { founders: 3, nemesisMs: 300, acts: acts({ badEntry: 3, restart: 3, heal: 3 }) },
  },
  {
    name: 'takes the unknown outcome of an addition for a failure',
    breaks: 'The member may have been added: without its record no member knows its address.',
    faults: { rules: { keepsUncertainMembers: false } },
    profile: {
      founders: 3,
      spares: 2,
      nemesisMs: 150,
      acts: acts({ addMember: 6, removeMember: 3, isolateLeader: 4, pause: 2, heal: 6, restart: 2 }),
    },
  },
  {
    name: 'compares the index of a snapshot with its content only after the snapshot has replaced the state',
    breaks: 'The peer has lost its own state by then, and stops at every start.',
    faults: { rules: { checksSnapshotIndex: false } },
    profile: {
      founders: 3,
      snapshotCount: 10,
      nemesisMs: 150,
      operationMs: 15,
      acts: acts({ badSnapshot: 4, kill: 3, restart: 4, split: 1, heal: 3 }),
    },
  },
  {
    name: 'trusts its last frame after a failed sync',
    breaks:
      'The kernel may have dropped the data of the failed sync but still return it from its cache: the next power cut loses it.',
    faults: { ignoresRewrites: true },
    profile: { founders: 3, nemesisMs: 250, acts: acts({ failSync: 4, powerCut: 4, restart: 6 }) },
  },
  {
    name: 'answers a joining peer from a state that may be behind',
    breaks: 'The peer that is asked may not know yet that the member took part before.',
    faults: { rules: { confirmsJoins: false } },
    profile: {
      founders: 5,
      spares: 0,
      nemesisMs: 200,
      chaosMs: 12_000,
      operationMs: 120,
      hashCheckMs: 0,
      busyMsMax: 0,
      acts: acts({ wipe: 4, restart: 6, split: 3, cutOneWay: 2, heal: 3, pause: 2 }),
    },
  },
  {
    name: 'lists the members as it knows them',
    breaks: 'A change that has ended is missing in the list of a peer that is behind.',
    faults: { listsLocally: true },
    profile: {
      founders: 3,
      spares: 2,
      nemesisMs: 250,
      listMs: 50,
      acts: acts({ addMember: 4, removeMember: 5, split: 1, cutOneWay: 3, pause: 3, heal: 4, restart: 4 }),
    },
  },
  {
    name: 'records a removal that is not committed, and proposes it again in a later term',
    breaks: 'The removal may be undone. The member is then excluded from a configuration that counts it.',
    faults: { rules: { recordsCommittedRemovals: false } },
    profile: {
      founders: 5,
      spares: 0,
      nemesisMs: 2500,
      chaosMs: 12_000,
      operationMs: 120,
      acts: acts({ isolateRemoval: 1 }),
    },
  },
  {
    name: 'forgets whose promises it has counted on',
    breaks:
      'A member that loses its disk before the cluster has recorded that it takes part joins again under its old id.',
    faults: { rules: { remembersPromises: false } },
    profile: {
      founders: 3,
      spares: 0,
      wipesEarly: true,
      nemesisMs: 100,
      chaosMs: 4000,
      operationMs: 15,
      acts: acts({ wipe: 6, restart: 5, split: 2, cutOneWay: 3, isolateLeader: 2, heal: 4 }),
    },
  },
  {
    name: 'continues while peers differ and no majority agrees',
    breaks: 'One of them serves a wrong state, and nobody knows which.',
    faults: { rules: { suspendsUndecided: false } },
    profile: {
      founders: 2,
      spares: 0,
      snapshotCount: 10_000,
      hashCheckMs: 1500,
      acts: acts({ rot: 1, kill: 1, restart: 4, split: 1, heal: 3 }),
    },
  },
  {
    name: 'does not replace the snapshot of an older leader',
    breaks: 'A deposed leader that never ends its stream keeps the peer from the snapshot of the present one.',
    faults: { rules: { replacesSnapshots: false } },
    profile: {
      founders: 3,
      snapshotCount: 10,
      nemesisMs: 120,
      // Less than the time after which a stream without progress is given up.
      peaceMs: 20_000,
      operationMs: 15,
      network: { loss: 0, duplication: 0, delayMsMax: 40, stragglers: 0, stragglerMsMax: 100 },
      acts: acts({ isolateLeader: 4, pause: 4, kill: 4, restart: 6, heal: 3, cutOneWay: 2 }),
    },
  },
  {
    name: 'lets a founder with an empty log vote before others have answered',
    breaks: 'It may have lost its disk while it could reach nobody, and has forgotten votes and acknowledged entries.',
    faults: { rules: { admitsFounders: false } },
    profile: {
      founders: 3,
      spares: 0,
      nemesisMs: 250,
      acts: acts({ wipe: 4, restart: 6, split: 3, isolateLeader: 2, heal: 3 }),
    },
  },
  {
    name: 'does not ask whether it was removed before any member reached it',
    breaks: 'It has no connections, and waits forever.',
    faults: { rules: { asksWhetherRemoved: false } },
    profile: {
      founders: 3,
      spares: 2,
      nemesisMs: 120,
      acts: acts({ addMember: 6, removeMember: 8, heal: 3, kill: 1, restart: 3, cutOneWay: 3 }),
    },
  },
  {
    name: 'writes a newer form of log entries before every member reads it',
    breaks: 'A member that was not upgraded yet cannot apply such entries, and stops.',
    faults: { rules: { raisesReadForms: false } },
    profile: {
      founders: 3,
      release: 0,
      nemesisMs: 300,
      acts: acts({ upgrade: 5, kill: 1, restart: 5, heal: 3 }),
    },
  },
  {
    name: 'writes its own newest form of log entries instead of that of the cluster',
    breaks: 'The same, for the time between the first upgraded member and the last.',
    faults: { rules: { writesFormOfCluster: false } },
    profile: {
      founders: 3,
      release: 1,
      nemesisMs: 300,
      acts: acts({ upgrade: 4, rollBack: 4, addMember: 2, removeMember: 2, kill: 1, restart: 5, heal: 3 }),
    },
  },
  {
    name: 'deletes expired keys without looking whether they were written again',
    breaks: 'A value that does not expire, written just before, is lost.',
    faults: { rules: { comparesExpired: false } },
    profile: {
      founders: 3,
      nemesisMs: 400,
      chaosMs: 12_000,
      operationMs: 15,
      acts: acts({ clockJump: 4, pause: 3, split: 1, heal: 3, restart: 3 }),
    },
  },
  {
    name: 'restores a snapshot without leaving out revisions',
    breaks: 'The old cluster may have written more after the snapshot: two different writes would have one revision.',
    faults: { rules: { restoresAbove: false } },
    profile: {
      founders: 3,
      nemesisMs: 400,
      operationMs: 15,
      acts: acts({ restore: 5, kill: 1, restart: 5, heal: 3, powerCut: 1 }),
    },
  },
];

/** Lists of members find only one of them, and cost time. */
export const PEER_MUTATIONS: readonly PeerMutation[] = MUTATIONS.map((mutation) => ({
  ...mutation,
  profile: { listMs: 0, ...mutation.profile },
}));
