/** Bounds of what the registry takes and does; each with what happens at it. */
export const limits = {
  /** Bytes of all annotations together, keys and values. Beyond: 422. */
  annotationsBytesMax: 256 * 1024,
  /** Times a write is decided anew because the object changed under it. Then: 409 (client gave no version) or the conflict itself. */
  conflictRetries: 5,
  /** Times an update without a resource version is decided anew: the client cannot do it better. Then: 409. */
  unconditionalRetries: 100,
  /** Times a generated name is drawn anew because it is taken. Then: 409. */
  generateNameAttempts: 8,
  /** Characters of a name before the generated five. The rest is cut off. */
  generatedNameBaseMax: 58,
  /** Times a reservation (cluster IP, node port) is drawn anew because somebody else took it. Then: 429. */
  reservationRetries: 16,
  /** Milliseconds that a read waits for a version that is not here yet. Then: 504. */
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
