// Snapshot metadata, and log compaction (paper section 7). The data never passes through the core.

import type { Core } from './core.js';
import { send } from './core.js';
import { invariant } from './invariant.js';
import type { SnapshotRequest } from './messages.js';
import type { Progress } from './progress.js';
import type { LogIndex, PeerId, SnapshotMeta } from './types.js';

/** The metadata of a snapshot of the state machine as of `index`. */
export function snapshotMeta(core: Core, index: LogIndex): SnapshotMeta {
  const term = core.log.term(index);
  invariant(
    term !== undefined && index <= core.log.applied,
    6,
    `no snapshot is possible at index ${index}: applied is ${core.log.applied}, the log begins at ${core.log.firstIndex}`,
  );
  invariant(
    core.configs.isKnownAt(index),
    10,
    `no snapshot is possible at index ${index}: its configuration is unknown`,
  );
  return { index, term, config: core.configs.at(index) };
}

/** Requests a snapshot for a follower that needs compacted entries. */
export function sendSnapshot(core: Core, to: PeerId, progress: Progress): void {
  // A dead peer would keep a snapshot open for nothing. It gets one when it is heard again.
  if (!progress.isLive(core.limits.electionTicks)) return;
  const snapshot = snapshotMeta(core, core.log.applied);
  progress.becomeSnapshot(snapshot.index);
  send(core, to, { kind: 'snapshot', snapshot });
}

/** The snapshot in flight to `peer` contains everything up to `index`: the log is no longer kept for it. */
export function snapshotCovers(core: Core, peer: PeerId, index: LogIndex): void {
  const progress = core.progress.get(peer);
  if (progress?.state !== 'snapshot') return;
  progress.pendingSnapshot = Math.max(progress.pendingSnapshot, index) as LogIndex;
}

/** The stream has ended. One append probes until the follower reports its position. */
export function reportSnapshot(core: Core, peer: PeerId, ok: boolean): void {
  const progress = core.progress.get(peer);
  if (progress?.state !== 'snapshot') return;
  if (!ok) progress.pendingSnapshot = 0 as LogIndex;
  progress.becomeProbe();
  // No message is sent at once: it would be rejected during the installation, or fail like the stream.
  progress.probing = true;
}

/** Follower: the data of a snapshot is complete on this peer. */
export function handleSnapshot(core: Core, message: SnapshotRequest): void {
  const { log, rules } = core;
  const { snapshot } = message;
  const here = snapshot.index <= log.commit ? log.term(snapshot.index) : undefined;
  invariant(
    here === undefined || here === snapshot.term,
    5,
    `committed entry ${snapshot.index} is of term ${here} here and of term ${snapshot.term} in a snapshot of ${message.from}`,
  );
  if (rules.snapshotIsNews(snapshot.index, log.commit)) {
    if (rules.sharesSnapshot(log.term(snapshot.index), snapshot.term)) {
      // By the log matching property all earlier entries match as well.
      log.commitTo(snapshot.index);
    } else {
      log.restore(snapshot);
      core.configs.reset(snapshot);
      core.configChanged = true;
    }
  }
  send(core, message.from, { kind: 'appendAccepted', index: log.commit });
}

/** Compacts the log up to `index`. The caller then drops the entries from its storage. */
export function compact(core: Core, index: LogIndex): SnapshotMeta {
  const meta = snapshotMeta(core, index);
  core.configs.compact(index);
  return meta;
}

/**
 * The index up to which the log may be compacted: `trailing` entries stay in any case, up to `trailingMax` for a live follower
 * that still needs them. Never beyond applied. Undefined when there is nothing to compact.
 */
export function compactionIndex(core: Core, trailing: number, trailingMax: number): LogIndex | undefined {
  const { applied, base } = core.log;
  let index = applied - trailing;
  for (const progress of core.progress.values()) {
    if (!progress.isLive(core.limits.electionTicks)) continue;
    index = Math.min(index, Math.max(progress.match, progress.pendingSnapshot, applied - trailingMax));
  }
  // While a snapshot is being installed the base is ahead of applied, and there is nothing to cut either.
  if (index <= base.index || !core.configs.isKnownAt(index as LogIndex)) return undefined;
  return index as LogIndex;
}
