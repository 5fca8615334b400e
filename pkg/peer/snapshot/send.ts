import { Client, type ClientWritableStream } from '@grpc/grpc-js';
import { PEER_METHODS, snapshotAckCodec, snapshotPartCodec, type WireSnapshotAck } from '../../../proto/index.js';
import type { SnapshotMeta, SnapshotRequest } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import { crc32, type Snapshot } from '../../storage/index.js';
import type { PeerTls } from '../config.js';
import { SNAPSHOT_LIMITS } from '../limits.js';
import { metaToWire } from '../transport/codec.js';
import { dialing, identity } from '../transport/credentials.js';
import { Following } from './following.js';
import { Pace } from './pace.js';
import { stallTimer } from './stall.js';

export interface OutgoingSnapshot {
  readonly world: World;
  readonly order: SnapshotRequest;
  readonly clusterId: string;
  readonly url: string;
  readonly tls: PeerTls;
  /** Pinned, to follow; closed by whoever opened it. */
  readonly snapshot: Snapshot;
  /** What the snapshot stands for; asked when all of it was sent. */
  meta(): Promise<SnapshotMeta>;
  /** How far this peer has applied, as far as the core knows. */
  applied(): number;
  /** What the snapshot will hold at least. */
  covers(index: number): void;
  /** Bytes as they leave. */
  sent(bytes: number): void;
  /** Gives it up. */
  readonly signal: AbortSignal;
}

/**
 * Streams a snapshot to one peer, at its own pace (`Pace`) and no faster than that peer stores it, until it has come near
 * the present (`Following`). Rejects when the stream breaks, stalls, or the peer
 * refuses; resolves with false when it had no more need of it.
 */
export async function sendSnapshot(outgoing: OutgoingSnapshot): Promise<boolean> {
  const { world, order, clusterId, url, tls, snapshot, signal } = outgoing;
  const to = dialing(url, tls);
  const client = new Client(to.target, to.credentials, to.options);
  const call = open(client);
  const { stream, answer } = call;
  const giveUp = (): void => stream.cancel();
  const stall = stallTimer(world, giveUp);
  signal.addEventListener('abort', giveUp);
  try {
    signal.throwIfAborted();
    const begin = { clusterId, from: order.from, to: order.to, term: order.term };
    await write(call, snapshotPartCodec.encode({ begin }));
    const following = new Following(world, outgoing.covers);
    const pace = new Pace(world, SNAPSHOT_LIMITS.sending);
    let checksum = 0;
    let bytes = 0;
    for await (const data of snapshot.chunks((next) => following.again(next))) {
      checksum = crc32(data, checksum);
      bytes += data.length;
      await write(call, snapshotPartCodec.encode({ data, checksum }));
      outgoing.sent(data.length);
      stall.progressed();
      following.sent(outgoing.applied());
      await pace.rest(data.length);
    }
    const meta = metaToWire(await outgoing.meta());
    await write(call, snapshotPartCodec.encode({ end: { bytes, meta } }));
    stream.end();
    const ack = await answer;
    if (ack.refused !== '') throw new Error(ack.refused);
    return ack.installed;
  } finally {
    stall.stop();
    signal.removeEventListener('abort', giveUp);
    stream.cancel();
    client.close();
  }
}

interface Call {
  readonly stream: ClientWritableStream<Buffer>;
  readonly answer: Promise<WireSnapshotAck>;
  answered(): boolean;
}

function open(client: Client): Call {
  let settle: (error: Error | null, reply?: Buffer) => void = () => {};
  const answer = new Promise<WireSnapshotAck>((resolve, reject) => {
    settle = (error, reply) => {
      if (error !== null || reply === undefined) return reject(error ?? new Error('no answer'));
      try {
        resolve(snapshotAckCodec.decode(reply));
      } catch (broken) {
        reject(broken);
      }
    };
  });
  let over = false;
  // Seen by whoever writes or waits next.
  const ended = (): void => {
    over = true;
  };
  answer.then(ended, ended);
  const stream: ClientWritableStream<Buffer> = client.makeClientStreamRequest(
    PEER_METHODS.snapshot,
    identity,
    identity,
    (error, reply) => settle(error, reply),
  );
  return { stream, answer, answered: () => over };
}

/** Resolves when the stream wants more. Rejects as soon as the other side has answered: it will take no more. */
async function write({ stream, answer, answered }: Call, bytes: Buffer): Promise<void> {
  const early = (): Promise<never> =>
    answer.then((ack) => {
      throw new Error(ack.refused === '' ? 'the peer answered before the end' : ack.refused);
    });
  if (answered()) await early();
  if (stream.write(bytes)) return;
  await Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), early()]);
}
