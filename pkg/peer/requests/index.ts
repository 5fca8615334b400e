export { ENVELOPE_FORM_MAX, type EnvelopeForm, proposalProblem } from './envelope.js';
export { encodeTxn, type PeerKeyspace, peerKeyspace } from './keyspace.js';
export { Proposals } from './proposals.js';
export { Reads } from './reads.js';
