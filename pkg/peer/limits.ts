/** Every bound of this room, by name. What happens at the bound is said beside it. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Bounds of the write-ahead log (`wal/`). */
export const WAL_LIMITS = {
  /** The first segment is small, so that an idle data directory is small and made quickly; each next doubles ... */
  firstSegmentBytes: 4 * MiB,
  /** ... up to this. A frame that fits no segment of its size gets a segment made to its measure. */
  segmentBytesMax: 64 * MiB,
  /** Waiting writes are joined into one frame up to this many bytes (a single larger write still goes alone). */
  frameBytesTarget: 4 * MiB,
  /** A frame said to be larger than this is damage, not data. */
  frameBytesMax: 256 * MiB,
  /** The next segment is prepared when this share of the current one is used. */
  prepareAtShare: 0.5,
  /** Zeros are written in steps of this size, so that foreground writes get in between. */
  zeroStepBytes: 1 * MiB,
  /** Frames above this are written off the thread before they are synced; below, the copy into the page cache is cheaper. */
  inlineWriteBytesMax: 256 * KiB,
  /** The frame buffer kept between writes; a larger frame gets a buffer of its own. */
  frameBufferBytes: 1 * MiB,
  /** A preparation that failed for want of space is tried again after this long. */
  prepareRetryMs: 1000,
} as const;

/** Bounds of proposals and reads (`proposals.ts`, `reads.ts`). */
export const PROPOSAL_LIMITS = {
  /** Proposals not yet answered; one more is refused as `overloaded`. */
  pendingMax: 16_384,
  /** Their bytes together; one more is refused as `overloaded`. */
  pendingBytesMax: 64 * MiB,
  /** One transaction, encoded; a larger one is refused as `tooLarge`. */
  txnBytesMax: 8 * MiB,
  /** Without a known leader a proposal waits this many election timeouts before it is refused: an election passes unseen. */
  holdElectionTimeouts: 3,
  /** A proposal that may have been appended is answered `unknown` after this plus two election timeouts. */
  answerMs: 5000,
} as const;

export const READ_LIMITS = {
  /** Callers of readIndex waiting; one more is refused as `overloaded`. */
  pendingMax: 65_536,
  /** A read that finds no leader, or a new one, is asked again until it is this many election timeouts old. */
  retryElectionTimeouts: 5,
} as const;

/** Bounds of the thread boundary (`thread/`). */
export const THREAD_LIMITS = {
  /** Transactions, compactions and ranges waiting for an answer from the peer thread; one more is refused as `overloaded`. */
  requestsMax: 16_384,
  /** Bytes of transactions among them. */
  requestBytesMax: 64 * MiB,
  /** Bytes of watch events sent and not yet taken in by the serving thread. Beyond it a watch pauses and later goes on from history. */
  eventBytesMax: 32 * MiB,
  /** A message to the serving thread is closed when it is this large: large ranges come in pieces. */
  messageBytesTarget: 256 * KiB,
} as const;
