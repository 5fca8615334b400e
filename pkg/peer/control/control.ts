import type { MetricData } from '../common/index.js';
import type { AddMember, ControlResult, ListMembers, MemberReport, UpdateMember } from '../membership/index.js';
import type { SavedSnapshot } from '../snapshot/index.js';

/** The control interface of a peer, for `triremectl`, health checks and metrics. */
export interface PeerControl {
  report(): Promise<PeerReport>;
  metrics(): Promise<readonly MetricData[]>;
  /** The members of the committed configuration. A linearizable list contains every change that had ended before the call. */
  members(request?: ListMembers): Promise<ControlResult<readonly MemberReport[]>>;
  /** Adds a learner. It is promoted automatically when it has caught up, unless it `staysLearner`. */
  addMember(request: AddMember): Promise<ControlResult<MemberReport>>;
  /** Replaces the peer URLs of a member. */
  updateMember(request: UpdateMember): Promise<ControlResult<MemberReport>>;
  promoteMember(id: number): Promise<ControlResult<null>>;
  removeMember(id: number): Promise<ControlResult<null>>;
  /** Transfers leadership to the voter `id`, or to the best one when 0. */
  moveLeader(id: number): Promise<ControlResult<null>>;
  /** Writes a snapshot of the present state to a new file on this machine. */
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
  /** The other members, as the leader knows them; empty on other peers. */
  readonly peers: readonly {
    readonly id: number;
    readonly match: number;
    readonly state: 'probe' | 'replicate' | 'snapshot';
    readonly active: boolean;
    readonly learner: boolean;
    readonly caughtUp: boolean;
  }[];
}

/** The names of the calls at the thread boundary. Each has one argument and one result, both JSON. */
export const CONTROL_CALLS = [
  'report',
  'metrics',
  'members',
  'addMember',
  'updateMember',
  'promoteMember',
  'removeMember',
  'moveLeader',
  'saveSnapshot',
] as const satisfies readonly (keyof PeerControl)[];
