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
