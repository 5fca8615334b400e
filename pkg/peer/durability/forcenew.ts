import {
  type Entry,
  encodeConfigEntry,
  type HardState,
  initialConfiguration,
  MemoryLog,
  NO_PEER,
  sameConfiguration,
  toLogIndex,
  toPeerId,
  toTerm,
  type Write,
} from '../../../raft/index.js';
import { latestConfiguration } from './latestconfiguration.js';
import type { OpenedLog } from './openlog.js';

/**
 * Creates a cluster of this peer alone from its data (`--force-new-cluster`): for a cluster that has lost a majority permanently.
 *
 * Entries that are not known to be committed are discarded, as in etcd: without the lost majority their outcome cannot
 * be known. A configuration with this peer as the only voter follows, in a new term, and counts as committed. The ids
 * of the cluster and of the member stay. The other members must never start again with their old data: together they
 * may still be a majority of the old configuration. Does nothing when this peer is the only voter already.
 *
 * @param applied the applied index of the state; everything up to it was committed.
 */
export async function forceNewCluster(log: OpenedLog, applied: number): Promise<OpenedLog> {
  const { journal, tail, hardState, identity } = log;
  const alone = initialConfiguration([toPeerId(identity.peerId)]);
  const base = tail.base();
  const last = Math.max(hardState?.commit ?? 0, applied, base.index);
  const kept = tail.entries(toLogIndex(base.index + 1), toLogIndex(last + 1), Number.MAX_SAFE_INTEGER);
  if (last === tail.lastIndex() && sameConfiguration(latestConfiguration(base.config, kept), alone)) return log;
  const term = toTerm((hardState?.term ?? base.term) + 1);
  const index = toLogIndex(last + 1);
  const entry: Entry = { term, index, kind: 'config', data: encodeConfigEntry(alone) };
  const forced: HardState = { term, vote: NO_PEER, commit: index };
  const write: Write = { number: 0, hardState: forced, snapshot: undefined, entries: [entry] };
  // An entry replaces the one at its index and all that follow it.
  await journal.append(write);
  return { journal, tail: new MemoryLog(base, [...kept, entry]), hardState: forced, identity };
}
