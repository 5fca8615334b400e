// The profile of a run. Every seed draws a different mix (swarm testing): a run with all faults at once finds other bugs than one
// with a single frequent fault.

import type { RaftLimits } from '../../raft/index.js';
import { DEFAULT_LIMITS } from '../../raft/index.js';
import type { Random } from './random.js';

/** Simulated time: one nominal tick. All other times are in the same units. */
export const TICK = 100;

export interface Profile {
  readonly voters: number;
  /** Peers that run from the start but become members only when they are added. */
  readonly spares: number;
  readonly limits: RaftLimits;
  /** The duration of the phase with faults. */
  readonly chaosTicks: number;
  /** Mean time between two faults. */
  readonly nemesisTicks: number;
  /** The weight of each fault; 0 disables it. */
  readonly acts: Readonly<Record<Act, number>>;
  /** The number of members in a change: one of these. */
  readonly changesAtOnce: readonly number[];
  /** Probability of a membership change as soon as a peer leads. */
  readonly changeAtOnce: number;
  /** Probability that a leader is cut off as soon as it leads, alone or with others. */
  readonly splitAtOnce: number;
  /** Probability that a peer loses power as soon as it campaigns or leads. */
  readonly crashAtOnce: number;
  readonly loss: number;
  readonly duplication: number;
  /** Most messages take up to `delayMax`, a share `stragglers` up to `stragglerMax` (and are reordered). */
  readonly delayMax: number;
  readonly stragglers: number;
  readonly stragglerMax: number;
  readonly syncMax: number;
  readonly applyMax: number;
  /** How long a peer's thread is busy before it processes input. */
  readonly busyMax: number;
  /** Clocks run at 1 - drift .. 1 + drift. */
  readonly drift: number;
  /** Mean time between two client operations. */
  readonly operationUnits: number;
  readonly reads: number;
  /** Probability of a compaction after an apply. */
  readonly compaction: number;
  readonly trailing: number;
  /** Probability that a peer that restarts, campaigns or leads receives old messages again. */
  readonly echo: number;
  /** The in-memory tail of the log gets entries when a write is returned, not when it is durable. */
  readonly tailEarly: boolean;
  /** After the phase with faults, the disks of a minority hang for a while longer. */
  readonly hungMinority: boolean;
}

export type Act =
  | 'crash'
  | 'bounce'
  | 'crashAll'
  | 'restart'
  | 'split'
  | 'isolateLeader'
  | 'cutOneWay'
  | 'heal'
  | 'pause'
  | 'pauseLeader'
  | 'slowDisk'
  | 'hangDisk'
  | 'transfer'
  | 'campaign'
  | 'change'
  | 'changeAndSplit'
  | 'alter'
  | 'burst';

const ACTS: readonly Act[] = [
  'crash',
  'bounce',
  'crashAll',
  'restart',
  'split',
  'isolateLeader',
  'cutOneWay',
  'heal',
  'pause',
  'pauseLeader',
  'slowDisk',
  'hangDisk',
  'transfer',
  'campaign',
  'change',
  'changeAndSplit',
  'burst',
];

/** Draws a profile. `fixed` overrides parts of it. */
export function drawProfile(random: Random, fixed: Partial<Profile> = {}): Profile {
  const changing = random.chance(0.4);
  const voters = random.pick([1, 2, 3, 3, 3, 3, 4, 5]);
  const tiny = random.chance(0.4);
  const acts = Object.fromEntries(ACTS.map((act) => [act, random.chance(0.6) ? random.int(1, 4) : 0]));
  acts['restart'] = 3;
  acts['heal'] = 3;
  acts['crashAll'] = random.chance(0.3) ? 1 : 0;
  acts['change'] = changing ? random.int(2, 8) : 0;
  acts['changeAndSplit'] = changing ? random.int(0, 2) : 0;
  // Raft does not survive damaged logs, so this never occurs in drawn profiles.
  acts['alter'] = 0;
  return {
    voters,
    spares: changing ? random.int(1, 3) : 0,
    limits: {
      ...DEFAULT_LIMITS,
      electionTicks: random.int(4, 10),
      heartbeatTicks: random.pick([1, 1, 2]),
      appendBytesMax: tiny ? 1 : 200,
      inflightMessagesMax: random.pick([1, 2, 8]),
      inflightBytesMax: random.pick([200, 1000]),
      uncommittedBytesMax: random.pick([500, 10_000]),
      committedBytesPerReadyMax: random.pick([1, 200]),
      applyingBytesMax: random.pick([200, 1000]),
      inflightWritesMax: random.pick([1, 2, 8]),
      pendingReadsMax: random.pick([2, 100]),
    },
    chaosTicks: random.int(40, 130),
    nemesisTicks: random.int(3, 12),
    acts: acts as Record<Act, number>,
    changesAtOnce: [1, 1, 2, 3],
    changeAtOnce: changing && random.chance(0.3) ? random.unit() : 0,
    splitAtOnce: random.chance(0.2) ? random.unit() * 0.5 : 0,
    crashAtOnce: random.chance(0.2) ? random.unit() * 0.5 : 0,
    loss: random.chance(0.5) ? random.unit() * 0.2 : 0,
    duplication: random.chance(0.4) ? random.unit() * 0.2 : 0,
    delayMax: random.pick([10, 30, 90]),
    stragglers: random.chance(0.5) ? random.unit() * 0.1 : 0,
    stragglerMax: random.pick([5, 20]) * TICK,
    syncMax: random.pick([1, 20, 100, 300]),
    applyMax: random.pick([1, 20, 200]),
    busyMax: random.pick([0, 0, 10, 50]),
    drift: random.chance(0.5) ? random.unit() * 0.25 : 0,
    operationUnits: random.pick([20, 60, 150]),
    reads: random.unit() * 0.7,
    compaction: random.chance(0.5) ? random.unit() * 0.3 : 0,
    trailing: random.pick([0, 2, 10]),
    echo: random.chance(0.2) ? random.unit() : 0,
    tailEarly: random.chance(0.5),
    hungMinority: random.chance(0.3),
    ...fixed,
  };
}
