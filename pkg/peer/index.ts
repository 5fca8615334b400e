export {
  foundingClusterId,
  type InitialMember,
  PEER_DEFAULTS,
  type PeerConfig,
  type PeerNetwork,
  type PeerTls,
} from './config.js';
export type {
  AddMember,
  ControlResult,
  MemberReport,
  PeerControl,
  PeerReport,
  SavedSnapshot,
} from './control.js';
export type { PeerEvents } from './events.js';
export { type MetricData, memberIdText } from './metrics.js';
export { openPeer, type Peer } from './peer.js';
export { type Restored, restoreSnapshot, type SnapshotStatus, snapshotStatus } from './snapshot/restore.js';
export { openPeerDirect, openPeerThread, type PeerHandle } from './thread/spawn.js';
