export { crc32 } from './checksum.js';
export type { Engine, EngineBatch, EngineHome, EngineScan } from './engine/engine.js';
export { rocksHome } from './engine/folder.js';
export { type MemoryHome, memoryHome } from './engine/memory.js';
export { corrupt, StoreError, type StoreErrorKind } from './errors.js';
export { findInStore, inspectStore, type StoredObject, type StoreReport } from './inspect.js';
export {
  type AppliedEvent,
  type Change,
  type Compare,
  type HistoryError,
  type Keyspace,
  type KeyspaceStatus,
  type KeyValue,
  type Op,
  type Protection,
  prefixEnd,
  type RangeRequest,
  type RangeResult,
  type ReadIndexResult,
  type RefusalReason,
  type Txn,
  type TxnResult,
  type Watch,
  type WatchRequest,
  type WatchSink,
} from './keyspace.js';
export { expiryTxn, type LocalKeyspaceOptions, openLocalKeyspace, openMemoryKeyspace, sizeProblem } from './local.js';
export { decodeEntry, type Entry, encodeEntry, entryBytes, type Malformed } from './mvcc/entry.js';
export { type Installed, type InstallRequest, inspectSnapshot, installSnapshot } from './mvcc/install.js';
export {
  type Applied,
  type IndexedEntry,
  type MachineOptions,
  openStateMachine,
  type StateMachine,
} from './mvcc/machine.js';
export type { Meta } from './mvcc/meta.js';
export type { ChangesPage, RangePage } from './mvcc/reader.js';
export type { Snapshot } from './mvcc/snapshot.js';
export type { ApplyResult, StateHashes } from './mvcc/state.js';
export { type HistorySource, WatchHub } from './watchhub.js';
