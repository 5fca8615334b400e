// The leader's side of log replication (paper 5.3, 5.4.2; dissertation 10.2.1: it sends before its own sync).

import type { Core } from './core.js';
import { send } from './core.js';
import { invariant } from './invariant.js';
import { members } from './membership.js';
import type { AppendAccepted, AppendRejected, HeartbeatReply } from './messages.js';
import { Progress } from './progress.js';
import { sendSnapshot } from './snapshot.js';
import type { Entry, EntryKind, LogIndex, PeerId, Term } from './types.js';
import { entryBytes } from './types.js';

const NO_ENTRIES: readonly Entry[] = [];

/** Appends to the leader's own log. The drain sends the entries. */
export function appendEntry(core: Core, kind: EntryKind, data: Uint8Array): Entry {
  invariant(core.role === 'leader', 3, `a ${core.role} appended an entry of its own`);
  const entry: Entry = { term: core.term, index: (core.log.lastIndex + 1) as LogIndex, kind, data };
  core.log.push(entry);
  core.uncommittedBytes += entryBytes(entry);
  if (core.configs.append(entry)) {
    core.configChanged = true;
    trackMembers(core);
  }
  return entry;
}

/**
 * Updates the set of followers to the configuration in force. A removed member stays until the drain has sent it the commit of
 * its removal (settleMembership); otherwise it would never learn of it.
 */
export function trackMembers(core: Core): void {
  core.membershipUnsettled = true;
  for (const id of members(core.configs.current)) {
    if (id === core.id || core.progress.has(id)) continue;
    core.progress.set(id, new Progress((core.log.lastIndex + 1) as LogIndex));
  }
}

/** Commits what a quorum has (paper 5.3), if it is of the current term (5.4.2). */
export function countCommit(core: Core): void {
  const { log, rules } = core;
  const index = rules.quorumIndex(core.configs.current, (id) =>
    id === core.id ? rules.ownMatch(log.stable, log.lastIndex) : (core.progress.get(id)?.match ?? (0 as LogIndex)),
  );
  if (index > log.commit && rules.mayCommitByCounting(log.term(index)!, core.term)) log.commitTo(index);
}

/** Sends to every follower what its progress allows. */
export function flushAppends(core: Core): void {
  for (const [id, progress] of core.progress) flushTo(core, id, progress);
}

function flushTo(core: Core, to: PeerId, progress: Progress): void {
  if (progress.state === 'snapshot' || progress.probing) return;
  if (progress.state === 'probe') {
    sendAppend(core, to, progress, core.limits.appendBytesMax);
    return;
  }
  const { log, limits } = core;
  const window = { messages: limits.inflightMessagesMax, bytes: limits.inflightBytesMax };
  while (progress.next <= log.lastIndex && !progress.windowIsFull(window)) {
    if (!sendAppend(core, to, progress, limits.appendBytesMax)) return;
  }
  // A follower that is still syncing the last entry gets the commit index before it acknowledges, so that it can apply the entry
  // at once. While more appends are in flight, the next one carries the commit index.
  const has = log.commit === log.lastIndex ? progress.next - 1 : progress.match;
  const commitIsNews = Math.min(log.commit, has) > progress.commitSent;
  if (commitIsNews || progress.nudged) sendAppend(core, to, progress, 0);
}

/** Returns false when the log was compacted beyond the needed entry, and the follower needs a snapshot. */
function sendAppend(core: Core, to: PeerId, progress: Progress, maxBytes: number): boolean {
  const { log } = core;
  const prevIndex = (progress.next - 1) as LogIndex;
  const prevTerm = log.term(prevIndex);
  if (prevTerm === undefined) {
    sendSnapshot(core, to, progress);
    return false;
  }
  const entries = maxBytes > 0 && progress.next <= log.lastIndex ? log.slice(progress.next, maxBytes) : NO_ENTRIES;
  const quiet = entries.length === 0 && progress.state === 'replicate' && !progress.nudged;
  send(core, to, { kind: 'append', prevIndex, prevTerm, entries, commit: log.commit, quiet });
  const last = (prevIndex + entries.length) as LogIndex;
  if (entries.length > 0 || progress.state === 'probe') progress.sent(last, bytesOf(entries));
  progress.commitSent = Math.max(progress.commitSent, Math.min(log.commit, last)) as LogIndex;
  progress.nudged = false;
  return true;
}

export function sendHeartbeats(core: Core): void {
  for (const [to, { match }] of core.progress) {
    // Never beyond the follower's match index: it may lack later entries or have different ones.
    const commit = core.rules.commitToTell(core.log.commit, match);
    send(core, to, { kind: 'heartbeat', commit, readRound: core.readRound?.number ?? 0 });
  }
}

export function handleAppendAccepted(core: Core, message: AppendAccepted): void {
  const progress = core.progress.get(message.from);
  if (progress === undefined) return;
  invariant(message.index <= core.log.lastIndex, 9, `peer ${message.from} holds ${message.index}, beyond the log`);
  progress.silentTicks = 0;
  progress.accepted(message.index);
  if (progress.state === 'probe' && message.index === progress.match) progress.becomeReplicate();
  // A snapshot arrived or was not needed: continue with the entries of the log.
  if (progress.state === 'snapshot' && progress.match >= core.log.base.index) progress.becomeReplicate();
}

export function handleAppendRejected(core: Core, message: AppendRejected): void {
  const progress = core.progress.get(message.from);
  if (progress === undefined) return;
  progress.silentTicks = 0;
  progress.rejected(message.rejected, lastPossiblyShared(core, message.hintIndex, message.hintTerm));
}

export function handleHeartbeatReply(core: Core, message: HeartbeatReply): void {
  const progress = core.progress.get(message.from);
  if (progress === undefined) return;
  progress.silentTicks = 0;
  progress.probing = false;
  // An append may have been lost. The follower then rejects an empty one after it, and probing starts.
  if (progress.match < core.log.lastIndex) progress.nudged = true;
}

/** The caller could not deliver to `peer`: messages in flight may be lost. */
export function reportUnreachable(core: Core, peer: PeerId): void {
  const progress = core.progress.get(peer);
  if (progress?.state === 'replicate') progress.becomeProbe();
}

/**
 * The last index at or before `index` whose entry has a term of at most `term`. A log position (index, term) can only
 * be shared where terms are equal, and terms only grow along a log, so on both sides everything above that
 * is skipped at once.
 *
 *     index     1 2 3 4 5 6 7 8 9            the follower rejects (9, term 5); of its terms at most 5 the last is
 *     leader    1 3 3 3 5 5 5 5 5            3 at index 9, its hint. The leader's last term at most 3 is at index 4:
 *     follower  1 1 1 1 2 2 3 3 3            next probe at 4. (Its next rejection: hint 4, term 1; probe at 1: shared.)
 */
export function lastPossiblyShared(core: Core, index: LogIndex, term: Term): LogIndex {
  let at = Math.min(index, core.log.lastIndex) as LogIndex;
  for (let here = core.log.term(at); here !== undefined && here > term; here = core.log.term(at)) {
    at = (at - 1) as LogIndex;
  }
  return at;
}

function bytesOf(entries: readonly Entry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entryBytes(entry);
  return bytes;
}
