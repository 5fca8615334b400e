/** Every limit of the peer, by name, and what happens at the limit. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** The write-ahead log (`durability/wal/`). */
export const WAL_LIMITS = {
  /** The first segment is small, so that an idle data directory is small and quickly made. Each further one doubles ... */
  firstSegmentBytes: 4 * MiB,
  /** ... up to this size. A larger frame gets a segment of its own size. */
  segmentBytesMax: 64 * MiB,
  /** Waiting writes share one frame up to this many bytes. A single larger write gets its own frame. */
  frameBytesTarget: 4 * MiB,
  /** A frame header with a larger length is damage. */
  frameBytesMax: 256 * MiB,
  /** The next segment is prepared when this fraction of the current one is used. */
  prepareAtShare: 0.5,
  /** Zeros are written in steps of this size, so that writes of the log can run in between. */
  zeroStepBytes: 1 * MiB,
  /** Larger frames are written on the thread pool. For smaller ones the copy into the page cache is cheaper. */
  inlineWriteBytesMax: 256 * KiB,
  /** The frame buffer that is kept between writes. A larger frame gets its own buffer. */
  frameBufferBytes: 1 * MiB,
  /** A preparation that found no space is retried after this time. */
  prepareRetryMs: 1000,
} as const;

/** Proposals and reads (`requests/`). */
export const PROPOSAL_LIMITS = {
  /** Proposals not yet answered. A further one is refused as `overloaded`. */
  pendingMax: 16_384,
  /** Their total bytes. A further one is refused as `overloaded`. */
  pendingBytesMax: 64 * MiB,
  /** Without a known leader a proposal waits this many election timeouts, so that clients do not notice an election. Then it is refused. */
  holdElectionTimeouts: 3,
  /** A proposal that may have been appended is answered `unknown` after this plus two election timeouts. */
  answerMs: 5000,
  /** A closing peer waits this long for pending proposals. */
  drainMs: 2000,
} as const;

export const READ_LIMITS = {
  /** Waiting callers of readIndex. A further one is refused as `overloaded`. */
  pendingMax: 65_536,
  /** A read that finds no leader, or a new one, is retried until it is this many election timeouts old. */
  retryElectionTimeouts: 5,
  /** A read whose index is known but not applied here is refused after this plus two election timeouts, like a proposal. */
  answerMs: 5000,
} as const;

/** The boundary between the threads (`thread/`). */
export const THREAD_LIMITS = {
  /** V8's young generation on the peer's thread. Objects there are short-lived: a third of the default is as fast. */
  youngGenerationMiB: 12,
  /** Transactions, compactions and ranges that wait for the peer thread. A further one is refused as `overloaded`. */
  requestsMax: 16_384,
  /** The bytes of the transactions among them. */
  requestBytesMax: 64 * MiB,
  /** Bytes of watch events that the serving thread has not acknowledged. Beyond it a watch is paused and later resumed from history. */
  eventBytesMax: 32 * MiB,
  /** Bytes of handled events that are acknowledged without a message to go with. */
  creditBytes: 2 * MiB,
  /** A message to the serving thread is sent when it is this large, so large ranges arrive in pieces. */
  messageBytesTarget: 256 * KiB,
  /** The status is sent after this time when no other message goes to the serving thread. */
  statusMs: 100,
} as const;

/** Space on the disk (`durability/space.ts`). */
export const SPACE_LIMITS = {
  /** The interval at which the free space of the disk is read. */
  lookEveryMs: 250,
  /** The ballast is removed when less than the second is free. It is enough to flush the engine's memory and for some deletes. */
  ballastBytes: 24 * MiB,
  ballastReleaseBytes: 4 * MiB,
  ballastStepBytes: 256 * KiB,
  /** A write to the state that found no space is retried at this interval. After the second, all requests are refused. */
  retryMs: 100,
  blockedMs: 1000,
  /** On a small disk the reserve is this fraction of it, but at least what the engine may need to flush its memory. */
  reserveShare: 0.1,
  reserveBytesMin: 64 * MiB,
  /** A snapshot needs space for a second state until it is installed. It leaves at least this fraction of the reserve. */
  snapshotLeavesShare: 0.5,
  /** A put may be written this many times before the free space is read again: to the log, the engine's log and its files. */
  copiesOfPut: 4,
} as const;

/** The log in memory and on disk (`durability/compaction.ts`). */
export const LOG_LIMITS = {
  /** The byte limits below are for this `snapshotCount`. A greater one scales them up. */
  snapshotCount: 10_000,
  /** The log is cut when its entries in memory have this many bytes, even if they are few. */
  tailBytesMax: 24 * MiB,
  /** A cut leaves this many bytes of entries (and at most half of `snapshotCount`) ... */
  trailingBytes: 8 * MiB,
  /** Both for a peer without others: what it keeps only makes the snapshot of the next joining peer a little smaller. */
  aloneTailBytesMax: 6 * MiB,
  aloneTrailingBytes: 2 * MiB,
  /** ... or this many while a live follower still needs them, for example because it installs a snapshot. */
  trailingBytesMax: 64 * MiB,
  /** The same in entries, as multiples of `snapshotCount`. */
  trailingSnapshotCounts: 50,
  /** While the state waits for space, the log accepts entries until it is this far ahead (`durability/backpressure.ts`). */
  standstillBytesMax: 32 * MiB,
  /** A cut drops at least this fraction of what a cut leaves, because the state is synced before each cut. */
  cutShareMin: 0.5,
} as const;

/** Background tasks (`background/tasks.ts`). */
export const BACKGROUND_LIMITS = {
  expiryEveryMs: 1000,
  /** Keys that one transaction expires, and transactions of one run. */
  expiryKeysMax: 128,
  expiryRoundsMax: 64,
  /** History is compacted in this many slices per retention, so that each is small. */
  compactionSlices: 30,
  compactionEveryMsMin: 1000,
  /** While there is no space, history is compacted and files are rewritten at most this often ... */
  reclaimEveryMs: 1000,
  rewriteEveryMs: 30_000,
  /** ... files only when they are larger than their rows by this factor, and when the disk has space for the rows and this much more. */
  rewriteAtFactor: 1.5,
  rewriteSpareBytes: 16 * MiB,
  /** A started peer proposes a hash check at this interval, at most this many times, until it is found equal to most peers. */
  firstCheckEveryMs: 500,
  firstChecksMax: 20,
} as const;

/** Connections between peers (`transport/`). */
export const TRANSPORT_LIMITS = {
  /** Version of the protocol. Peers of different versions do not connect. */
  protocol: 1,
  /** A bundle is sent when it is this large. A single larger message gets its own bundle. */
  bundleBytesTarget: 1 * MiB,
  /** Larger messages are refused. */
  messageBytesMax: 64 * MiB,
  /** Raft messages queued for one connection. Beyond either limit they are dropped, and the peer is reported unreachable. */
  queuedMessagesMax: 4096,
  queuedBytesMax: 32 * MiB,
  /** Proposals and answers queued for one connection. A further proposal is reported as not sent. */
  queuedProposalsMax: 16_384,
  /** The first wait before reconnecting. It doubles up to the second, and up to half of it is random. */
  reconnectMs: 50,
  reconnectMsMax: 2000,
  /** A refused handshake is retried after this time. */
  refusedMs: 5000,
  /** A handshake without an answer is given up after this time. */
  helloMs: 3000,
  /** The interval at which round trips are measured. */
  pingEveryMs: 1000,
  /** Certificate files are looked at this often. */
  tlsEveryMs: 5000,
  /** HTTP/2 keepalive: a peer that does not answer within the second is disconnected. */
  keepaliveMs: 2000,
  keepaliveTimeoutMs: 3000,
  /** HTTP/2 window of a stream. */
  windowBytes: 4 * MiB,
} as const;

/** Snapshots between peers (`snapshot/`). */
export const SNAPSHOT_LIMITS = {
  /** Concurrent outgoing streams. A further one is reported as failed, and the core requests it again later. */
  outgoingMax: 2,
  /** The rate of an outgoing stream (`Throttle`): the leader serves clients at the same time. */
  sending: { bytesPerSecondMax: 16 * MiB, bytesPerSecondMin: 6 * MiB },
  /** The rate at which an installed snapshot is read: higher, because the leader keeps its log for this peer meanwhile. */
  loading: { bytesPerSecondMax: 128 * MiB, bytesPerSecondMin: 48 * MiB },
  /** A round shorter than this, or the round with this number, is followed by the last round. See `Rounds`. */
  shortRoundMs: 1000,
  roundsMax: 8,
  /** The receiver syncs in steps of this size: one large sync at the end would delay every other sync on that disk. */
  syncEveryBytes: 8 * MiB,
  /** A failed snapshot is retried after an election timeout, doubling up to this many election timeouts. */
  retryWaitsMax: 8,
  /** Either side gives up a stream that makes no progress for this long. */
  stallMs: 30_000,
} as const;

/** The hash check (`apply/hashchecks.ts`). */
export const CHECK_LIMITS = {
  /** Incomplete rounds. At the limit the oldest is dropped. */
  roundsMax: 16,
} as const;

/** Joining and control calls (`membership/join.ts`, `control/`). */
export const CONTROL_LIMITS = {
  /** A joining peer waits this long for a member with its URL to be added. */
  joinMs: 30_000,
  joinEveryMs: 500,
  /** A founder without data waits this long for the others to report whether it has taken part before. */
  foundMs: 2000,
  /**
   * While too few answer it asks again after this time, which doubles up to the second (`membership/admission.ts`): each question costs
   * a TLS handshake. It logs after the third that it waits.
   */
  admitAfterMs: 100,
  admitAfterMsMax: 1600,
  admitNoteMs: 10_000,
  /** A peer that no member has reached yet asks at this interval whether it was removed (`membership/unreached.ts`). */
  unreachedEveryMs: 2000,
  /** The deadline of one such request, and of one control call that is forwarded to the leader. */
  callMs: 10_000,
  /** The interval at which a leader reconciles the records of members. */
  tendEveryMs: 500,
} as const;

/** Changes of members (`membership/members.ts`). */
export const MEMBER_LIMITS = {
  /** Waiting changes. A further one is refused. */
  changesMax: 16,
} as const;

/** Restoring a snapshot (`snapshot/restore.ts`). */
export const RESTORE_LIMITS = {
  /** The new cluster's revisions start this far above the snapshot's, above anything the old cluster can have written since. */
  revisionsAbove: 1_000_000_000,
  readBytes: 256 * KiB,
} as const;
