/** Limits of the registry, each with what happens when it is reached. */
export const limits = {
  /** Bytes of all annotations together, keys and values. Beyond: 422. */
  annotationsBytesMax: 256 * 1024,
  /** Items of one list, entries of one map of an object. Beyond: 422, before defaults are applied. */
  listItemsMax: 10_000,
  /** Retries of a patch because the object changed meanwhile. Then: 409. */
  conflictRetries: 5,
  /** Retries of an update without a resourceVersion: the client could not do better. Then: 409. */
  unconditionalRetries: 100,
  /** Attempts to generate a name that is not taken. Then: 409. */
  generateNameAttempts: 8,
  /** Characters of a name before the generated five. The rest is cut off. */
  generatedNameBaseMax: 58,
  /** Retries of a write because another write changed what it depends on (an allocation, a quota, the namespace). Then: 429. */
  contentionRetries: 64,
  /** Milliseconds that a read waits for a revision that this peer has not applied. Then: 504. */
  freshnessWait: 3_000,
  /** Milliseconds between bookmarks of a watch. */
  bookmarkInterval: 60_000,
  /** Objects of one deletecollection that are deleted at the same time. */
  deleteCollectionParallel: 16,
  /** Keys read from history at once for an exact list without limit. */
  historyPageKeys: 1_000,
  /** Bytes of one piece of a list. */
  listChunkBytes: 256 * 1024,
  /** Milliseconds that making one piece of a list may take before others get their turn. */
  listChunkTime: 2,
  /** Milliseconds that looking through a collection may take before others get their turn. */
  scanTime: 2,
  /** Milliseconds that the stages of one write may take before others get their turn. */
  writeStageTime: 8,
  /** Characters of a continue token. Beyond: 400. */
  continueTokenMax: 4_096,
} as const;
