export type NoteLevel = 'info' | 'warn' | 'error';

/** What a peer reports to its owner. */
export interface PeerEvents {
  /** The peer has stopped permanently: a failed disk, a broken invariant, a state that differs. Called once. The process should end. */
  readonly fatal?: (error: Error) => void;
  /** `keyspace.status()` has changed: more is applied, or the leader changed. */
  readonly progressed?: () => void;
  /** A line for the program's log. */
  readonly note?: (level: NoteLevel, message: string) => void;
}
