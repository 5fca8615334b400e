// The exports of raft/: the consensus core as a pure state machine. It reads no clock, socket, disk or global random source. The
// caller passes these in and carries out what `ready()` returns.
//
// The caller's loop:
//
//   node.step(message) | node.tick() | node.propose(data) | node.readIndex(context)   // any number of them
//   const ready = node.ready()            // undefined when there is nothing to do
//   send(ready.messages)                  // at once
//   queue(ready.write)                    // write + sync in order; then node.persisted(write.number)
//   apply(ready.committed)                // in order; then node.applied(lastIndex)
//   answer(ready.reads)
//   ... and call node.ready() again until it returns undefined.

export { RaftInvariantError } from './invariant.js';
export { checkLimits, DEFAULT_LIMITS } from './limits.js';
export type { ConfigEntry } from './membership.js';
export {
  checkConfiguration,
  decodeConfigEntry,
  describeChange,
  emptyConfiguration,
  encodeConfigEntry,
  initialConfiguration,
  isJoint,
  isVoter,
  members,
  sameConfiguration,
} from './membership.js';
export { MemoryLog } from './memorylog.js';
export type {
  AppendAccepted,
  AppendRejected,
  AppendRequest,
  Heartbeat,
  HeartbeatReply,
  Message,
  MessageKind,
  ReadRefusal,
  ReadReply,
  ReadRequest,
  SnapshotRequest,
  StaleTerm,
  TimeoutNow,
  VoteReply,
  VoteRequest,
} from './messages.js';
export type { RaftOptions } from './node.js';
export { RaftNode } from './node.js';
export type {
  NodeStatus,
  PeerStatus,
  ProposeRefusal,
  ProposeResult,
  ReadOutcome,
  Ready,
  TransferResult,
  Write,
} from './ready.js';
export type { SafetyRules } from './rules.js';
export { RULES } from './rules.js';
export type {
  ConfigChange,
  Configuration,
  Entry,
  EntryKind,
  HardState,
  LogIndex,
  LogStorage,
  MemberChange,
  PeerId,
  RaftLimits,
  Role,
  SnapshotMeta,
  SoftState,
  Term,
} from './types.js';
export { ENTRY_OVERHEAD_BYTES, entryBytes, NO_PEER, toLogIndex, toPeerId, toTerm } from './types.js';
