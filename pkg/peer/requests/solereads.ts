import { type Revision, revision } from '../../base/index.js';
import type { Keyspace, ReadIndexResult, TxnResult } from '../../storage/index.js';
import type { PeerKeyspace } from './keyspace.js';
import type { PeerReadResult } from './reads.js';
import type { SoleMemberCell } from './solemember.js';

/**
 * Linearizable reads by the caller of a peer that is the only member of its cluster. While it is (`SoleMember`), all writes are acknowledged by
 * this caller, so that most reads need no round.
 */
export class SoleReads {
  readonly #cell: SoleMemberCell;
  /** The newest round: its period as the only member (0: none), and its revision. */
  #period = 0;
  #revision = revision(0);
  /** The newest revision at which a write was answered. */
  #answered = revision(0);

  constructor(cell: SoleMemberCell) {
    this.#cell = cell;
  }

  /** The revision of a read that begins now; undefined if it needs a round. */
  known(): Revision | undefined {
    if (this.#period === 0 || Atomics.load(this.#cell, 0) !== this.#period) return undefined;
    return revision(Math.max(this.#answered, this.#revision));
  }

  /** A round has ended. Called before its callers continue. */
  ended(result: PeerReadResult): void {
    if (result.kind !== 'ok') return;
    this.#period = result.sole ?? 0;
    this.#revision = result.revision;
  }

  /** A write was answered. Called before its caller continues. A conflict, too, tells its caller of the state at its revision. */
  answered(result: TxnResult): void {
    if ((result.kind === 'committed' || result.kind === 'conflict') && result.revision > this.#answered)
      this.#answered = result.revision;
  }
}

/** The keyspace of a peer for callers on its thread, which must not use the peer in another way. */
export function withSoleReads(keyspace: PeerKeyspace): Keyspace {
  const reads = new SoleReads(keyspace.soleCell);
  const answered = (result: TxnResult): TxnResult => {
    reads.answered(result);
    return result;
  };
  const ended = (result: PeerReadResult): ReadIndexResult => {
    reads.ended(result);
    return result;
  };
  return {
    txn: (txn) => keyspace.txn(txn).then(answered),
    compact: (at) => keyspace.compact(at).then(answered),
    readIndex: () => {
      const known = reads.known();
      return known === undefined ? keyspace.readIndex().then(ended) : Promise.resolve({ kind: 'ok', revision: known });
    },
    range: (request) => keyspace.range(request),
    watch: (request, sink) => keyspace.watch(request, sink),
    status: () => keyspace.status(),
    close: () => keyspace.close(),
  };
}
