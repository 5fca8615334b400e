/**
 * The bounds of this room. None of them is part of the replicated decision: peers with different bounds still
 * apply every entry alike.
 */

/** Operations after which the state machine closes an engine batch: a larger one would hold the thread above 1 ms. */
export const batchOpsMax = 128;
/** Bytes after which it does the same. */
export const batchBytesMax = 1 << 20;
/**
 * Superseded rows that one step of compaction deletes at most: each step is an engine batch, or part of one that
 * carries writes. Then it deletes about two rows for each one written, so that it costs the writes little and still gains on them.
 */
export const sweepRowsMax = 64;
export const sweepRowsPerWrite = 2;
export const sweepRowsBusyMin = 8;

/** Changes that a hash of the history looks at, at most: about 10 ms. Beyond, as after a reader kept them from being swept, it is not made. */
export const historyChangesMax = 100_000;

/** Rows and bytes that one page of a scan or of a range brings to the thread at most. */
export const pageRowsMax = 256;
export const pageBytesMax = 256 << 10;
/** Keys of the index that one page looks at before it lets others run. */
export const pageVisitsMax = 4096;

/** Events that the watch hub keeps for watches which start a little behind, by number of batches and by bytes of values. */
export const recentBatchesMax = 1024;
export const recentBytesMax = 4 << 20;
/** Watches that one hub serves. A further one ends at once. */
export const watchesMax = 10_000;

/** Bytes of one block of a snapshot stream, and what a reader of one accepts at most. */
export const snapshotBlockBytes = 256 << 10;
export const snapshotBlockBytesMax = 64 << 20;

/** Bounds of a proposal that the one-process keyspace accepts. */
export const txnBytesMax = 8 << 20;
export const txnOpsMax = 4096;
export const keyBytesMax = 4096;

/** Keys that one expiry transaction deletes at most, transactions of one look, and milliseconds between two looks. */
export const expiryKeysMax = 128;
export const expiryRoundsMax = 64;
export const expiryPeriodMilliseconds = 1000;

/** RocksDB: bytes of one memtable (two may exist at a time) and of the block cache. */
export const memtableBytes = 16 << 20;
export const blockCacheBytes = 8 << 20;
export const openFilesMax = 512;
