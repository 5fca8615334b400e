/**
 * Failures of a store, by the action that its owner must take:
 * - `locked`: another process has the data folder; stop it or choose another folder.
 * - `unreadable`: the folder cannot be read or written (missing rights, not a folder).
 * - `corrupt`: bytes on disk differ from what was written; rebuild this peer from the others or from a snapshot.
 * - `format`: written by a newer version of the program.
 * - `noSpace`: the disk is full; retry, or open again, when there is space: the log restores what was not written.
 * - `io`: the disk failed in another way.
 * - `noModule`: the native module is missing, or not compiled for this platform.
 * - `closed`: used after close, or after one of the above.
 * - `badSnapshot`: a snapshot's bytes are damaged or cut; fetch it again.
 */
export type StoreErrorKind =
  | 'locked'
  | 'unreadable'
  | 'corrupt'
  | 'format'
  | 'noSpace'
  | 'io'
  | 'noModule'
  | 'closed'
  | 'badSnapshot';

/** An error of the engine or the state machine. `message` is one line that names the folder and says what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** `name` is the data folder, `detail` describes the damage. */
export function corrupt(name: string, detail: string, cause?: unknown): StoreError {
  return new StoreError(
    'corrupt',
    `the store in ${name} is damaged (${detail}): move the folder away and let this peer join again, ` +
      'or restore the cluster from a snapshot',
    cause === undefined ? undefined : { cause },
  );
}
