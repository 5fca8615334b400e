import type { MetricData } from '../common/index.js';
import type { AddMember, ControlResult, MemberReport } from '../membership/index.js';
import type { SavedSnapshot } from '../snapshot/index.js';

/** Everything that can be asked of a peer beside its keyspace: `triremectl`, health checks, metrics. */
export interface PeerControl {
  report(): Promise<PeerReport>;
  metrics(): Promise<readonly MetricData[]>;
  members(): Promise<readonly MemberReport[]>;
  /** Adds a learner; it becomes a voter by itself when it has caught up, unless it `staysLearner`. */
  addMember(request: AddMember): Promise<ControlResult<MemberReport>>;
  promoteMember(id: number): Promise<ControlResult<null>>;
  removeMember(id: number): Promise<ControlResult<null>>;
  /** Hands leadership to the voter `id`, or to the best one when 0. */
  moveLeader(id: number): Promise<ControlResult<null>>;
  /** Writes a snapshot of the state, as of now, into a new file of this machine. */
  saveSnapshot(file: string): Promise<ControlResult<SavedSnapshot>>;
}

export interface PeerReport {
  readonly clusterId: string;
  readonly id: number;
  readonly name: string;
  readonly version: string;
  readonly role: 'leader' | 'follower' | 'candidate' | 'preCandidate' | 'learner';
  /** 0: unknown. */
  readonly leader: number;
  readonly term: number;
  readonly lastIndex: number;
  readonly commit: number;
  readonly applied: number;
  readonly firstIndex: number;
  readonly sizeBytes: number;
  readonly sizeInUseBytes: number;
  readonly quotaBytes: number;
  readonly walBytes: number;
  readonly noSpace: boolean;
  /** Undefined when healthy. */
  readonly problem?: string;
  /** What a leader knows of the others. */
  readonly peers: readonly {
    readonly id: number;
    readonly match: number;
    readonly state: 'probe' | 'replicate' | 'snapshot';
    readonly active: boolean;
    readonly learner: boolean;
    readonly caughtUp: boolean;
  }[];
}

/** The calls by name, as they cross the thread boundary: one argument, one result, both JSON. */
export const CONTROL_CALLS = [
  'report',
  'metrics',
  'members',
  'addMember',
  'promoteMember',
  'removeMember',
  'moveLeader',
  'saveSnapshot',
] as const satisfies readonly (keyof PeerControl)[];
