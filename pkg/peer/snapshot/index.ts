export { findOffline, inspectOffline } from './inspect.js';
export { SnapshotReceiver } from './receive.js';
export { type Restored, restoreSnapshot, restoreTo, type SnapshotStatus, snapshotStatus } from './restore.js';
export { type SavedSnapshot, saveSnapshot } from './save.js';
export { SnapshotSender } from './sender.js';
