import {
  bundleCodec,
  type WireProposal,
  type WireProposalAnswer,
  type WireRaftMessage,
  type WireStateHash,
} from '../../../proto/index.js';
import { entryBytes, type Message } from '../../../raft/index.js';
import type { StateHashes } from '../../storage/index.js';
import { TRANSPORT_LIMITS } from '../common/index.js';
import { type ForwardedProposal, type ForwardRefusal, toWire } from '../network/index.js';

/** The bytes that a message without entries counts for. */
const MESSAGE_BYTES = 64;

/**
 * The queue of one connection. Appends with entries have a queue of their own behind everything else, so a megabyte of entries does not delay
 * a heartbeat or a vote. (The consensus core accepts messages in any order.)
 */
export class OutgoingQueue {
  #answers: WireProposalAnswer[] = [];
  #urgent: Message[] = [];
  #appends: Message[] = [];
  #proposals: WireProposal[] = [];
  #hash: WireStateHash | null = null;
  #ping: { readonly sent: number } | null = null;
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#messages === 0 && this.#hash === null && this.#ping === null;
  }

  get #messages(): number {
    return this.#answers.length + this.#urgent.length + this.#appends.length + this.#proposals.length;
  }

  /** Returns false when the queue is full and the message is dropped. */
  raft(message: Message): boolean {
    const bytes = messageBytes(message);
    if (this.#urgent.length + this.#appends.length >= TRANSPORT_LIMITS.queuedMessagesMax) return false;
    if (this.#bytes > 0 && this.#bytes + bytes > TRANSPORT_LIMITS.queuedBytesMax) return false;
    this.#bytes += bytes;
    // An append without entries is as urgent as a heartbeat, but it would be rejected before the appends that it follows.
    const inLine = message.kind === 'append' && (message.entries.length > 0 || this.#appends.length > 0);
    (inLine ? this.#appends : this.#urgent).push(message);
    return true;
  }

  /** Returns false when the queue is full and the proposal was not sent. */
  proposal(proposal: ForwardedProposal): boolean {
    if (this.#proposals.length >= TRANSPORT_LIMITS.queuedProposalsMax) return false;
    if (this.#bytes > 0 && this.#bytes + proposal.data.length > TRANSPORT_LIMITS.queuedBytesMax) return false;
    this.#bytes += proposal.data.length;
    this.#proposals.push(proposal);
    return true;
  }

  /** Queues a refusal. If it is dropped, its receiver only loses time. */
  refusal(refusal: ForwardRefusal): void {
    if (this.#answers.length < TRANSPORT_LIMITS.queuedProposalsMax) this.#answers.push(refusal);
  }

  hash(revision: number, { hash, history }: StateHashes): void {
    this.#hash = { revision, hash, history };
  }

  ping(sent: number): void {
    this.#ping = { sent };
  }

  /** Returns the next bundle, encoded: everything urgent, and as much of the rest as fits. */
  take(): Buffer {
    let bytes = 0;
    const raft: Partial<WireRaftMessage>[] = this.#urgent.map((message) => toWire(message));
    bytes += raft.length * MESSAGE_BYTES;
    let proposals = 0;
    while (proposals < this.#proposals.length && bytes < TRANSPORT_LIMITS.bundleBytesTarget) {
      bytes += this.#proposals[proposals++]!.data.length;
    }
    let appends = 0;
    while (appends < this.#appends.length && bytes < TRANSPORT_LIMITS.bundleBytesTarget) {
      const message = this.#appends[appends++]!;
      bytes += messageBytes(message);
      raft.push(toWire(message));
    }
    const bundle = {
      answers: this.#answers,
      raft,
      proposals: this.#proposals.splice(0, proposals),
      hash: this.#hash,
      ping: this.#ping,
    };
    this.#answers = [];
    this.#urgent = [];
    this.#appends.splice(0, appends);
    this.#hash = null;
    this.#ping = null;
    this.#bytes = this.#messages === 0 ? 0 : Math.max(0, this.#bytes - bytes);
    return bundleCodec.encode(bundle);
  }

  /** Empties the queue. Returns whether it held raft messages. */
  clear(): boolean {
    const lost = this.#urgent.length + this.#appends.length > 0;
    this.#answers = [];
    this.#urgent = [];
    this.#appends = [];
    this.#proposals = [];
    this.#hash = null;
    this.#ping = null;
    this.#bytes = 0;
    return lost;
  }
}

function messageBytes(message: Message): number {
  let bytes = MESSAGE_BYTES;
  if (message.kind === 'append') for (const entry of message.entries) bytes += entryBytes(entry);
  return bytes;
}
