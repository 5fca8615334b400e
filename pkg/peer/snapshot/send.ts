import type { SnapshotMeta, SnapshotRequest } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import { crc32, type Snapshot } from '../../storage/index.js';
import { SNAPSHOT_LIMITS, Throttle } from '../common/index.js';
import { metaToWire, type SnapshotStream } from '../network/index.js';
import { Rounds } from './rounds.js';
import { stallTimer } from './stall.js';

export interface OutgoingSnapshot {
  readonly world: World;
  readonly order: SnapshotRequest;
  readonly clusterId: string;
  readonly stream: SnapshotStream;
  /** The snapshot: pinned, and following the state. Its owner closes it. */
  readonly snapshot: Snapshot;
  /** The index and term of the snapshot. Called when all of it has been sent. */
  meta(): Promise<SnapshotMeta>;
  /** The index up to which this peer has applied, as the consensus core knows it. */
  applied(): number;
  /** The snapshot will include everything up to `index`. */
  covers(index: number): void;
  /** Counts bytes when they are sent. */
  sent(bytes: number): void;
  /** Cancels the stream. */
  readonly signal: AbortSignal;
}

/**
 * Streams a snapshot to one peer, throttled (`Throttle`) and no faster than the receiver stores it, until it has nearly
 * caught up with the current state (`Rounds`). Rejects if the stream breaks or stalls, or the receiver refuses;
 * resolves with false if the receiver no longer needs the snapshot.
 */
export async function sendSnapshot(outgoing: OutgoingSnapshot): Promise<boolean> {
  const { world, order, clusterId, stream, snapshot, signal } = outgoing;
  const cancel = (): void => stream.cancel();
  const stall = stallTimer(world, cancel);
  signal.addEventListener('abort', cancel);
  try {
    signal.throwIfAborted();
    await stream.write({ begin: { clusterId, from: order.from, to: order.to, term: order.term } });
    const rounds = new Rounds(world, outgoing.covers);
    const throttle = new Throttle(world, SNAPSHOT_LIMITS.sending);
    let checksum = 0;
    let bytes = 0;
    for await (const data of snapshot.chunks((next) => rounds.again(next))) {
      checksum = crc32(data, checksum);
      bytes += data.length;
      await stream.write({ data, checksum });
      outgoing.sent(data.length);
      stall.progressed();
      rounds.sent(outgoing.applied());
      await throttle.rest(data.length);
    }
    const meta = metaToWire(await outgoing.meta());
    await stream.write({ end: { bytes, meta } });
    const ack = await stream.finish();
    if (ack.refused !== '') throw new Error(ack.refused);
    return ack.installed;
  } finally {
    stall.stop();
    signal.removeEventListener('abort', cancel);
    stream.cancel();
  }
}
