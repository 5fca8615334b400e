import type { LogIndex, PeerId, ProposeResult, Term } from '../../raft/index.js';
import { NO_PEER } from '../../raft/index.js';
import type { RefusalReason, TxnResult } from '../storage/index.js';
import { seal, unseal } from './envelope.js';
import { PROPOSAL_LIMITS } from './limits.js';

export interface ProposalPorts {
  /** Appends here, if this peer leads. */
  propose(data: Uint8Array): ProposeResult;
  /** Hands it to the leader's connection; false when it certainly did not leave. */
  forward(leader: PeerId, id: number, data: Uint8Array): boolean;
  leader(): PeerId;
  /** Milliseconds, monotonic. */
  now(): number;
  readonly electionTimeoutMs: number;
}

/** How a leader answers a proposal that another peer forwarded. */
export interface ForwardAnswer {
  readonly id: number;
  readonly index: number;
  readonly term: number;
  readonly refused: RefusalReason | '';
  readonly message: string;
}

interface Pending {
  readonly id: number;
  readonly data: Uint8Array;
  readonly since: number;
  readonly resolve: (result: TxnResult) => void;
  /** It left for a leader, or is in this peer's log: from now on it may happen. */
  sent: boolean;
}

/**
 * Proposals of this peer, from the request to its answer.
 *
 * A proposal is answered when this peer applies its entry, recognised by origin and id. Until it was sent it may be
 * tried again, elsewhere too. Once sent it is never sent again: it ends as applied, as certainly lost
 * (another term's entry stands at its place), or, when time is up, as unknown.
 */
export class Proposals {
  readonly #ports: ProposalPorts;
  readonly #origin: number;
  readonly #pending = new Map<number, Pending>();
  /** Where a leader says that it appended: if another term's entry is applied there, the proposal is lost for good. */
  readonly #places = new Map<number, { readonly id: number; readonly term: number }>();
  /** Not sent yet, in order: no leader is known. */
  #held: Pending[] = [];
  #bytes = 0;
  #lastId = 0;
  #stopped: string | undefined;
  #drained: (() => void) | undefined;

  constructor(ports: ProposalPorts, origin: number) {
    this.#ports = ports;
    this.#origin = origin;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Proposes `command`; resolves with what became of it. */
  submit(command: Uint8Array): Promise<TxnResult> {
    if (this.#stopped !== undefined) return Promise.resolve(refused('stopping', this.#stopped));
    if (this.#pending.size >= PROPOSAL_LIMITS.pendingMax || this.#bytes >= PROPOSAL_LIMITS.pendingBytesMax) {
      return Promise.resolve(refused('overloaded', 'too many proposals are waiting'));
    }
    const id = ++this.#lastId;
    const data = seal(this.#origin, id, command);
    this.#bytes += data.length;
    return new Promise((resolve) => {
      const pending: Pending = { id, data, since: this.#ports.now(), resolve, sent: false };
      this.#pending.set(id, pending);
      this.#send(pending);
    });
  }

  #send(pending: Pending): void {
    const leader = this.#ports.leader();
    if (leader === NO_PEER) {
      this.#held.push(pending);
      return;
    }
    const result = this.#ports.propose(pending.data);
    if (result.kind === 'appended') {
      this.#appended(pending, result.index, result.term);
    } else if (result.reason === 'uncommittedLimit') {
      this.#refuse(pending, 'overloaded', result.detail);
    } else if (result.leader !== NO_PEER && this.#ports.forward(result.leader, pending.id, pending.data)) {
      pending.sent = true;
    } else {
      this.#held.push(pending);
    }
  }

  #appended(pending: Pending, index: LogIndex | number, term: Term | number): void {
    pending.sent = true;
    this.#places.set(index, { id: pending.id, term });
  }

  #refuse(pending: Pending, reason: RefusalReason, message: string): void {
    this.#settle(pending, refused(reason, message));
  }

  #settle(pending: Pending, result: TxnResult): void {
    if (!this.#pending.delete(pending.id)) return;
    this.#bytes -= pending.data.length;
    pending.resolve(result);
    if (this.#pending.size === 0) this.#drained?.();
  }

  /** The leader's answer to a forwarded proposal. */
  answered(answer: ForwardAnswer): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if (answer.refused === '') {
      this.#appended(pending, answer.index, answer.term);
    } else if (answer.refused === 'noLeader') {
      // It was no leader (any more), and appended nothing: the next one may.
      pending.sent = false;
      this.#held.push(pending);
    } else {
      this.#refuse(pending, answer.refused, answer.message);
    }
  }

  /** The command of a normal entry that is about to be applied, and what to call with its outcome. */
  applying(data: Uint8Array): { readonly command: Buffer; readonly answer: ((result: TxnResult) => void) | undefined } {
    const { origin, id, command } = unseal(data);
    const pending = origin === this.#origin ? this.#pending.get(id) : undefined;
    return { command, answer: pending && ((result) => this.#settle(pending, result)) };
  }

  /** An entry of `term` is committed at `index`: whoever was told to be there in another term is not. */
  committed(index: number, term: number): void {
    const place = this.#places.get(index);
    if (place === undefined) return;
    this.#places.delete(index);
    const pending = this.#pending.get(place.id);
    if (pending === undefined || place.term === term) return;
    this.#refuse(pending, 'noLeader', 'the leader that took the proposal lost its place before it was committed');
  }

  /** Leadership may have changed: what waited for a leader goes out. */
  retryHeld(): void {
    if (this.#held.length === 0 || this.#ports.leader() === NO_PEER) return;
    const held = this.#held;
    this.#held = [];
    for (const pending of held) if (this.#pending.has(pending.id)) this.#send(pending);
  }

  /** Time has passed: answers what waited too long, and tries again what was not sent. */
  expire(): void {
    const now = this.#ports.now();
    const { electionTimeoutMs } = this.#ports;
    for (const pending of this.#pending.values()) {
      const age = now - pending.since;
      if (age < electionTimeoutMs) break;
      if (!pending.sent && age > PROPOSAL_LIMITS.holdElectionTimeouts * electionTimeoutMs) {
        this.#refuse(pending, 'noLeader', 'no leader is known');
      } else if (age > PROPOSAL_LIMITS.answerMs + 2 * electionTimeoutMs) {
        this.#settle(pending, unknown('the proposal was not committed in time'));
      }
    }
    this.#held = this.#held.filter((pending) => this.#pending.has(pending.id));
    this.retryHeld();
  }

  /** The state was replaced by a snapshot up to `index`: what was proposed up to there has been decided unseen. */
  overtaken(index: number): void {
    for (const [at, place] of this.#places) {
      if (at > index) continue;
      this.#places.delete(at);
      const pending = this.#pending.get(place.id);
      if (pending !== undefined) this.#settle(pending, unknown('this peer was caught up by a snapshot meanwhile'));
    }
  }

  /** Nothing is taken any more; resolves when what waits is answered, which `stop` brings about at the latest. */
  drain(why: string): Promise<void> {
    this.#stopped ??= why;
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Answers everything. Nothing is taken any more. */
  stop(why: string): void {
    this.#stopped = why;
    for (const pending of this.#pending.values()) {
      this.#settle(pending, pending.sent ? unknown(why) : refused('stopping', why));
    }
    this.#held = [];
    this.#places.clear();
  }
}

function refused(reason: RefusalReason, message: string): TxnResult {
  return { kind: 'refused', reason, message };
}

function unknown(message: string): TxnResult {
  return { kind: 'unknown', message };
}
