// The vocabulary of the consensus core: plain values, no behaviour beyond checking numbers.
// "Paper" is Ongaro & Ousterhout, "In Search of an Understandable Consensus Algorithm" (extended
// version); "dissertation" is Ongaro, "Consensus: Bridging Theory and Practice".

declare const brand: unique symbol;

/** An election term. 0 means "before any election"; terms never go back (invariant 1). */
export type Term = number & { readonly [brand]: 'Term' };

/** A position in the log, starting at 1. Index 0 is the empty position before the first entry. */
export type LogIndex = number & { readonly [brand]: 'LogIndex' };

/** A peer's identity: a safe integer in [1, 2^53). Never reused for another disk. */
export type PeerId = number & { readonly [brand]: 'PeerId' };

/** No peer: no vote given, or no leader known. Not a valid peer id. */
export const NO_PEER = 0 as PeerId;

function safeInteger(n: number, min: number, what: string): void {
  if (!Number.isSafeInteger(n) || n < min) throw new RangeError(`${what} must be a safe integer >= ${min}, got ${n}`);
}

/** Checks a number that came from bytes or flags. Throws RangeError. */
export function toTerm(n: number): Term {
  safeInteger(n, 0, 'term');
  return n as Term;
}

/** Checks a number that came from bytes or flags. Throws RangeError. */
export function toLogIndex(n: number): LogIndex {
  safeInteger(n, 0, 'log index');
  return n as LogIndex;
}

/** Checks a number that came from bytes or flags. Throws RangeError. */
export function toPeerId(n: number): PeerId {
  safeInteger(n, 1, 'peer id');
  return n as PeerId;
}

/**
 * What an entry means to the core:
 * - `normal`: bytes of the caller, applied by the caller.
 * - `config`: a membership; `data` is read by `decodeConfigEntry`. It is in force from the moment it is
 *   in the log, committed or not (paper section 6), and it carries the whole configuration, not a change.
 * - `noop`: the empty entry every leader starts its term with (paper section 8). The caller applies nothing.
 */
export type EntryKind = 'normal' | 'config' | 'noop';

/** One log entry. Immutable; log, messages and disk share it without copies. */
export interface Entry {
  readonly term: Term;
  readonly index: LogIndex;
  readonly kind: EntryKind;
  readonly data: Uint8Array;
}

/** The bytes of an entry in all limits: its payload plus a fixed overhead for framing. */
export const ENTRY_OVERHEAD_BYTES = 32;

export function entryBytes(entry: Entry): number {
  return entry.data.length + ENTRY_OVERHEAD_BYTES;
}

/**
 * A cluster membership. Lists are sorted and hold no id twice.
 * `votersOutgoing` is non-empty only in joint consensus (paper section 6): then every decision needs a
 * majority of `voters` and a majority of `votersOutgoing`.
 * `learnersNext` are voters of the outgoing half that become learners when the joint phase is left.
 */
export interface Configuration {
  readonly voters: readonly PeerId[];
  readonly votersOutgoing: readonly PeerId[];
  readonly learners: readonly PeerId[];
  readonly learnersNext: readonly PeerId[];
}

export interface MemberChange {
  readonly kind: 'addVoter' | 'addLearner' | 'remove';
  readonly id: PeerId;
}

/**
 * A requested change of membership. `addVoter` on a learner promotes it, `addLearner` on a voter demotes
 * it. One change of one voter is made in one step; anything more goes through joint consensus, which the leader enters and leaves automatically. `context` travels with the entry (addresses, names).
 */
export interface ConfigChange {
  readonly changes: readonly MemberChange[];
  readonly context?: Uint8Array;
}

/**
 * The metadata of a snapshot: the state machine after all entries up to and including `index`, which has the term `term`; `config` is
 * the membership in force there. It also describes the base of a log, the position before its first entry. The base of a new cluster
 * is `{index: 0, term: 0, config: initial members}`; that of a peer that will be added later has no members.
 */
export interface SnapshotMeta {
  readonly index: LogIndex;
  readonly term: Term;
  readonly config: Configuration;
}

/**
 * The state that must survive a crash in addition to the entries. `term` and `vote` are promises. `commit` is a hint with which a
 * restarted peer can apply entries early; it is saved with other writes, never alone.
 */
export interface HardState {
  readonly term: Term;
  readonly vote: PeerId;
  readonly commit: LogIndex;
}

export type Role = 'follower' | 'preCandidate' | 'candidate' | 'leader';

/** Informational: the caller need not keep it. */
export interface SoftState {
  readonly role: Role;
  readonly term: Term;
  /** `NO_PEER` when unknown. */
  readonly leader: PeerId;
}

/**
 * Where the core reads entries that are already durable. The caller implements it over its write-ahead
 * log's in-memory tail (`MemoryLog` is one). All calls are synchronous and must not throw for indexes
 * inside [firstIndex, lastIndex].
 *
 * Contract: when the caller calls `persisted(n)`, the storage serves the entries of every write up to n. It may
 * serve them earlier. The core itself keeps everything newer.
 */
export interface LogStorage {
  /** The position before the first entry: base.index + 1 is the first index that this log has. */
  base(): SnapshotMeta;
  /** Index of the last entry, or `base().index` when there is none. */
  lastIndex(): LogIndex;
  /** Term of the entry at `index`, for base().index <= index <= lastIndex(); undefined outside. */
  term(index: LogIndex): Term | undefined;
  /**
   * Entries lo <= index < hi, cut off after the entry with which their `entryBytes` reach or pass `maxBytes`
   * if that is not the first: at least one entry when lo < hi. Callers do not write to the array.
   */
  entries(lo: LogIndex, hi: LogIndex, maxBytes: number): readonly Entry[];
}

/** All bounds and times of the core. See `DEFAULT_LIMITS` in limits.ts. */
export interface RaftLimits {
  /** Ticks without a leader before a follower campaigns: drawn from [n, 2n) anew for every attempt. */
  readonly electionTicks: number;
  /** Ticks between heartbeats; much smaller than electionTicks. */
  readonly heartbeatTicks: number;
  /** Entry bytes in one append message (at least one entry always goes). */
  readonly appendBytesMax: number;
  /** Append messages in flight to one follower. */
  readonly inflightMessagesMax: number;
  /** Entry bytes in flight to one follower. */
  readonly inflightBytesMax: number;
  /** Entry bytes a leader holds that are not yet committed; above it proposals are refused. */
  readonly uncommittedBytesMax: number;
  /** Entry bytes returned in one Ready for applying. */
  readonly committedBytesPerReadyMax: number;
  /** Entry bytes returned for applying and not yet acknowledged by `applied`. */
  readonly applyingBytesMax: number;
  /** Writes returned and not yet `persisted`. At the limit, further entries wait and form one write. */
  readonly inflightWritesMax: number;
  /** Read requests waiting for a quorum round, on leader and follower each. */
  readonly pendingReadsMax: number;
}
