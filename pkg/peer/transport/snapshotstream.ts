import { Client, type ClientWritableStream } from '@grpc/grpc-js';
import { PEER_METHODS, snapshotAckCodec, snapshotPartCodec, type WireSnapshotAck } from '../../../proto/index.js';
import type { SnapshotStream } from '../network/index.js';
import { sentenceOf } from './calls.js';
import { type Dialing, identity } from './credentials.js';

/** Opens a stream that carries one snapshot to a peer. */
export function openSnapshotStream(to: Dialing): SnapshotStream {
  const client = new Client(to.target, to.credentials, to.options);
  const { stream, answer } = open(client);
  let answered = false;
  // The next write or `finish` reports the outcome.
  const ended = (): void => {
    answered = true;
  };
  answer.then(ended, ended);
  const early = (): Promise<never> =>
    answer.then((ack) => {
      throw new Error(ack.refused === '' ? 'the peer answered before the end of the snapshot' : ack.refused);
    });
  return {
    write: async (part) => {
      if (answered) await early();
      if (stream.write(snapshotPartCodec.encode(part))) return;
      await Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), early()]);
    },
    finish: () => {
      stream.end();
      return answer;
    },
    cancel: () => {
      stream.cancel();
      client.close();
    },
  };
}

function open(client: Client): {
  readonly stream: ClientWritableStream<Buffer>;
  readonly answer: Promise<WireSnapshotAck>;
} {
  let settle: (error: Error | null, reply?: Buffer) => void = () => {};
  const answer = new Promise<WireSnapshotAck>((resolve, reject) => {
    settle = (error, reply) => {
      if (error !== null || reply === undefined) return reject(new Error(sentenceOf(error)));
      try {
        resolve(snapshotAckCodec.decode(reply));
      } catch (broken) {
        reject(broken);
      }
    };
  });
  const stream: ClientWritableStream<Buffer> = client.makeClientStreamRequest(
    PEER_METHODS.snapshot,
    identity,
    identity,
    (error, reply) => settle(error, reply),
  );
  return { stream, answer };
}
