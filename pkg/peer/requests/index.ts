export { ENVELOPE_FORM_MAX, type EnvelopeForm, proposalProblem } from './envelope.js';
export { encodeTxn, type PeerKeyspace, peerKeyspace } from './keyspace.js';
export { Proposals } from './proposals.js';
export { type PeerReadResult, Reads } from './reads.js';
export { SoleMember, type SoleMemberCell } from './solemember.js';
export { SoleReads, withSoleReads } from './solereads.js';
