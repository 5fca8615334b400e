export {
  foundingClusterId,
  type InitialMember,
  type MetricData,
  memberIdText,
  memberUri,
  PEER_DEFAULTS,
  type PeerConfig,
  type PeerEvents,
  type PeerNetwork,
  type PeerTls,
  type PeerTlsFiles,
} from './common/index.js';
export { openPeer, type Peer, type PeerSurroundings } from './compose/index.js';
export type {
  PeerControl,
  PeerReport,
} from './control/index.js';
export type { AddMember, ControlResult, MemberReport } from './membership/index.js';
export {
  findOffline,
  inspectOffline,
  type Restored,
  restoreSnapshot,
  type SavedSnapshot,
  type SnapshotStatus,
  snapshotStatus,
} from './snapshot/index.js';
export { openPeerHere, openPeerThread, type PeerHandle } from './thread/index.js';
