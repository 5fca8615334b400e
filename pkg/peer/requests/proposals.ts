import { NO_PEER, type PeerId, type ProposeResult } from '../../../raft/index.js';
import type { RefusalReason, TxnResult } from '../../storage/index.js';
import { PROPOSAL_LIMITS } from '../common/index.js';
import type { ForwardedProposal, ForwardRefusal } from '../network/index.js';
import { type EnvelopeForm, seal, unseal } from './envelope.js';

export interface ProposalPorts {
  /** Appends on this peer, if it leads. */
  propose(data: Uint8Array): ProposeResult;
  /** Sends it to the leader of `term`. Returns false when it certainly was not sent. */
  forward(leader: PeerId, proposal: ForwardedProposal): boolean;
  /** The leader and the term, as far as this peer knows. */
  leadership(): { readonly leader: PeerId; readonly term: number };
  /** Milliseconds, monotonic. */
  now(): number;
  readonly electionTimeoutMs: number;
  /** The newest form of envelopes that every member reads. */
  form(): EnvelopeForm;
  /** The newest form of envelopes that this peer reads; absent: the newest of this program. */
  readonly reads?: number;
  /** A committed entry is malformed. It changes nothing. */
  malformed(why: string): void;
}

interface Pending {
  readonly id: number;
  readonly data: Uint8Array;
  readonly since: number;
  readonly resolve: (result: TxnResult) => void;
  /** The only term in which it may be appended, and only here; undefined: any. */
  readonly onlyTerm: number | undefined;
  /** The term in which it may have been appended; 0: not sent. */
  sentTerm: number;
}

/**
 * The proposals of this peer, from request to result.
 *
 * A proposal is answered when this peer applies its entry, which it recognises by origin and id. It is sent to one
 * leadership at a time: the leader of term T appends it in term T or never (`ForwardedProposal.term`). The log is
 * ordered by term. So when this peer applies an entry of a later term and has not seen the proposal, the proposal is
 * lost: then, and only then, it may be sent again. A proposal whose outcome is not known in time ends as unknown.
 *
 *     applied:  ... 7/T  8/T  9/T' ...     sent in T, not among the entries up to 8: lost; sent again in T'
 */
export class Proposals {
  readonly #ports: ProposalPorts;
  readonly #origin: number;
  readonly #pending = new Map<number, Pending>();
  /** Proposals that were not sent, in order: no leader is known or reachable. */
  #held: Pending[] = [];
  #bytes = 0;
  #lastId = 0;
  /** The term of the newest applied entry. */
  #appliedTerm = 0;
  #stopped: string | undefined;
  #drained: (() => void) | undefined;

  constructor(ports: ProposalPorts, origin: number) {
    this.#ports = ports;
    this.#origin = origin;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /**
   * Proposes `command`; resolves with its outcome. With `onlyTerm`, this peer appends it as the leader of that term or
   * never: for decisions that depend on what the leader knows in its term.
   */
  submit(command: Uint8Array, { onlyTerm }: { readonly onlyTerm?: number } = {}): Promise<TxnResult> {
    if (this.#stopped !== undefined) return Promise.resolve(refused('stopping', this.#stopped));
    if (this.#pending.size >= PROPOSAL_LIMITS.pendingMax || this.#bytes >= PROPOSAL_LIMITS.pendingBytesMax) {
      return Promise.resolve(refused('overloaded', 'too many proposals are waiting'));
    }
    const id = ++this.#lastId;
    const data = seal({ origin: this.#origin, id, command, form: this.#ports.form() });
    this.#bytes += data.length;
    return new Promise((resolve) => {
      const pending: Pending = { id, data, since: this.#ports.now(), resolve, onlyTerm, sentTerm: 0 };
      this.#pending.set(id, pending);
      this.#send(pending);
    });
  }

  #send(pending: Pending): void {
    const { leader, term } = this.#ports.leadership();
    if (pending.onlyTerm !== undefined) {
      this.#sendOnce(pending, pending.onlyTerm);
      return;
    }
    if (leader === NO_PEER) {
      this.#held.push(pending);
      return;
    }
    const result = this.#ports.propose(pending.data);
    if (result.kind === 'appended') {
      pending.sentTerm = result.term;
    } else if (result.reason === 'uncommittedLimit') {
      this.#settle(pending, refused('overloaded', result.detail));
    } else if (
      result.reason === 'notLeader' &&
      this.#ports.forward(leader, { id: pending.id, data: pending.data, term })
    ) {
      pending.sentTerm = term;
    } else {
      this.#held.push(pending);
    }
  }

  /** Appends here in one term, or resolves the proposal. */
  #sendOnce(pending: Pending, term: number): void {
    // The term of the core may be newer than that of the last Ready, but then this peer does not lead in it.
    const result = this.#ports.leadership().term === term ? this.#ports.propose(pending.data) : undefined;
    if (result?.kind === 'appended') pending.sentTerm = result.term;
    else this.#settle(pending, refused('noLeader', result?.detail ?? LEADERSHIP_CHANGED));
  }

  #settle(pending: Pending, result: TxnResult): void {
    if (!this.#pending.delete(pending.id)) return;
    this.#bytes -= pending.data.length;
    pending.resolve(result);
    if (this.#pending.size === 0) this.#drained?.();
  }

  /** A leader has refused a forwarded proposal: it has not appended it and never will. */
  refused({ id, term, refused: reason, message }: ForwardRefusal): void {
    const pending = this.#pending.get(id);
    // A late refusal does not concern the leadership that the proposal was sent to since.
    if (pending === undefined || pending.sentTerm !== term) return;
    if (reason === 'noLeader') {
      pending.sentTerm = 0;
      this.#held.push(pending);
    } else {
      this.#settle(pending, refused(reason, message));
    }
  }

  /** The command of a normal entry that is about to be applied, and the callback for its outcome. */
  applying(data: Uint8Array): { readonly command: Buffer; readonly answer: ((result: TxnResult) => void) | undefined } {
    const opened = unseal(data, this.#ports.reads);
    if (opened.kind === 'malformed') {
      this.#ports.malformed(opened.message);
      return { command: NOTHING, answer: undefined };
    }
    const { origin, id, command } = opened;
    const pending = origin === this.#origin ? this.#pending.get(id) : undefined;
    // The proposal is committed and will be resolved; it can no longer be lost.
    if (pending !== undefined) pending.sentTerm = Number.POSITIVE_INFINITY;
    return { command, answer: pending && ((result) => this.#settle(pending, result)) };
  }

  /** Entries of `term` are about to be applied: proposals of an earlier term that were not seen are lost and are sent again. */
  reached(term: number): void {
    if (term <= this.#appliedTerm) return;
    this.#appliedTerm = term;
    for (const pending of this.#pending.values()) {
      if (pending.sentTerm === 0 || pending.sentTerm >= term) continue;
      pending.sentTerm = 0;
      if (pending.onlyTerm === undefined) this.#held.push(pending);
      else this.#settle(pending, refused('noLeader', LEADERSHIP_CHANGED));
    }
    this.retryHeld();
  }

  /** Leadership may have changed: sends the proposals that wait for a leader. */
  retryHeld(): void {
    if (this.#held.length === 0 || this.#ports.leadership().leader === NO_PEER) return;
    const held = this.#held;
    this.#held = [];
    for (const pending of held) if (this.#pending.has(pending.id)) this.#send(pending);
  }

  /** Called at each tick: answers proposals that waited too long, and retries those that were not sent. */
  expire(): void {
    const now = this.#ports.now();
    const { electionTimeoutMs } = this.#ports;
    for (const pending of this.#pending.values()) {
      const age = now - pending.since;
      if (age < electionTimeoutMs) break;
      if (pending.sentTerm === 0 && age > PROPOSAL_LIMITS.holdElectionTimeouts * electionTimeoutMs) {
        this.#settle(pending, refused('noLeader', 'no leader is known'));
      } else if (age > PROPOSAL_LIMITS.answerMs + 2 * electionTimeoutMs) {
        this.#settle(pending, unknown('the proposal was not committed in time'));
      }
    }
    this.#held = this.#held.filter((pending) => this.#pending.has(pending.id));
    this.retryHeld();
  }

  /** A snapshot up to `term` has replaced the state: the outcome of proposals of that term and before cannot be known. */
  overtaken(term: number): void {
    this.#appliedTerm = Math.max(this.#appliedTerm, term);
    for (const pending of this.#pending.values()) {
      if (pending.sentTerm === 0 || pending.sentTerm > term) continue;
      this.#settle(pending, unknown('a snapshot replaced the state meanwhile'));
    }
  }

  /** Refuses new proposals. Resolves when the pending ones are resolved, at the latest by `stop`. */
  drain(why: string): Promise<void> {
    this.#stopped ??= why;
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Refuses new proposals and resolves the pending ones. */
  stop(why: string): void {
    this.#stopped = why;
    for (const pending of this.#pending.values()) {
      this.#settle(pending, pending.sentTerm === 0 ? refused('stopping', why) : unknown(why));
    }
    this.#held = [];
  }
}

const NOTHING = Buffer.alloc(0);
const LEADERSHIP_CHANGED = 'the leadership changed';

function refused(reason: RefusalReason, message: string): TxnResult {
  return { kind: 'refused', reason, message };
}

function unknown(message: string): TxnResult {
  return { kind: 'unknown', message };
}
