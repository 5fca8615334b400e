// Loaded when there are others to talk to: gRPC costs a peer alone neither time nor memory.
export { callControl, fetchMembers } from './calls.js';
export { Transport, type TransportPorts } from './transport.js';
