import { Client, type ServiceError, status } from '@grpc/grpc-js';
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

/** The target of a single call, and its deadline in milliseconds since the epoch. */
export interface CallTarget {
  readonly dialing: Dialing;
  readonly deadline: number;
}

/** Asks a peer for the members of its cluster. Rejects when it does not answer. */
export function fetchMembers(target: CallTarget): Promise<WireMembers> {
  return call(target, PEER_METHODS.members, membersRequestCodec.encode({}), membersReplyCodec);
}

/** Runs a control call on the peer at `target`. Rejects with its error. */
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
      if (error !== null || reply === undefined) return reject(new Error(sentenceOf(error)));
      try {
        resolve(codec.decode(reply));
      } catch (broken) {
        reject(broken);
      }
    });
  }).finally(() => client.close());
}

/** Describes a failed call or stream for an operator. gRPC's own text names its codes and its load balancer. */
export function sentenceOf(error: Error | null): string {
  if (error === null) return 'the peer sent no answer';
  const { code, details = error.message } = error as Partial<ServiceError>;
  const cause = CAUSES.find(([token]) => details.includes(token));
  if (cause !== undefined) return cause[1];
  if (code === status.DEADLINE_EXCEEDED) return 'the peer did not answer in time';
  if (code === status.UNAVAILABLE) {
    const at = details.indexOf('Last error: ');
    const last = at < 0 ? details : details.slice(at + 'Last error: '.length);
    const end = last.indexOf('. Resolution note');
    return `no connection to the peer: ${(end < 0 ? last : last.slice(0, end)).replace('Error: ', '')}`;
  }
  return details === '' ? 'the peer broke off the call' : details;
}

/** Keyed by a part of the text of the system or the library. */
const CAUSES: readonly (readonly [string, string])[] = [
  ['ECONNREFUSED', 'nothing listens at its address'],
  ['ENOTFOUND', 'the name of its host is unknown'],
  ['EHOSTUNREACH', 'its host cannot be reached'],
  ['ENETUNREACH', 'its network cannot be reached'],
  ['ETIMEDOUT', 'its host does not respond'],
  ['ECONNRESET', 'the peer closed the connection'],
  ['Connection dropped', 'the peer closed the connection'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['certificate has expired', 'its certificate has expired'],
  ['unable to verify', 'its certificate is not of the peer authority'],
  ['self-signed certificate', 'its certificate is not of the peer authority'],
];
