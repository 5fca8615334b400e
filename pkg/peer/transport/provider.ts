import type { PeerNetwork } from '../common/index.js';
import type { TransportPorts, TransportProvider } from '../network/index.js';
import { callControl, fetchMembers } from './calls.js';
import { type Dialing, dialing } from './credentials.js';
import { identityProblem } from './identity.js';
import { openSnapshotStream } from './snapshotstream.js';
import { tlsSource } from './tls.js';
import { GrpcTransport } from './transport.js';

/** gRPC streams over mutual TLS, on the addresses and with the certificates of `network`. */
export function grpcTransport(network: PeerNetwork): TransportProvider {
  let ports: TransportPorts | undefined;
  const source = tlsSource(network, (message) => ports?.note('info', message));
  const members = () => ports?.members().members ?? [];
  /** Dials the member `id`, or the member with that URL; a URL of no known member is dialled too. */
  const dial = (url: string, id = members().find(({ peerUrls }) => peerUrls.includes(url))?.id): Dialing =>
    dialing(url, source.current(), (certificate) =>
      id === undefined ? undefined : identityProblem(certificate, id, members()),
    );
  return {
    open: (given) => {
      ports = given;
      return GrpcTransport.open(network, given, { source, dial });
    },
    openSnapshotStream: (to, url) => openSnapshotStream(dial(url, to)),
    fetchMembers: (url, deadline) => fetchMembers({ dialing: dial(url), deadline }),
    callControl: (url, deadline, name, argument) => callControl({ dialing: dial(url), deadline }, name, argument),
  };
}
