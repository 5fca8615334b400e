import { connect } from 'node:net';
import { getSystemErrorMap } from 'node:util';
import { Client, connectivityState, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  KMS_METHODS,
  kmsDecryptRequestCodec,
  kmsDecryptResponseCodec,
  kmsEncryptRequestCodec,
  kmsEncryptResponseCodec,
  kmsStatusCodec,
  kmsStatusRequestCodec,
  type WireCodec,
} from '../../proto/index.js';
import type { Clock } from '../base/index.js';
import type { KmsService } from './kms.js';
import type { TransformationMetrics } from './metrics.js';

export interface KmsClientOptions {
  readonly name: string;
  /** `unix:///var/run/kms.sock`; `unix:///@name` is an abstract socket. */
  readonly endpoint: string;
  /** Milliseconds of one call. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly metrics: TransformationMetrics;
}

/** A valid response is much smaller: a ciphertext, a key id and annotations within their limits. */
const RESPONSE_BYTES_MAX = 256 * 1024;

/**
 * A KMS plug-in, called by gRPC over a UNIX socket. A call waits until its deadline for a plug-in that restarts. After a
 * call that found no plug-in only Status waits: reading values with many keys must not take one timeout for each key.
 */
export function kmsClient({ name, endpoint, timeout, clock, metrics }: KmsClientOptions): KmsService {
  const path = endpoint.slice('unix:'.length).replace(/^\/\//, '');
  const target = path.startsWith('/@') ? `unix-abstract:${path.slice(2)}` : `unix:${path}`;
  const connected = (): Client =>
    new Client(target, credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.max_receive_message_length': RESPONSE_BYTES_MAX,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 2000,
      // Otherwise a new client would use the connection of the one before.
      'grpc.use_local_subchannel_pool': 1,
    });
  let client = connected();
  let isAbsent = false;
  let isClosed = false;
  const call = <T>(method: string, request: Buffer, codec: WireCodec<T>): Promise<T> => {
    const since = clock.monotonic();
    const ended = (code: string): void => metrics.kmsCalled(name, method, code, clock.monotonic() - since);
    return new Promise<T>((resolve, reject) => {
      const used = client;
      const metadata = new Metadata({ waitForReady: !isAbsent || method === KMS_METHODS.status });
      const options = { deadline: clock.now() + timeout };
      used.makeUnaryRequest(method, asIs, asIs, request, metadata, options, (error, reply) => {
        ended(codeOf(error));
        isAbsent = error?.code === status.UNAVAILABLE || error?.code === status.DEADLINE_EXCEEDED;
        if (error?.code === status.RESOURCE_EXHAUSTED && used === client && !isClosed) {
          // What was sent too much may fill the connection for ever.
          client.close();
          client = connected();
        }
        if (error !== null || reply === undefined) {
          const isConnected = used.getChannel().getConnectivityState(false) === connectivityState.READY;
          const details = detailsOf(error);
          const refuse = (why: string): void => {
            const failed = new Error(`rpc error: code = ${codeOf(error)} desc = ${why}`);
            reject(Object.assign(failed, { grpcCode: codeOf(error) }));
          };
          if (isConnected) refuse(details);
          else void dialProblem(path).then((problem) => refuse(problem ?? details));
          return;
        }
        try {
          resolve(codec.decode(reply));
        } catch (broken) {
          reject(broken);
        }
      });
    });
  };
  return {
    status: () => call(KMS_METHODS.status, kmsStatusRequestCodec.encode({}), kmsStatusCodec),
    encrypt: (uid, plaintext) =>
      call(KMS_METHODS.encrypt, kmsEncryptRequestCodec.encode({ uid, plaintext }), kmsEncryptResponseCodec),
    decrypt: async (uid, { ciphertext, keyId, annotations }) => {
      const request = kmsDecryptRequestCodec.encode({ uid, ciphertext, keyId, annotations });
      return (await call(KMS_METHODS.decrypt, request, kmsDecryptResponseCodec)).plaintext;
    },
    close: () => {
      isClosed = true;
      client.close();
    },
  };
}

/**
 * Connects to a UNIX socket. Resolves to what kube-apiserver says of a plug-in to which it cannot connect, or to undefined if it can
 * be reached. The gRPC library does not report why the calls that wait have no connection.
 */
function dialProblem(path: string): Promise<string | undefined> {
  const address = path.startsWith('/@') ? path.slice(1) : path;
  return new Promise((resolve) => {
    const socket = connect(path.startsWith('/@') ? `\0${path.slice(2)}` : path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', ({ errno = 0, message }: NodeJS.ErrnoException) => {
      const reason = getSystemErrorMap().get(errno)?.[1] ?? message;
      const dialed = `transport: Error while dialing: dial unix ${address}: connect: ${reason}`;
      resolve(`latest balancer error: connection error: desc = "${dialed}"`);
    });
  });
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** What went wrong, as Go says it of a deadline of the client: the library's text has the time and the address. */
function detailsOf(error: ServiceError | null): string {
  const details = error?.details ?? 'no answer';
  return details.startsWith('Deadline exceeded after ') ? 'context deadline exceeded' : details;
}

/** The name of a gRPC code as Go prints it: `DeadlineExceeded`. */
function codeOf(error: ServiceError | null): string {
  if (error === null) return 'OK';
  const name = status[error.code] ?? 'UNKNOWN';
  return name
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('');
}
