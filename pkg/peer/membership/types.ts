/** What was asked for, or why it was refused; nothing has happened then. */
export type ControlResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly message: string };

export interface AddMember {
  readonly peerUrls: readonly string[];
  readonly name?: string;
  /** True: stays a learner until it is promoted by hand. */
  readonly staysLearner?: boolean;
}

export interface MemberReport {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly learner: boolean;
}

/** The control call by which a founder with an empty disk asks the others whether its id has taken part before. */
export const HAS_STARTED = 'hasStarted';

/** The answer to `HAS_STARTED`. */
export interface HasStarted {
  readonly clusterId: string;
  readonly started: boolean;
}
