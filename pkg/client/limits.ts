/** The limits of this package. Times are milliseconds. */
export const clientLimits = {
  /** Time for a response; moving the leader and adding a member take longer, because they wait for the cluster. */
  answerTime: 15_000,
  /** Time without data from a snapshot: it is written before it is sent. */
  snapshotSilence: 120_000,
  /** Time between two looks at a certificate request, and their number. */
  signingPause: 200,
  signingLooks: 150,
  /** Size of a response that is kept in memory. */
  answerBytesMax: 16 * 1024 * 1024,
} as const;
