// Makes a Ready from the recorded facts, top to bottom: commit, membership, messages, writes, entries to apply.

import type { Core } from './core.js';
import { settleTransfer } from './handover.js';
import { flushReads, forwardReads } from './readindex.js';
import type { Ready, Write } from './ready.js';
import { settleMembership } from './reconfig.js';
import { countCommit, flushAppends } from './replication.js';
import type { Entry, SoftState } from './types.js';
import { entryBytes } from './types.js';

/** `told` is the soft state of the previous Ready. Returns undefined if there is nothing to do. */
export function drain(core: Core, told: SoftState): Ready | undefined {
  if (core.role === 'leader') {
    countCommit(core);
    settleMembership(core);
  }
  // This peer no longer leads if its own removal was just committed.
  if (core.role === 'leader') {
    settleTransfer(core);
    flushAppends(core);
    flushReads(core);
  } else {
    forwardReads(core);
  }

  const write = takeWrite(core);
  holdPromises(core, write);
  const committed = takeCommitted(core);
  const messages = core.outbox;
  const reads = core.outcomes;
  const softState = softStateNews(core, told);
  const config = core.configChanged ? core.configs.current : undefined;
  if (write === undefined && softState === undefined && config === undefined) {
    if (messages.length === 0 && committed.length === 0 && reads.length === 0) return undefined;
  }
  core.outbox = [];
  core.outcomes = [];
  core.configChanged = false;
  return { write, messages, committed, reads, softState, config };
}

function takeWrite(core: Core): Write | undefined {
  const { log } = core;
  if (log.inflightWrites >= core.limits.inflightWritesMax) return undefined;
  return log.nextWrite({ term: core.term, vote: core.vote, commit: log.commit }, hardStateIsNew(core));
}

function hardStateIsNew(core: Core): boolean {
  const last = core.log.newestInflightWrite?.hardState ?? core.durable;
  return last.term !== core.term || last.vote !== core.vote;
}

/** True when state must be written that no pending write contains. */
function hasUnwritten(core: Core): boolean {
  return core.log.hasUnwritten || hardStateIsNew(core);
}

/**
 * Releases messages that are promises. They depend on all state so far: they are sent at once when no write is pending, and
 * otherwise when the newest write is durable. If that write cannot be started yet, they wait for its number.
 */
function holdPromises(core: Core, write: Write | undefined): void {
  if (core.promises.length === 0) return;
  if (write === undefined && hasUnwritten(core)) return;
  const newest = core.log.newestInflightWrite;
  for (const message of core.promises) {
    if (newest === undefined) core.outbox.push(message);
    else core.held.push({ write: newest.number, message });
  }
  core.promises = [];
}

/** Write `number` and all before it are durable: the messages that depend on them are sent. */
export function releasePromises(core: Core, number: number): void {
  let count = 0;
  while (count < core.held.length && core.held[count]!.write <= number) core.outbox.push(core.held[count++]!.message);
  if (count > 0) core.held.splice(0, count);
}

function takeCommitted(core: Core): readonly Entry[] {
  const { committedBytesPerReadyMax, applyingBytesMax } = core.limits;
  const entries = core.log.nextCommitted({ batchBytes: committedBytesPerReadyMax, applyingBytes: applyingBytesMax });
  if (core.role === 'leader') releaseUncommitted(core, entries);
  return entries;
}

/** Entries returned for applying no longer count against the limit of uncommitted bytes. */
function releaseUncommitted(core: Core, entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (entry.term === core.term) core.uncommittedBytes -= entryBytes(entry);
  }
}

function softStateNews(core: Core, told: SoftState): SoftState | undefined {
  const { role, term, leader } = core;
  return role === told.role && term === told.term && leader === told.leader ? undefined : { role, term, leader };
}
