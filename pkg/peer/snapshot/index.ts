export { SnapshotReceiver } from './receive.js';
export { type Restored, restoreSnapshot, type SnapshotStatus, snapshotStatus } from './restore.js';
export { SnapshotSender } from './sender.js';
