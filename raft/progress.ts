// A leader's knowledge of one follower's log, and how it sends to it.
//
//   probe      the follower's position is a guess: one append at a time, until one is accepted
//   replicate  the position is known: appends follow each other without waiting, within a window
//   snapshot   the follower needs entries the leader has forgotten: nothing is sent until a snapshot arrived

import { invariant } from './invariant.js';
import type { LogIndex } from './types.js';

export type ProgressState = 'probe' | 'replicate' | 'snapshot';

interface Inflight {
  readonly last: LogIndex;
  readonly bytes: number;
}

export interface Window {
  readonly messages: number;
  readonly bytes: number;
}

export class Progress {
  /** Everything up to this index is durable on the follower and equal to the leader's log. */
  match = 0 as LogIndex;
  /** The next entry to send. */
  next: LogIndex;
  state: ProgressState = 'probe';
  /** probe: the append is in flight; the next heartbeat response allows another. */
  probing = false;
  /** replicate: send an append even without new entries, because an earlier one may be lost. */
  nudged = false;
  /** Ticks since its last message. Starts at 0, so that a new leader treats every peer as alive. */
  silentTicks = 0;
  /** The highest commit index sent to the follower. */
  commitSent = 0 as LogIndex;
  /** snapshot: the least index it has once the snapshot in flight is installed. */
  pendingSnapshot = 0 as LogIndex;

  #inflight: Inflight[] = [];
  #inflightBytes = 0;

  constructor(next: LogIndex) {
    this.next = next;
  }

  /** Sent a message within an election timeout, or since the last quorum check when the next one is due now. */
  isLive(electionTicks: number): boolean {
    return this.silentTicks <= electionTicks;
  }

  becomeProbe(): void {
    // Messages in flight may be lost. A snapshot that arrived is recognised by its index.
    const known = this.state === 'snapshot' ? Math.max(this.match, this.pendingSnapshot) : this.match;
    this.next = (known + 1) as LogIndex;
    this.#enter('probe');
  }

  becomeReplicate(): void {
    this.next = (this.match + 1) as LogIndex;
    this.#enter('replicate');
  }

  becomeSnapshot(index: LogIndex): void {
    this.#enter('snapshot');
    this.pendingSnapshot = index;
  }

  windowIsFull(window: Window): boolean {
    return this.#inflight.length >= window.messages || this.#inflightBytes >= window.bytes;
  }

  /** An append with entries up to `last` was sent. */
  sent(last: LogIndex, bytes: number): void {
    if (this.state === 'replicate') {
      this.next = (last + 1) as LogIndex;
      this.#inflight.push({ last, bytes });
      this.#inflightBytes += bytes;
    } else {
      this.probing = true;
    }
  }

  /** The follower has everything up to `index`. Returns false when that was known. */
  accepted(index: LogIndex): boolean {
    // An old acknowledgement also proves that the follower is reachable.
    this.probing = false;
    this.#free(index);
    if (index <= this.match) return false;
    this.match = index;
    this.next = Math.max(this.next, index + 1) as LogIndex;
    invariant(this.match < this.next, 9, `match ${this.match} is not below next ${this.next}`);
    return true;
  }

  /**
   * The follower has no matching entry at `rejected`; `hint` is the last position that it may share. Returns to probing there.
   * Returns false for an outdated rejection.
   */
  rejected(rejected: LogIndex, hint: LogIndex): boolean {
    if (rejected <= this.match || this.state === 'snapshot') return false;
    if (this.state === 'probe' && this.next - 1 !== rejected) return false;
    this.becomeProbe();
    this.next = Math.max(this.match + 1, Math.min(rejected, hint + 1)) as LogIndex;
    return true;
  }

  #enter(state: ProgressState): void {
    this.state = state;
    this.probing = false;
    this.nudged = false;
    this.pendingSnapshot = 0 as LogIndex;
    this.#inflight = [];
    this.#inflightBytes = 0;
  }

  #free(index: LogIndex): void {
    let count = 0;
    for (const { last, bytes } of this.#inflight) {
      if (last > index) break;
      this.#inflightBytes -= bytes;
      count++;
    }
    if (count > 0) this.#inflight.splice(0, count);
  }
}
