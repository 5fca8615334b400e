/** The outcome of a control call. */
export type ControlResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** Nothing has happened. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It may have happened, or may still happen. */
  | { readonly kind: 'unknown'; readonly message: string };

export interface AddMember {
  readonly peerUrls: readonly string[];
  readonly name?: string;
  /** True: stays a learner until an operator promotes it. */
  readonly staysLearner?: boolean;
}

export interface UpdateMember {
  readonly id: number;
  readonly peerUrls: readonly string[];
}

export interface ListMembers {
  /** False: answers from the applied state of this peer, which may be behind. The default is true, as in etcd. */
  readonly linearizable?: boolean;
}

export interface MemberReport {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly learner: boolean;
}

/**
 * The control call by which a founder with an empty disk asks whether its id has taken part before. The answer is based
 * on the applied state.
 */
export const HAS_STARTED = 'hasStarted';

/**
 * The same call by a member that joins a running cluster. The answer follows a linearizable read and includes what the leader itself
 * has received, or is an error.
 */
export const HAS_STARTED_CONFIRMED = 'hasStartedConfirmed';

/** The result of both calls. */
export interface HasStarted {
  readonly clusterId: string;
  readonly started: boolean;
  /** The member was removed. Absent in the first call, and in answers of releases that do not say it. */
  readonly removed?: boolean;
  /** The answering peer is itself a founder whose log is empty. Absent in the second call. */
  readonly blank?: boolean;
}
