import { Client } from '@grpc/grpc-js';
import {
  controlCallCodec,
  controlReplyCodec,
  membersReplyCodec,
  membersRequestCodec,
  PEER_METHODS,
  type WireCodec,
  type WireMembers,
} from '../../../proto/index.js';
import { type Dialing, identity } from './credentials.js';

/** Where a single question goes, and until when it may be answered (milliseconds since the epoch). */
export interface CallTarget {
  readonly dialing: Dialing;
  readonly deadline: number;
}

/** Asks a peer who belongs to its cluster. Rejects when it does not answer. */
export function fetchMembers(target: CallTarget): Promise<WireMembers> {
  return call(target, PEER_METHODS.members, membersRequestCodec.encode({}), membersReplyCodec);
}

/** Has the peer at `target` carry out a control call. Rejects with what it threw. */
export async function callControl(target: CallTarget, name: string, argument: unknown): Promise<unknown> {
  const request = controlCallCodec.encode({ name, argument: JSON.stringify(argument) });
  const reply = await call(target, PEER_METHODS.control, request, controlReplyCodec);
  if (reply.failed !== '') throw new Error(reply.failed);
  return JSON.parse(reply.result);
}

function call<T>(
  { dialing: to, deadline }: CallTarget,
  path: string,
  request: Buffer,
  codec: WireCodec<T>,
): Promise<T> {
  const client = new Client(to.target, to.credentials, to.options);
  return new Promise<T>((resolve, reject) => {
    client.makeUnaryRequest(path, identity, identity, request, { deadline }, (error, reply) => {
      if (error !== null || reply === undefined) return reject(error ?? new Error('no answer'));
      try {
        resolve(codec.decode(reply));
      } catch (broken) {
        reject(broken);
      }
    });
  }).finally(() => client.close());
}
