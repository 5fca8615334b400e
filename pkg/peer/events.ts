/** What a peer tells its owner without being asked. */
export interface PeerEvents {
  /** It has stopped, and why: a failed disk, a broken invariant, a state that differs. Called once. The process should end. */
  readonly fatal?: (error: Error) => void;
  /** `keyspace.status()` says something new: more is applied, or the leader changed. */
  readonly progressed?: () => void;
  /** For the log of the program. */
  readonly note?: (level: 'info' | 'warn' | 'error', message: string) => void;
}
