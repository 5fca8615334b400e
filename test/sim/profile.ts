// What kind of bad day a run has. Every seed draws its own mix (swarm testing): a run with all faults at once finds
// other things than one with a single fault turned up.

import type { RaftLimits } from '../../raft/index.js';
import { DEFAULT_LIMITS } from '../../raft/index.js';
import type { Random } from './random.js';

/** Simulated time: one nominal tick. All other times are in the same units. */
export const TICK = 100;

export interface Profile {
  readonly voters: number;
  /** Peers that run from the start but are members only after they were added. */
  readonly spares: number;
  readonly limits: RaftLimits;
  /** How long faults go on. */
  readonly chaosTicks: number;
  /** Mean time between two acts of the nemesis. */
  readonly nemesisTicks: number;
  /** How much each act is wanted; 0 leaves it out. */
  readonly acts: Readonly<Record<Act, number>>;
  /** How many members a change is about: one of these. */
  readonly changesAtOnce: readonly number[];
  /** Chance that a change of members is asked of a leader the moment it leads. */
  readonly changeAtOnce: number;
  /** Chance that a leader is cut off the moment it leads, alone or with some. */
  readonly splitAtOnce: number;
  /** Chance that a peer loses power the moment it campaigns or leads. */
  readonly crashAtOnce: number;
  readonly loss: number;
  readonly duplication: number;
  /** Most messages take up to `delayMax`, a share `stragglers` up to `stragglerMax` (and are overtaken). */
  readonly delayMax: number;
  readonly stragglers: number;
  readonly stragglerMax: number;
  readonly syncMax: number;
  readonly applyMax: number;
  /** How long a peer's thread is busy before it looks at what came in. */
  readonly busyMax: number;
  /** Clocks run at 1 - drift .. 1 + drift. */
  readonly drift: number;
  /** Mean time between two client operations. */
  readonly operationUnits: number;
  readonly reads: number;
  /** Chance of a compaction after an apply. */
  readonly compaction: number;
  readonly trailing: number;
  /** Chance that a peer that comes back, campaigns, or leads, hears again what was said to it before. */
  readonly echo: number;
  /** The in-memory tail of the log is filled when a write is handed out, not when it is durable. */
  readonly tailEarly: boolean;
  /** When the bad time is over, the disks of a minority hang for a while longer. */
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

/** Draws a profile; `fixed` overrules single points of it. */
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
