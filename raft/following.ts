// The follower's side of log replication (paper 5.3, figure 2 "AppendEntries RPC").

import type { Core } from './core.js';
import { send } from './core.js';
import { invariant } from './invariant.js';
import type { AppendRequest, Heartbeat } from './messages.js';
import { lastPossiblyShared } from './replication.js';
import type { Entry, LogIndex, PeerId, Term } from './types.js';

export function handleAppend(core: Core, message: AppendRequest): void {
  const { log, rules } = core;
  const { from, prevIndex, prevTerm, quiet } = message;
  assertCommittedIsShared(core, message);
  if (prevIndex < log.commit) {
    // The message is late or repeated. Every leader's log contains the entries committed here, so these can be
    // acknowledged.
    if (!quiet) send(core, from, { kind: 'appendAccepted', index: log.commit });
    return;
  }
  if (!rules.followsOn(log.term(prevIndex), prevTerm)) {
    const hintIndex = lastPossiblyShared(core, prevIndex, prevTerm);
    send(core, from, {
      kind: 'appendRejected',
      rejected: prevIndex,
      hintIndex,
      hintTerm: log.term(hintIndex) ?? log.base.term,
    });
    return;
  }
  takeEntries(core, message.entries);
  const lastShared = (prevIndex + message.entries.length) as LogIndex;
  log.commitTo(rules.commitAsFollower(message.commit, lastShared));
  if (!quiet) send(core, from, { kind: 'appendAccepted', index: lastShared });
}

/**
 * An entry that is committed here is in the log of every later leader (invariant 5), with the same term. This is checked wherever
 * both terms are known. A difference means that one of the logs was damaged, and that this peer must stop.
 */
function assertCommittedIsShared(core: Core, { from, prevIndex, prevTerm, entries }: AppendRequest): void {
  const { commit } = core.log;
  if (prevIndex > commit) return;
  assertSameTerm(core, from, prevIndex, prevTerm);
  for (const { index, term } of entries) {
    if (index > commit) return;
    assertSameTerm(core, from, index, term);
  }
}

function assertSameTerm({ log, rules }: Core, from: PeerId, index: LogIndex, theirs: Term): void {
  const mine = log.term(index);
  invariant(
    !rules.committedDiffers(mine, theirs),
    5,
    `committed entry ${index} is of term ${mine} here and of term ${theirs} on leader ${from}`,
  );
}

/** Appends the entries that are new. Existing entries and those after them stay, because the message may be old. */
function takeEntries(core: Core, entries: readonly Entry[]): void {
  const { log, configs, rules } = core;
  for (const entry of entries) {
    const here = log.term(entry.index);
    if (here !== undefined) {
      if (!rules.conflicts(here, entry)) continue;
      log.truncate(entry.index);
      if (rules.cutTakesConfig(configs.currentIndex, entry.index)) {
        configs.truncate(entry.index);
        core.configChanged = true;
      }
    }
    log.push(entry);
    if (configs.append(entry)) core.configChanged = true;
  }
}

export function handleHeartbeat(core: Core, message: Heartbeat): void {
  core.log.commitTo(message.commit);
  send(core, message.from, { kind: 'heartbeatReply', readRound: message.readRound });
}
