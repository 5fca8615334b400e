import type { Revision } from '../base/index.js';
import {
  encodeEntry,
  type Keyspace,
  type KeyspaceStatus,
  type RangeRequest,
  type RangeResult,
  type ReadIndexResult,
  type Txn,
  type TxnResult,
  type Watch,
  type WatchRequest,
  type WatchSink,
} from '../storage/index.js';
import type { PeerMetrics } from './metrics.js';
import type { Proposals } from './proposals.js';
import type { Reads } from './reads.js';
import type { Space } from './space.js';
import type { ReplicatedState } from './state.js';

export interface KeyspaceParts {
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly space: Space;
  readonly state: ReplicatedState;
  readonly metrics: PeerMetrics;
  /** Something was asked that the loop has to look at. */
  poke(): void;
  leadership(): { readonly isLeader: boolean; readonly hasLeader: boolean };
  close(): Promise<void>;
}

/** The replicated keyspace, as this peer sees it. */
export function peerKeyspace(parts: KeyspaceParts): Keyspace {
  const { proposals, reads, space, state, metrics } = parts;

  const propose = (command: Uint8Array): Promise<TxnResult> => {
    const answer = proposals.submit(command);
    parts.poke();
    return answer;
  };

  return {
    async txn(txn: Txn): Promise<TxnResult> {
      const puts = countPuts(txn);
      if (puts > 0) {
        const refusal = space.refusal();
        if (refusal !== undefined) return refusal;
      }
      const result = await propose(encodeEntry({ kind: 'txn', txn }));
      if (result.kind === 'committed') {
        metrics.puts += puts;
        metrics.deletes += txn.ops.length - puts;
      } else if (result.kind !== 'conflict') {
        metrics.proposalsFailed++;
      }
      return result;
    },

    readIndex(): Promise<ReadIndexResult> {
      const answer = reads.submit();
      parts.poke();
      return answer;
    },

    async range(request: RangeRequest): Promise<RangeResult> {
      metrics.ranges++;
      return state.machine.range(request);
    },

    watch: (request: WatchRequest, sink: WatchSink): Watch => state.hub.watch(request, sink),

    compact: async (at: Revision): Promise<TxnResult> => propose(encodeEntry({ kind: 'compact', revision: at })),

    status(): KeyspaceStatus {
      const { machine } = state;
      const { applied, compacted, sizeBytes, sizeInUseBytes } = machine;
      return { applied, compacted, ...parts.leadership(), sizeBytes, sizeInUseBytes };
    },

    close: () => parts.close(),
  };
}

function countPuts(txn: Txn): number {
  let puts = 0;
  for (const op of txn.ops) if (op.kind === 'put') puts++;
  return puts;
}
