import type { NoteLevel } from '../common/index.js';
import type { Backpressure } from './backpressure.js';
import type { Space } from './space.js';

export interface FullDiskPorts {
  readonly space: Space;
  readonly journal: Backpressure;
  note(level: NoteLevel, message: string): void;
}

/** The handling of a state, or of a snapshot that is being installed, while it waits for disk space. */
export class FullDisk {
  readonly #ports: FullDiskPorts;
  #blocked = false;

  constructor(ports: FullDiskPorts) {
    this.#ports = ports;
  }

  /** A batch of the state found no space. It is retried until there is some. */
  stateBlocked(): void {
    const { space, journal, note } = this.#ports;
    if (!this.#blocked) note('error', 'no space left for the state: it waits until there is room');
    this.#blocked = true;
    journal.blocked();
    space.blocked();
  }

  /** A batch of the state was written. */
  stateWritten(): void {
    if (!this.#blocked) return;
    const { space, journal, note } = this.#ports;
    this.#blocked = false;
    space.unblocked();
    journal.unblocked();
    note('info', 'there is room for the state again');
  }

  /** A snapshot that the consensus core accepted starts or stops waiting for space to be installed. */
  snapshotWaits(waits: boolean): void {
    const { space, note } = this.#ports;
    if (waits) {
      note('error', 'no space left to put a snapshot in place: it waits until there is room');
      space.blocked();
    } else {
      note('info', 'there is room for the snapshot again');
      space.unblocked();
    }
  }
}
