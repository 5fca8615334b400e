import { type Configuration, members, type PeerId } from '../../../raft/index.js';

export interface SoleMemberPorts {
  readonly self: PeerId;
  /** The configuration in force, committed or not. */
  configuration(): Configuration;
  /** Whether this peer leads and the configuration in force is committed. */
  leadsByCommitted(): boolean;
}

/**
 * Whether this peer is the only member of its cluster, in memory that the serving thread reads without a message.
 *
 * While it is, every write is acknowledged by its own serving thread. So that thread knows a revision for a linearizable read without asking:
 * that of a round which began in this period, or at which it answered a later write itself. A round that began earlier does not
 * count, because another member may have acknowledged a write after it.
 */
export class SoleMember {
  readonly #ports: SoleMemberPorts;
  readonly #cell: SoleMemberCell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #last = 0;

  constructor(ports: SoleMemberPorts) {
    this.#ports = ports;
  }

  get cell(): SoleMemberCell {
    return this.#cell;
  }

  /** A round of reads begins. Returns the period in which it does, or 0 if this peer is not known to be the only member. */
  period(): number {
    const current = Atomics.load(this.#cell, 0);
    if (current !== 0 || !this.#isAlone() || !this.#ports.leadsByCommitted()) return current;
    this.#last = (this.#last + 1) | 0 || 1;
    Atomics.store(this.#cell, 0, this.#last);
    return this.#last;
  }

  /** Another configuration is in force. Called before anything is sent to its members: they have received nothing yet. */
  reconfigured(): void {
    if (!this.#isAlone()) this.end();
  }

  end(): void {
    Atomics.store(this.#cell, 0, 0);
  }

  #isAlone(): boolean {
    const { self, configuration } = this.#ports;
    const all = members(configuration());
    return all.length === 1 && all[0] === self;
  }
}

/** One element in shared memory: the number of the current period, which differs from those of earlier ones, or 0. */
export type SoleMemberCell = Int32Array<SharedArrayBuffer>;
