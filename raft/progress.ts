// What a leader knows of one follower's log, and how it sends to it.
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
  /** Everything up to here is durable on the follower and equal to the leader's log. */
  match = 0 as LogIndex;
  /** The next entry to send. */
  next: LogIndex;
  state: ProgressState = 'probe';
  /** probe: the one append is on its way; the next heartbeat reply allows another. */
  probing = false;
  /** replicate: send an append even without news, because the follower may lack one that was lost. */
  nudged = false;
  /** Ticks since it said anything; from 0, so a new leader gives everybody the benefit of the doubt. */
  silentTicks = 0;
  /** The highest commit index the follower will know when nothing is lost. */
  commitSent = 0 as LogIndex;
  /** snapshot: what it will hold, at least, when the one on its way is installed. */
  pendingSnapshot = 0 as LogIndex;

  #inflight: Inflight[] = [];
  #inflightBytes = 0;

  constructor(next: LogIndex) {
    this.next = next;
  }

  /** Said something within an election timeout: since the last quorum check, when this is the moment of the next. */
  isLive(electionTicks: number): boolean {
    return this.silentTicks <= electionTicks;
  }

  becomeProbe(): void {
    // What was being sent is in doubt; a snapshot that did arrive is known by its index.
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

  /** An append with entries up to `last` is on its way. */
  sent(last: LogIndex, bytes: number): void {
    if (this.state === 'replicate') {
      this.next = (last + 1) as LogIndex;
      this.#inflight.push({ last, bytes });
      this.#inflightBytes += bytes;
    } else {
      this.probing = true;
    }
  }

  /** The follower holds everything up to `index`. False when that was known. */
  accepted(index: LogIndex): boolean {
    // Also an old acceptance proves that the follower is there and answers.
    this.probing = false;
    this.#free(index);
    if (index <= this.match) return false;
    this.match = index;
    this.next = Math.max(this.next, index + 1) as LogIndex;
    invariant(this.match < this.next, 9, `match ${this.match} is not below next ${this.next}`);
    return true;
  }

  /**
   * The follower had nothing fitting at `rejected`; `hint` is the last position it may share. Goes back to probing
   * there. False when the rejection is old news.
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
