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

/** Bytes that a message without entries counts for. */
const MESSAGE_BYTES = 64;

/**
 * What waits for one connection. Appends with entries stand in a line of their own, behind everything else: a heartbeat
 * or a vote is not late because a megabyte was before it. (The consensus core takes messages in any order.)
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

  /** False: the queue is full, and the message is dropped. */
  raft(message: Message): boolean {
    const bytes = messageBytes(message);
    if (this.#urgent.length + this.#appends.length >= TRANSPORT_LIMITS.queuedMessagesMax) return false;
    if (this.#bytes > 0 && this.#bytes + bytes > TRANSPORT_LIMITS.queuedBytesMax) return false;
    this.#bytes += bytes;
    // One without entries is as urgent as a heartbeat, but it would be refused before those that it stands on.
    const inLine = message.kind === 'append' && (message.entries.length > 0 || this.#appends.length > 0);
    (inLine ? this.#appends : this.#urgent).push(message);
    return true;
  }

  /** False: the queue is full, and the proposal did not leave. */
  proposal(proposal: ForwardedProposal): boolean {
    if (this.#proposals.length >= TRANSPORT_LIMITS.queuedProposalsMax) return false;
    if (this.#bytes > 0 && this.#bytes + proposal.data.length > TRANSPORT_LIMITS.queuedBytesMax) return false;
    this.#bytes += proposal.data.length;
    this.#proposals.push(proposal);
    return true;
  }

  /** A refusal that is dropped costs its peer nothing but time. */
  refusal(refusal: ForwardRefusal): void {
    if (this.#answers.length < TRANSPORT_LIMITS.queuedProposalsMax) this.#answers.push(refusal);
  }

  hash(revision: number, { hash, history }: StateHashes): void {
    this.#hash = { revision, hash, history };
  }

  ping(sent: number): void {
    this.#ping = { sent };
  }

  /** The next bundle, encoded: everything that is urgent, and of the rest as much as fits. */
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

  /** Forgets everything. Returns whether raft messages were among it. */
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
