export { fromWire, metaFromWire, metaToWire, toWire } from './codec.js';
export { LateTransport } from './latetransport.js';
export {
  type ForwardedProposal,
  type ForwardRefusal,
  NO_TRANSPORT,
  type SnapshotStream,
  type Transport,
  type TransportPorts,
  type TransportProvider,
  type TransportSink,
} from './network.js';
