/**
 * The limits of pkg/storage. None of them affects a replicated decision: peers with different limits apply every entry
 * in the same way.
 */

/**
 * The state machine closes an engine batch after this many operations: a larger one would block the thread for more
 * than 1 ms.
 */
export const batchOpsMax = 128;
/** The same in bytes. */
export const batchBytesMax = 1 << 20;
/**
 * The maximum number of superseded rows that one step of compaction deletes. A step is an engine batch, or part of one
 * with writes. It then deletes about two rows for each one written, which costs the writes little and still makes
 * progress.
 */
export const sweepRowsMax = 64;
export const sweepRowsPerWrite = 2;
export const sweepRowsBusyMin = 8;

/**
 * The maximum number of changes that a hash of the history visits: about 10 ms. If there are more, for example while a
 * reader pins them, no hash is computed.
 */
export const historyChangesMax = 100_000;

/** The maximum rows and bytes of one page of a scan or a range. */
export const pageRowsMax = 256;
export const pageBytesMax = 256 << 10;
/** The keys of the index that one page visits before it yields. */
export const pageVisitsMax = 4096;

/**
 * The recent events that the watch hub keeps for watches that start slightly behind, in batches and in bytes of values.
 */
export const recentBatchesMax = 1024;
export const recentBytesMax = 4 << 20;
/** The maximum number of watches of one hub. A further one ends at once. */
export const watchesMax = 10_000;

/** The bytes of one block of a snapshot stream, and the maximum that a reader accepts. */
export const snapshotBlockBytes = 256 << 10;
export const snapshotBlockBytesMax = 64 << 20;

/** Limits of a transaction. */
export const txnBytesMax = 8 << 20;
export const txnOpsMax = 4096;
export const keyBytesMax = 4096;

/** Expiry: the maximum keys of one transaction, the transactions of one run, and the milliseconds between runs. */
export const expiryKeysMax = 128;
export const expiryRoundsMax = 64;
export const expiryPeriodMilliseconds = 1000;

/**
 * RocksDB: bytes of one memtable (two may exist at a time) and of the block cache, and files that it keeps open if the
 * limit allows it.
 */
export const memtableBytes = 16 << 20;
export const blockCacheBytes = 8 << 20;
export const openFilesMax = 512;
