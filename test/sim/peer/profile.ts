// The profile of a run: sizes, conditions, and the frequency of each fault. Every seed draws a different mix, because a run with
// all faults at once finds other bugs than a run with one frequent fault.

import { Random } from '../random.js';
import type { DiskProfile } from './disk.js';
import type { NetworkProfile } from './network.js';

export const ACTS = [
  'kill',
  'powerCut',
  'powerCutSoon',
  'crashAll',
  'restart',
  'close',
  'split',
  'isolateLeader',
  'isolateRemoval',
  'cutOneWay',
  'heal',
  'pause',
  'slowDisk',
  'failSync',
  'fullDisk',
  'wipe',
  'damage',
  'addMember',
  'removeMember',
  'moveLeader',
  'compact',
  'clockJump',
  'upgrade',
  'rollBack',
  'restore',
  'badProposal',
  'badEntry',
  'badSnapshot',
  'rot',
  'burst',
] as const;

export type Act = (typeof ACTS)[number];

/** Acts that only fit some profiles. A snapshot may spread what `rot` has altered, so it never occurs in drawn ones. */
const SPECIAL: readonly Act[] = ['isolateRemoval', 'rot'];

/** Acts that are drawn from a stream of their own: without them a seed produces the run that it produced before they existed. */
const LATER: readonly Act[] = ['badEntry', 'badSnapshot'];
const LATER_SEEDS = 2 ** 40;

/**
 * The releases of a rolling upgrade: the newest form of log entries that each reads, and that it writes once every member reads it. A
 * release reads one form more than its predecessor wrote, so that it can be rolled back by one version.
 */
export const RELEASES = [
  { reads: 1, writes: 1 },
  { reads: 2, writes: 1 },
  { reads: 2, writes: 2 },
] as const;

/** Its members cannot take part any more once the newer form is written. */
export const OLDEST_ROLLED_BACK = 0;

export interface PeerProfile {
  readonly founders: number;
  /** The release of all machines at the start, an index of `RELEASES`. */
  readonly release: number;
  /** Disks may be emptied before the cluster has recorded that their members take part. */
  readonly wipesEarly: boolean;
  /** Machines that are not members until an operator adds them. */
  readonly spares: number;
  readonly heartbeatMs: number;
  readonly electionMs: number;
  readonly snapshotCount: number;
  /** The duration of the phase with faults. */
  readonly chaosMs: number;
  /** The time within which the cluster must recover after the faults. */
  readonly peaceMs: number;
  /** Mean time between two faults. */
  readonly nemesisMs: number;
  readonly acts: Readonly<Record<Act, number>>;
  readonly disk: DiskProfile;
  readonly network: NetworkProfile;
  /** The longest time that a peer's thread is busy before it processes input. */
  readonly busyMsMax: number;
  /** Clocks run at 1 - drift .. 1 + drift. */
  readonly drift: number;
  /** Mean time between two client operations. */
  readonly operationMs: number;
  readonly reads: number;
  readonly keys: number;
  /** Time between two lists of the members; 0: none. */
  readonly listMs: number;
  /** Period of the hash check; 0 disables it. */
  readonly hashCheckMs: number;
}

export function drawProfile(random: Random, seed: number, fixed: Partial<PeerProfile> = {}): PeerProfile {
  const rare = [...SPECIAL, ...LATER];
  const acts = Object.fromEntries(
    ACTS.map((act) => [act, !rare.includes(act) && random.chance(0.55) ? random.int(1, 4) : 0]),
  );
  const later = new Random(LATER_SEEDS + seed);
  for (const act of LATER) acts[act] = later.chance(0.2) ? 1 : 0;
  acts['restart'] = 5;
  acts['heal'] = 4;
  acts['crashAll'] = random.chance(0.3) ? 1 : 0;
  const changing = random.chance(0.5);
  if (!changing) for (const act of ['addMember', 'removeMember']) acts[act] = 0;
  acts['isolateRemoval'] = changing ? 1 : 0;
  for (const act of ['wipe', 'damage']) acts[act] = random.chance(0.25) ? 1 : 0;
  for (const act of ['fullDisk', 'badProposal', 'failSync']) acts[act] = random.chance(0.3) ? 1 : 0;
  acts['restore'] = random.chance(0.1) ? 1 : 0;
  const upgraded = random.chance(0.3);
  for (const act of ['upgrade', 'rollBack']) acts[act] = upgraded ? random.int(1, 4) : 0;
  return {
    founders: random.pick([3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 7]),
    release: upgraded ? random.int(0, 1) : RELEASES.length - 1,
    spares: changing ? random.int(1, 2) : 0,
    heartbeatMs: 100,
    electionMs: random.pick([400, 500, 800]),
    snapshotCount: random.pick([10, 40, 10_000]),
    chaosMs: random.int(3000, 9000),
    nemesisMs: random.int(250, 900),
    acts: acts as Record<Act, number>,
    disk: { syncMsMax: random.pick([0.5, 2, 10, 60]) },
    network: {
      loss: random.chance(0.4) ? random.unit() * 0.15 : 0,
      duplication: random.chance(0.3) ? random.unit() * 0.15 : 0,
      delayMsMax: random.pick([1, 5, 40]),
      stragglers: random.chance(0.4) ? random.unit() * 0.08 : 0,
      stragglerMsMax: random.pick([100, 1500]),
    },
    busyMsMax: random.pick([0, 0, 2, 20]),
    drift: random.chance(0.4) ? random.unit() * 0.1 : 0,
    operationMs: random.pick([15, 40, 120]),
    reads: random.unit() * 0.6,
    keys: random.int(1, 5),
    hashCheckMs: random.chance(0.5) ? 1500 : 0,
    listMs: 300,
    peaceMs: 90_000,
    wipesEarly: false,
    ...fixed,
  };
}
