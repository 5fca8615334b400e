import type { WireConfiguration, WireEntry, WireRaftMessage, WireSnapshotMeta } from '../../../proto/index.js';
import {
  type Configuration,
  type Entry,
  type EntryKind,
  type Message,
  type MessageKind,
  NO_PEER,
  type PeerId,
  type ReadRefusal,
  type SnapshotMeta,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../../raft/index.js';

// Converts Raft messages to and from their wire form. Incoming numbers are checked: a malformed message throws
// RangeError, which ends its connection.

/** The position in the list is the number on the wire: append only, never change one. 0 is unused. */
const KINDS: readonly (MessageKind | '')[] = [
  '',
  'voteRequest',
  'voteReply',
  'append',
  'appendAccepted',
  'appendRejected',
  'heartbeat',
  'heartbeatReply',
  'staleTerm',
  'snapshot',
  'timeoutNow',
  'readRequest',
  'readReply',
];

const ENTRY_KINDS: readonly EntryKind[] = ['normal', 'config', 'noop'];

const REFUSALS: readonly (ReadRefusal | '')[] = [
  '',
  'noLeader',
  'noCommitInTerm',
  'tooManyReads',
  'leaderChanged',
  'timeout',
];

type Fields = Partial<WireRaftMessage>;

export function toWire(message: Message): Fields {
  const { from, to, term } = message;
  return { kind: KINDS.indexOf(message.kind), from, to, term, ...fieldsOf(message) };
}

function fieldsOf(message: Message): Fields {
  switch (message.kind) {
    case 'voteRequest': {
      const { preVote, transfer, lastIndex: index, lastTerm: logTerm } = message;
      return { preVote, transfer, index, logTerm };
    }
    case 'voteReply':
      return { preVote: message.preVote, granted: message.granted };
    case 'append': {
      const { prevIndex: index, prevTerm: logTerm, commit, quiet } = message;
      return { index, logTerm, commit, quiet, entries: message.entries.map(entryToWire) };
    }
    case 'appendAccepted':
      return { index: message.index };
    case 'appendRejected':
      return { index: message.rejected, hintIndex: message.hintIndex, hintTerm: message.hintTerm };
    case 'heartbeat':
      return { commit: message.commit, round: message.readRound };
    case 'heartbeatReply':
      return { round: message.readRound };
    case 'snapshot':
      return { snapshot: metaToWire(message.snapshot) };
    case 'readRequest':
      return { incarnation: message.incarnation, sequence: message.sequence };
    case 'readReply': {
      const { incarnation, sequence, index, refused } = message;
      return { incarnation, sequence, index: index ?? 0, refused: REFUSALS.indexOf(refused ?? '') };
    }
    case 'staleTerm':
    case 'timeoutNow':
      return {};
  }
}

export function fromWire(wire: WireRaftMessage): Message {
  const kind = KINDS[wire.kind];
  const envelope = { from: toPeerId(wire.from), to: toPeerId(wire.to), term: toTerm(wire.term) };
  switch (kind) {
    case 'voteRequest': {
      const { preVote, transfer } = wire;
      const [lastIndex, lastTerm] = [toLogIndex(wire.index), toTerm(wire.logTerm)];
      return { kind, ...envelope, preVote, transfer, lastIndex, lastTerm };
    }
    case 'voteReply':
      return { kind, ...envelope, preVote: wire.preVote, granted: wire.granted };
    case 'append': {
      const [prevIndex, prevTerm, commit] = [toLogIndex(wire.index), toTerm(wire.logTerm), toLogIndex(wire.commit)];
      const entries = wire.entries.map(entryFromWire);
      return { kind, ...envelope, prevIndex, prevTerm, commit, entries, quiet: wire.quiet };
    }
    case 'appendAccepted':
      return { kind, ...envelope, index: toLogIndex(wire.index) };
    case 'appendRejected': {
      const [rejected, hintIndex, hintTerm] = [
        toLogIndex(wire.index),
        toLogIndex(wire.hintIndex),
        toTerm(wire.hintTerm),
      ];
      return { kind, ...envelope, rejected, hintIndex, hintTerm };
    }
    case 'heartbeat':
      return { kind, ...envelope, commit: toLogIndex(wire.commit), readRound: count(wire.round) };
    case 'heartbeatReply':
      return { kind, ...envelope, readRound: count(wire.round) };
    case 'snapshot':
      return { kind, ...envelope, snapshot: metaFromWire(wire.snapshot) };
    case 'readRequest':
      return { kind, ...envelope, incarnation: count(wire.incarnation), sequence: count(wire.sequence) };
    case 'readReply': {
      const refused = REFUSALS[wire.refused] || undefined;
      const index = refused === undefined ? toLogIndex(wire.index) : undefined;
      const [incarnation, sequence] = [count(wire.incarnation), count(wire.sequence)];
      return { kind, ...envelope, incarnation, sequence, index, refused };
    }
    case 'staleTerm':
    case 'timeoutNow':
      return { kind, ...envelope };
    default:
      throw new RangeError(`unknown kind ${wire.kind} of a raft message`);
  }
}

function entryToWire({ term, index, kind, data }: Entry): WireEntry {
  return { term, index, kind: ENTRY_KINDS.indexOf(kind), data };
}

function entryFromWire(wire: WireEntry): Entry {
  const kind = ENTRY_KINDS[wire.kind];
  if (kind === undefined) throw new RangeError(`unknown kind ${wire.kind} of a log entry`);
  return { term: toTerm(wire.term), index: toLogIndex(wire.index), kind, data: wire.data };
}

export function metaToWire({ index, term, config }: SnapshotMeta): WireSnapshotMeta {
  return { index, term, config };
}

export function metaFromWire(wire: WireSnapshotMeta | null): SnapshotMeta {
  if (wire === null) throw new RangeError('a snapshot has no metadata');
  return { index: toLogIndex(wire.index), term: toTerm(wire.term), config: configFromWire(wire.config) };
}

function configFromWire(wire: WireConfiguration | null): Configuration {
  if (wire === null) throw new RangeError('a snapshot has no configuration');
  const ids = (list: readonly number[]): PeerId[] => list.map(toPeerId);
  return {
    voters: ids(wire.voters),
    votersOutgoing: ids(wire.votersOutgoing),
    learners: ids(wire.learners),
    learnersNext: ids(wire.learnersNext),
  };
}

function count(n: number): number {
  if (!Number.isSafeInteger(n) || n < NO_PEER) throw new RangeError(`${n} is not a safe non-negative integer`);
  return n;
}
