import type { ReadOutcome } from '../../../raft/index.js';
import { type Revision, revision } from '../../base/index.js';
import type { ReadIndexResult } from '../../storage/index.js';
import { READ_LIMITS } from '../common/index.js';

export interface ReadPorts {
  /**
   * Requests a read index soon. `open` is called then and returns the context, which `settled` receives with the
   * result.
   */
  readIndex(open: () => number): void;
  /** The period in which this peer is the only member, as a round begins; 0 if it is not. */
  sole(): number;
  /** The index up to which this peer has applied. */
  applied(): number;
  /** Why nothing more can be applied here until there is space; undefined normally. */
  standstill(): string | undefined;
  /** Milliseconds, monotonic. */
  now(): number;
  readonly electionTimeoutMs: number;
}

/** `sole`: the round began in this period in which the peer was the only member (`SoleMember`). */
export type PeerReadResult = ReadIndexResult & { readonly sole?: number };

interface Caller {
  readonly since: number;
  readonly resolve: (result: PeerReadResult) => void;
}

interface Round {
  readonly callers: readonly Caller[];
  readonly sole: number;
}

interface Waiting extends Round {
  readonly index: Revision;
  /** When the oldest caller began to wait. */
  readonly since: number;
}

/**
 * Linearizable reads. All callers of one turn of the event loop share a round; a caller never joins a round that began
 * before its call. A read resolves when this peer has applied the index, so the caller can read here at once.
 */
export class Reads {
  readonly #ports: ReadPorts;
  #next: Caller[] = [];
  readonly #rounds = new Map<number, Round>();
  /** Callers of rounds that ended without an index. They are retried at the next tick. */
  #again: Caller[] = [];
  /** Rounds whose index is known and not yet applied here. */
  #waiting: Waiting[] = [];
  #callers = 0;
  #lastContext = 0;
  #stopped: string | undefined;

  constructor(ports: ReadPorts) {
    this.#ports = ports;
  }

  get pending(): number {
    return this.#callers;
  }

  submit(): Promise<PeerReadResult> {
    if (this.#stopped !== undefined) {
      return Promise.resolve({ kind: 'refused', reason: 'stopping', message: this.#stopped });
    }
    if (this.#callers >= READ_LIMITS.pendingMax) {
      return Promise.resolve({ kind: 'refused', reason: 'overloaded', message: 'too many reads are waiting' });
    }
    this.#callers++;
    return new Promise((resolve) => this.#join({ since: this.#ports.now(), resolve }));
  }

  /** A caller joins the round that opens next, never one that began before its call. */
  #join(caller: Caller): void {
    this.#next.push(caller);
    if (this.#next.length > 1) return;
    this.#ports.readIndex(() => {
      const context = ++this.#lastContext;
      this.#rounds.set(context, { callers: this.#next, sole: this.#ports.sole() });
      this.#next = [];
      return context;
    });
  }

  settled(outcome: ReadOutcome): void {
    const round = this.#rounds.get(outcome.context);
    if (round === undefined) return;
    const { callers } = round;
    this.#rounds.delete(outcome.context);
    if (outcome.kind === 'ready') {
      this.#waiting.push(waitingFor(revision(outcome.index), round));
      this.applied();
    } else if (outcome.reason === 'tooManyReads') {
      this.#answer(callers, { kind: 'refused', reason: 'overloaded', message: 'too many reads are waiting' });
    } else {
      // There is no leader, or a new one. Retrying a read is always safe.
      for (const caller of callers) this.#again.push(caller);
    }
  }

  /** This peer has applied more. */
  applied(): void {
    if (this.#waiting.length === 0) return;
    const applied = this.#ports.applied();
    const later: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (waiting.index <= applied) this.#answer(waiting.callers, answerOf(waiting));
      else later.push(waiting);
    }
    this.#waiting = later;
  }

  /** Called at each tick: retries reads without an index, and refuses those that waited too long. */
  expire(): void {
    this.#expireWaiting();
    if (this.#again.length === 0) return;
    const oldest = this.#ports.now() - READ_LIMITS.retryElectionTimeouts * this.#ports.electionTimeoutMs;
    for (const caller of this.#again) {
      if (caller.since >= oldest) this.#join(caller);
      else this.#answer([caller], { kind: 'refused', reason: 'noLeader', message: 'no leader answered the read' });
    }
    this.#again = [];
  }

  /** A client can repeat a read on any peer, so a read does not wait long for a peer that cannot apply. */
  #expireWaiting(): void {
    if (this.#waiting.length === 0) return;
    const { now, electionTimeoutMs, standstill } = this.#ports;
    const why = standstill();
    const oldest = why !== undefined ? now() : now() - READ_LIMITS.answerMs - 2 * electionTimeoutMs;
    const later: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { index, callers, sole, since } = waiting;
      if (since > oldest) {
        later.push(waiting);
        continue;
      }
      const message = why ?? `this peer did not apply entry ${index} in time`;
      const result: ReadIndexResult = {
        kind: 'refused',
        reason: why === undefined ? 'overloaded' : 'noSpace',
        message,
      };
      this.#answer(
        callers.filter((caller) => caller.since <= oldest),
        result,
      );
      const patient = callers.filter((caller) => caller.since > oldest);
      if (patient.length > 0) later.push(waitingFor(index, { callers: patient, sole }));
    }
    this.#waiting = later;
  }

  stop(why: string): void {
    this.#stopped = why;
    const result: ReadIndexResult = { kind: 'refused', reason: 'stopping', message: why };
    for (const { callers } of this.#rounds.values()) this.#answer(callers, result);
    for (const { callers } of this.#waiting) this.#answer(callers, result);
    this.#answer([...this.#next, ...this.#again], result);
    this.#rounds.clear();
    this.#waiting = [];
    this.#next = [];
    this.#again = [];
  }

  #answer(callers: readonly Caller[], result: PeerReadResult): void {
    this.#callers -= callers.length;
    for (const caller of callers) caller.resolve(result);
  }
}

function answerOf({ index, sole }: Waiting): PeerReadResult {
  return sole === 0 ? { kind: 'ok', revision: index } : { kind: 'ok', revision: index, sole };
}

function waitingFor(index: Revision, { callers, sole }: Round): Waiting {
  return {
    index,
    callers,
    sole,
    since: callers.reduce((least, { since }) => Math.min(least, since), Number.POSITIVE_INFINITY),
  };
}
