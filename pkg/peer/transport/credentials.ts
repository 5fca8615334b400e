import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { type PeerTls, TRANSPORT_LIMITS } from '../common/index.js';

/** Everything that a gRPC client needs to connect to one peer. */
export interface Dialing {
  readonly target: string;
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/**
 * Dials `https://host:port` with this peer's certificate. The certificate of the other side must be signed by the peer
 * CA and name the host, and pass `problem`.
 */
export function dialing(
  url: string,
  tls: PeerTls,
  problem: (certificate: PeerCertificate) => string | undefined = () => undefined,
): Dialing {
  const { host, hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const made = credentials.createSsl(Buffer.from(tls.ca), Buffer.from(tls.key), Buffer.from(tls.cert), {
    checkServerIdentity: (_asked, certificate) => {
      const wrong = checkServerIdentity(name, certificate);
      if (wrong !== undefined) return wrong;
      const why = problem(certificate);
      return why === undefined ? undefined : new Error(`the peer at ${url} is not the one it should be: ${why}`);
    },
  });
  // An IP address is not allowed as a server name (RFC 6066, section 3). Send another name, which is ignored.
  const options = isIP(name) === 0 ? CHANNEL_OPTIONS : { ...CHANNEL_OPTIONS, 'grpc.ssl_target_name_override': 'peer' };
  return { target: host, credentials: made, options };
}

export const CHANNEL_OPTIONS: ChannelOptions = {
  // Each client has its own connection. gRPC must not buffer or retry: it does not know what may be sent twice.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_retries': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': TRANSPORT_LIMITS.messageBytesMax,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': TRANSPORT_LIMITS.keepaliveMs,
  'grpc.keepalive_timeout_ms': TRANSPORT_LIMITS.keepaliveTimeoutMs,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': TRANSPORT_LIMITS.reconnectMs,
  'grpc.max_reconnect_backoff_ms': TRANSPORT_LIMITS.reconnectMsMax,
  'grpc-node.flow_control_window': TRANSPORT_LIMITS.windowBytes,
};

/** Messages are encoded before gRPC gets them. */
export const identity = (bytes: Buffer): Buffer => bytes;
