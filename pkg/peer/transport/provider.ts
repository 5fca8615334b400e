import type { PeerNetwork } from '../common/index.js';
import type { TransportProvider } from '../network/index.js';
import { callControl, fetchMembers } from './calls.js';
import { openSnapshotStream } from './snapshotstream.js';
import { GrpcTransport } from './transport.js';

/** gRPC streams over mutual TLS, on the addresses and with the certificates of `network`. */
export function grpcTransport(network: PeerNetwork): TransportProvider {
  const { tls } = network;
  return {
    open: (ports) => GrpcTransport.open(network, ports),
    openSnapshotStream: (_to, url) => openSnapshotStream(url, tls),
    fetchMembers: (url, deadline) => fetchMembers({ url, tls, deadline }),
    callControl: (url, deadline, name, argument) => callControl({ url, tls, deadline }, name, argument),
  };
}
