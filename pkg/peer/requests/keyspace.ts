import type { Revision } from '../../base/index.js';
import {
  type Entry,
  encodeEntry,
  type Keyspace,
  type KeyspaceStatus,
  type RangeRequest,
  type RangeResult,
  sizeProblem,
  type Txn,
  type TxnResult,
  type Watch,
  type WatchRequest,
  type WatchSink,
} from '../../storage/index.js';
import type { ReplicatedState } from '../apply/index.js';
import type { PeerMetrics } from '../common/index.js';
import type { Space } from '../durability/index.js';
import type { Proposals } from './proposals.js';
import type { PeerReadResult, Reads } from './reads.js';
import type { SoleMemberCell } from './solemember.js';

export interface KeyspaceParts {
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly soleCell: SoleMemberCell;
  readonly space: Space;
  readonly state: ReplicatedState;
  readonly metrics: PeerMetrics;
  /** Why this peer must not answer although it runs. */
  suspended(): string | undefined;
  leadership(): { readonly isLeader: boolean; readonly hasLeader: boolean };
  close(): Promise<void>;
}

/** What a peer offers to the serving thread beyond a keyspace, so that the two exchange less. */
export interface PeerKeyspace extends Keyspace {
  readIndex(): Promise<PeerReadResult>;
  /** The memory of `SoleMember`. */
  readonly soleCell: SoleMemberCell;
  /** `entry` is the result of `encodeTxn`; it is copied. `puts` is the number of its puts. */
  proposeTxn(entry: Uint8Array, about: { readonly puts: number }): Promise<TxnResult>;
}

export type EncodedTxn =
  | { readonly refusal: undefined; readonly entry: Uint8Array; readonly puts: number }
  | { readonly refusal: TxnResult; readonly entry: Uint8Array; readonly puts: number };

const NOTHING = new Uint8Array(0);

/**
 * Returns the log entry of a transaction, or why it is refused. Throws `InvariantError` for a transaction that no
 * caller may propose.
 */
export function encodeTxn(txn: Txn): EncodedTxn {
  const entry: Entry = { kind: 'txn', txn };
  const problem = sizeProblem(txn, entry);
  if (problem !== undefined) {
    return { refusal: { kind: 'refused', reason: 'tooLarge', message: problem }, entry: NOTHING, puts: 0 };
  }
  let puts = 0;
  for (const op of txn.ops) if (op.kind === 'put') puts++;
  return { refusal: undefined, entry: encodeEntry(entry), puts };
}

/** The replicated keyspace of this peer. */
export function peerKeyspace(parts: KeyspaceParts): PeerKeyspace {
  const { proposals, reads, soleCell, space, state, metrics } = parts;

  const refusalWhileSuspended = () => {
    const message = parts.suspended();
    return message === undefined ? undefined : ({ kind: 'refused', reason: 'noLeader', message } as const);
  };

  const proposeTxn = async (entry: Uint8Array, { puts }: { readonly puts: number }): Promise<TxnResult> => {
    const refusal = refusalWhileSuspended() ?? space.refusal(entry.length, puts);
    if (refusal !== undefined) return refusal;
    const result = await proposals.submit(entry);
    if (result.kind === 'refused' || result.kind === 'unknown') metrics.proposalsFailed++;
    return result;
  };

  return {
    async txn(txn: Txn): Promise<TxnResult> {
      const { refusal, entry, puts } = encodeTxn(txn);
      return refusal ?? proposeTxn(entry, { puts });
    },

    proposeTxn,
    soleCell,

    readIndex(): Promise<PeerReadResult> {
      const refusal = refusalWhileSuspended();
      if (refusal !== undefined) return Promise.resolve(refusal);
      // No entry committed after this point can be applied, so the read would only wait.
      const why = space.standstill;
      if (why !== undefined) return Promise.resolve({ kind: 'refused', reason: 'noSpace', message: why });
      return reads.submit();
    },

    async range(request: RangeRequest): Promise<RangeResult> {
      metrics.ranges++;
      return state.machine.range(request);
    },

    watch: (request: WatchRequest, sink: WatchSink): Watch => state.hub.watch(request, sink),

    compact: async (at: Revision): Promise<TxnResult> =>
      proposals.submit(encodeEntry({ kind: 'compact', revision: at })),

    status(): KeyspaceStatus {
      const { machine } = state;
      const { applied, compacted, sizeInUseBytes } = machine;
      return { applied, compacted, ...parts.leadership(), sizeBytes: space.stateBytesOnDisk, sizeInUseBytes };
    },

    close: () => parts.close(),
  };
}
