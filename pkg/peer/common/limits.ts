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
  /** Without a known leader a proposal waits this many election timeouts before it is refused: an election passes unseen. */
  holdElectionTimeouts: 3,
  /** A proposal that may have been appended is answered `unknown` after this plus two election timeouts. */
  answerMs: 5000,
  /** A peer that closes gives what waits this long to be answered. */
  drainMs: 2000,
} as const;

export const READ_LIMITS = {
  /** Callers of readIndex waiting; one more is refused as `overloaded`. */
  pendingMax: 65_536,
  /** A read that finds no leader, or a new one, is asked again until it is this many election timeouts old. */
  retryElectionTimeouts: 5,
  /** One whose index is known is refused after this plus two election timeouts, like a proposal: this peer does not come to apply it. */
  answerMs: 5000,
} as const;

/** Bounds of the thread boundary (`thread/`). */
export const THREAD_LIMITS = {
  /** V8's young generation on the peer's thread: what lives there is short-lived, and a third of the default serves it as well. */
  youngGenerationMiB: 12,
  /** Transactions, compactions and ranges waiting for an answer from the peer thread; one more is refused as `overloaded`. */
  requestsMax: 16_384,
  /** Bytes of transactions among them. */
  requestBytesMax: 64 * MiB,
  /** Bytes of watch events sent and not yet taken in by the serving thread. Beyond it a watch pauses and later goes on from history. */
  eventBytesMax: 32 * MiB,
  /** A message to the serving thread is closed when it is this large: large ranges come in pieces. */
  messageBytesTarget: 256 * KiB,
  /** What is applied, and how large the state is, is told after so long when nothing else goes to the serving thread. */
  statusMs: 100,
} as const;

/** Bounds of space (`space.ts`). */
export const SPACE_LIMITS = {
  /** How often the disk is asked how much is free. */
  lookEveryMs: 250,
  /** A file that is removed when less than the second is free: enough to write out what the engine holds in memory, and some deletes. */
  ballastBytes: 24 * MiB,
  ballastReleaseBytes: 4 * MiB,
  ballastStepBytes: 256 * KiB,
  /** A write to the state that found no space is tried again after this long, and after the second everything is refused. */
  retryMs: 100,
  blockedMs: 1000,
  /** Of a small disk this share is kept in reserve, but no less than the state's engine may need to write what it holds in memory. */
  reserveShare: 0.1,
  reserveBytesMin: 64 * MiB,
  /** A snapshot, which takes room for a second state until it is in place, may take of the reserve, but not this share. */
  snapshotLeavesShare: 0.5,
  /** A put is written so often before the disk is asked again: into the log, into the engine's log, and out of its memory. */
  copiesOfPut: 4,
} as const;

/** Bounds of the log in memory and on disk (`housekeeping.ts`). */
export const LOG_LIMITS = {
  /** The bytes below are for this `snapshotCount`; with a greater one they are greater by as much. */
  snapshotCount: 10_000,
  /** Bytes of entries kept at hand before the log is cut, even if they are few. */
  tailBytesMax: 24 * MiB,
  /** After a cut, so many bytes of entries stay (and at most half of `snapshotCount`) ... */
  trailingBytes: 8 * MiB,
  /** Both for a peer without others, who could only be late: what stays spares who joins next a little of a snapshot. */
  aloneTailBytesMax: 6 * MiB,
  aloneTrailingBytes: 2 * MiB,
  /** ... or so many for the sake of a live follower that still needs them: also what is written while it installs a snapshot. */
  trailingBytesMax: 64 * MiB,
  /** The same in entries, as multiples of `snapshotCount`. */
  trailingSnapshotCounts: 50,
  /** While the state waits for room the log goes on until it is so far ahead, and then waits as well (`holdback.ts`). */
  standstillBytesMax: 32 * MiB,
  /** A cut gives up at least this share of what a cut leaves, because before each the state is synced. */
  cutShareMin: 0.5,
} as const;

/** What a peer does of its own accord (`duties.ts`). */
export const BACKGROUND_LIMITS = {
  expiryEveryMs: 1000,
  /** Keys that one transaction expires, and transactions that one look makes. */
  expiryKeysMax: 128,
  expiryRoundsMax: 64,
  /** History is given up in so many slices per retention, so that each is small. */
  compactionSlices: 30,
  compactionEveryMsMin: 1000,
  /** While there is no space, history is given up and files are rewritten at most so often ... */
  reclaimEveryMs: 1000,
  rewriteEveryMs: 30_000,
  /** ... and only when the files are larger than the rows in them by this factor, and the disk has room for the rows and this much more. */
  rewriteAtFactor: 1.5,
  rewriteSpareBytes: 16 * MiB,
  /** A peer that has started asks for a hash check so often, and so many times at most, until it was found equal to most. */
  firstCheckEveryMs: 500,
  firstChecksMax: 20,
} as const;

/** Bounds of the connections between peers (`transport/`). */
export const TRANSPORT_LIMITS = {
  /** Number of the protocol; peers of different numbers do not talk. */
  protocol: 1,
  /** A bundle is closed when it is this large (a single larger message still goes alone). */
  bundleBytesTarget: 1 * MiB,
  /** No larger message is taken from the wire. */
  messageBytesMax: 64 * MiB,
  /** Raft messages waiting for one connection; beyond either bound they are dropped and the peer is reported unreachable. */
  queuedMessagesMax: 4096,
  queuedBytesMax: 32 * MiB,
  /** Proposals and answers waiting for one connection; beyond, a proposal did not leave. */
  queuedProposalsMax: 16_384,
  /** First wait before a connection is tried again; doubles up to the second, and up to half of it is random. */
  reconnectMs: 50,
  reconnectMsMax: 2000,
  /** A refused handshake is tried again after this: whoever refuses will not change its mind at once. */
  refusedMs: 5000,
  /** A handshake that is not answered by then is given up. */
  helloMs: 3000,
  /** Round trips are measured this often. */
  pingEveryMs: 1000,
  /** HTTP/2 keepalive: a peer that does not answer within the second is disconnected. */
  keepaliveMs: 2000,
  keepaliveTimeoutMs: 3000,
  /** HTTP/2 window of a stream. */
  windowBytes: 4 * MiB,
} as const;

/** Bounds of snapshots on the wire (`snapshot/`). */
export const SNAPSHOT_LIMITS = {
  /** Streams going out at a time; a further one is reported as failed and asked for again later. */
  outgoingMax: 2,
  /** The pace of a stream (`Throttle`): the leader has its clients to serve beside it, and may share a machine with the receiver. */
  sending: { bytesPerSecondMax: 16 * MiB, bytesPerSecondMin: 6 * MiB },
  /** The pace at which the receiver reads all of it once more when it is in place: quicker, because others keep the log for it meanwhile. */
  loading: { bytesPerSecondMax: 128 * MiB, bytesPerSecondMin: 48 * MiB },
  /** A round shorter than this is followed by the last one, and so is the one of this number. See `Rounds`. */
  shortRoundMs: 1000,
  roundsMax: 8,
  /** The receiver syncs what it has written in steps of this: a large sync at the end would hold up every other one on that disk. */
  syncEveryBytes: 8 * MiB,
  /** A failed one is sent again after an election timeout, and after twice as long each time, up to so many election timeouts. */
  retryWaitsMax: 8,
  /** A stream that makes no progress for this long is given up, by either side. */
  stallMs: 30_000,
} as const;

/** Bounds of the hash check (`checks.ts`). */
export const CHECK_LIMITS = {
  /** Rounds of which not every peer has told its hash yet. */
  roundsMax: 16,
} as const;

/** Bounds of joining and of control calls (`join.ts`, `peer.ts`). */
export const CONTROL_LIMITS = {
  /** A peer that is to join asks the others who it is for so long. */
  joinMs: 30_000,
  joinEveryMs: 500,
  /** A founder without data asks the others for so long whether it has taken part before. */
  foundMs: 2000,
  /** One such question, and one control call passed on to the leader. */
  callMs: 10_000,
  /** How often a leader looks after the members. */
  tendEveryMs: 500,
} as const;

/** Bounds of changes of members (`members.ts`). */
export const MEMBER_LIMITS = {
  /** Changes waiting for their turn; one more is refused. */
  changesMax: 16,
} as const;

/** Restoring a snapshot (`snapshot/restore.ts`). */
export const RESTORE_LIMITS = {
  /** The new cluster's revisions start so far above the snapshot's: more than the old one can have written since. */
  revisionsAbove: 1_000_000_000,
  readBytes: 256 * KiB,
} as const;
