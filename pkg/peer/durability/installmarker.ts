import { type HardState, type SnapshotMeta, toLogIndex, toTerm } from '../../../raft/index.js';
import type { SmallFiles } from './smallfile.js';

/**
 * The note that makes installing a snapshot atomic over state and log, which are two places on disk:
 *
 *     1. marker written: "the state is about to become this snapshot"
 *     2. the state becomes it, in one step of its own
 *     3. the log says that it begins there
 *     4. marker removed
 *
 * Found at start, with the state at the snapshot's index: 3 is made up for. With the state before it: nothing has
 * happened. So a state never meets a log that it has nothing to do with.
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
