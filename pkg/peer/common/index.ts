export {
  decodeIdentity,
  encodeIdentity,
  foundingClusterId,
  foundingId,
  type Identity,
  type InitialMember,
  idFrom,
  PEER_DEFAULTS,
  type PeerConfig,
  type PeerNetwork,
  type PeerTls,
  type PeerTlsFiles,
} from './config.js';
export type { NoteLevel, PeerEvents } from './events.js';
export {
  BACKGROUND_LIMITS,
  CHECK_LIMITS,
  CONTROL_LIMITS,
  LOG_LIMITS,
  MEMBER_LIMITS,
  PROPOSAL_LIMITS,
  READ_LIMITS,
  RESTORE_LIMITS,
  SNAPSHOT_LIMITS,
  SPACE_LIMITS,
  THREAD_LIMITS,
  TRANSPORT_LIMITS,
  WAL_LIMITS,
} from './limits.js';
export { MEMBER_URI, memberUri } from './memberuri.js';
export { type MetricData, memberIdText, memberText, PeerMetrics, type PeerTraffic } from './metrics.js';
export { PEER_RULES, type PeerRules } from './rules.js';
export { Throttle } from './throttle.js';
export { getUint, putUint } from './uint.js';
