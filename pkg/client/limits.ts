/** Every bound of this room. Times in milliseconds. */
export const clientLimits = {
  /** An answer to a question; moving the leader and adding a member wait for the cluster. */
  answerTime: 15_000,
  /** A snapshot may be silent this long: it is written before it is sent. */
  snapshotSilence: 120_000,
  /** Bytes of an answer that is held in memory. */
  answerBytesMax: 16 * 1024 * 1024,
} as const;
