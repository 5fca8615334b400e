// Loading this room loads gRPC, so a peer does it only when it has peer URLs.
export { grpcTransport } from './provider.js';
