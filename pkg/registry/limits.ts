/** The limits of the registry. Each comment states what happens at the limit. */
export const limits = {
  /** Bytes of all annotations together, keys and values. Beyond: 422. */
  annotationsBytesMax: 256 * 1024,
  /**
   * Items of one list, entries of one map of an object; not of atomic lists of plain values in custom resources. Beyond: 422, before
   * defaults are applied.
   */
  listItemsMax: 10_000,
  /** Retries of a patch when the object changes concurrently. Then: 409. */
  conflictRetries: 5,
  /** Retries of an update without a resourceVersion. Then: 409. */
  unconditionalRetries: 100,
  /** Attempts to generate an unused name. Then: 409. */
  generateNameAttempts: 8,
  /** Characters of a name before the five generated ones. A longer prefix is truncated. */
  generatedNameBaseMax: 58,
  /**
   * Retries of a write after a concurrent change of a key that it depends on (an allocation, a quota, the namespace).
   * Then: 429.
   */
  contentionRetries: 64,
  /** Milliseconds that a read waits for a revision that this peer has not applied. Then: 504. */
  freshnessWait: 3_000,
  /** Milliseconds between bookmarks of a watch. */
  bookmarkInterval: 60_000,
  /** Objects of one deletecollection that are deleted at the same time. */
  deleteCollectionParallel: 16,
  /** Objects that a conversion webhook receives in one call. Further ones: another call. */
  conversionObjectsMax: 500,
  /** Bytes of their stored form; one object may have more. Further ones: another call. */
  conversionBytesMax: 2 * 1024 * 1024,
  /** Keys read from history at once for an exact list without limit. */
  historyPageKeys: 1_000,
  /** Bytes of one piece of a list. */
  listChunkBytes: 256 * 1024,
  /** Milliseconds of work on one piece of a list before it yields. */
  listChunkTime: 2,
  /** Milliseconds of a scan of a collection before it yields. */
  scanTime: 2,
  /** Milliseconds of each turn of the event loop for all long work together. */
  turnTime: 2,
  /** The least time for the work of a user who uses much more than all others together. */
  turnHeavyTime: 0.1,
  /** Milliseconds of the stages of a write before it yields. */
  writeStageTime: 8,
  /** Bytes of a body beyond which it is decoded in a separate turn. */
  bodyBytesInTurn: 64 * 1024,
  /** Characters of a continue token. Beyond: 400. */
  continueTokenMax: 4_096,
} as const;
