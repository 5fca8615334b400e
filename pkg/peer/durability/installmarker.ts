import { type HardState, type SnapshotMeta, toLogIndex, toTerm } from '../../../raft/index.js';
import type { SmallFiles } from './smallfile.js';

/**
 * A small file that makes installing a snapshot atomic over state and log, which are separate on disk:
 *
 *     1. the marker is written: the state is about to be replaced by this snapshot
 *     2. the state is replaced, atomically
 *     3. the log is replaced by one that begins there
 *     4. the marker is removed
 *
 * If it is found at start and the state is at the snapshot's index, step 3 is repeated. If the state is older, nothing had happened. So state
 * and log always belong together.
 */
export interface InstallMarker {
  readonly snapshot: SnapshotMeta;
  readonly hardState: HardState;
}

const NAME = 'install.json';

export function writeMarker(files: SmallFiles, marker: InstallMarker): void {
  files.write(NAME, JSON.stringify(marker));
}

export function readMarker(files: SmallFiles): InstallMarker | undefined {
  const text = files.read(NAME);
  if (text === undefined) return undefined;
  const { snapshot, hardState } = JSON.parse(text) as InstallMarker;
  return {
    snapshot: { index: toLogIndex(snapshot.index), term: toTerm(snapshot.term), config: snapshot.config },
    hardState: { term: toTerm(hardState.term), vote: hardState.vote, commit: toLogIndex(hardState.commit) },
  };
}

export function removeMarker(files: SmallFiles): void {
  files.remove(NAME);
}
