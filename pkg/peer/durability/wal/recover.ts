import type { Entry, HardState, SnapshotMeta } from '../../../../raft/index.js';
import type { LogDisk, LogFile } from './disk.js';
import { decodePreamble, type Preamble, SECTOR } from './frame.js';
import { type LogRecord, readRecords } from './records.js';
import { scanSegment } from './scan.js';

/** The content of the log when it was opened. `entries` follow `base` without a gap. */
export interface RecoveredLog {
  /** Bytes of the caller, stored when the log was created. */
  readonly identity: Uint8Array;
  readonly base: SnapshotMeta;
  readonly entries: readonly Entry[];
  readonly hardState: HardState;
  /** Bytes of an interrupted write that were cut off; 0 after a clean end. */
  readonly tornBytes: number;
}

/** The log has damage that no crash can cause. The message says what is wrong and what to do. */
export class LogCorruptError extends Error {
  override readonly name = 'LogCorruptError';
  /** @param unless the other possible cause, with what to do about it */
  constructor(what: string, unless?: string) {
    super(
      `${what}. ${unless === undefined ? 'No' : `${unless}. Otherwise no`} crash or power cut leaves the log like this: data that was already durable was changed or lost. ` +
        'This peer does not start, because it may have forgotten what it promised. If the cluster has other healthy peers: ' +
        'remove this member (triremectl member remove), empty its data directory and add it again; it then copies the state. ' +
        'If it is the only one: stop, check the disk, and restore the newest snapshot (triremectl snapshot restore).',
    );
  }
}

export interface Segment {
  readonly sequence: number;
  /** The highest index of an entry in it; 0 when it has none. The segment can be removed when the base is at or above it. */
  lastIndex: number;
  /** The size of the segment's file. */
  readonly bytes: number;
}

export const segmentName = (sequence: number): string => `${String(sequence).padStart(10, '0')}.wal`;
const SEGMENT_NAME = /^\d{10}\.wal$/;

/** Reports whether this directory has a log. */
export function hasLog(disk: LogDisk): boolean {
  return disk.list().some((name) => SEGMENT_NAME.test(name));
}

export interface Recovery {
  readonly log: RecoveredLog;
  readonly segments: Segment[];
  /** The last segment, open. */
  readonly file: LogFile;
  readonly preamble: Preamble;
  readonly end: number;
  /** Offset of the last frame. */
  readonly lastFrame: number;
  readonly nextFrame: number;
  /** Bytes [end, dirtyEnd) of the last segment must be zeroed before anything is appended. */
  readonly dirtyEnd: number;
}

/** Reads every segment. Throws `LogCorruptError`. It changes nothing on disk. */
export function recover(disk: LogDisk): Recovery {
  const names = disk
    .list()
    .filter((name) => SEGMENT_NAME.test(name))
    .sort();
  const replay = new Replay();
  const segments: Segment[] = [];
  let nextFrame: number | undefined;
  for (const [position, name] of names.entries()) {
    const sequence = Number.parseInt(name, 10);
    const expected = segments.at(-1)?.sequence;
    if (expected !== undefined && sequence !== expected + 1) {
      throw new LogCorruptError(`Log segment ${segmentName(expected + 1)} is missing`);
    }
    const file = disk.open(name);
    const preamble = readPreamble(file, name, sequence);
    if (nextFrame !== undefined && preamble.firstFrame !== nextFrame) {
      throw new LogCorruptError(
        `Log segment ${segmentName(sequence - 1)} ends before frame ${nextFrame}, but ${name} begins with frame ${preamble.firstFrame}`,
      );
    }
    const segment: Segment = { sequence, lastIndex: 0, bytes: file.size };
    const scan = scanSegment(file, preamble, (body) => readRecords(body, (record) => replay.take(record, segment)));
    segments.push(segment);
    if (scan.rest.kind === 'damaged') {
      throw new LogCorruptError(`Log segment ${name} is damaged at offset ${scan.rest.offset}: ${scan.rest.why}`);
    }
    nextFrame = scan.nextFrame;
    if (position === names.length - 1) {
      const dirtyEnd = scan.rest.kind === 'torn' ? scan.rest.dirtyEnd : scan.end;
      const log = replay.finish(dirtyEnd - scan.end);
      const { end, lastFrame } = scan;
      return { log, segments, file, preamble, end, lastFrame, nextFrame, dirtyEnd };
    }
    file.close();
    if (scan.rest.kind === 'torn') {
      throw new LogCorruptError(
        `Log segment ${name} ends in an interrupted write at offset ${scan.end}, but another follows it`,
      );
    }
  }
  throw new LogCorruptError('The log has no segments');
}

function readPreamble(file: LogFile, name: string, sequence: number): Preamble {
  const bytes = file.read(0, SECTOR);
  const preamble = decodePreamble(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (preamble === undefined) {
    throw new LogCorruptError(`Log segment ${name} does not begin with a preamble of a format that this version reads`);
  }
  if (preamble.sequence !== sequence) {
    throw new LogCorruptError(`Log segment ${name} says that it is number ${preamble.sequence}`);
  }
  return preamble;
}

/** Replays the records in order. */
class Replay {
  #identity: Uint8Array | undefined;
  #base: SnapshotMeta | undefined;
  #hardState: HardState | undefined;
  #entries: Entry[] = [];

  take(record: LogRecord, segment: Segment): void {
    switch (record.kind) {
      case 'entry':
        segment.lastIndex = Math.max(segment.lastIndex, record.entry.index);
        this.#append(record.entry);
        break;
      case 'hardState':
        this.#hardState = record.hardState;
        break;
      case 'base':
        this.#base = record.base;
        if (record.mode === 'restore') this.#entries = [];
        else this.#dropThrough(record.base.index);
        break;
      case 'identity':
        this.#identity = record.identity;
        break;
    }
  }

  /**
   * An entry replaces the entries at its index and after it (paper 5.3). A gap before it means that the entries between were in segments that
   * have been removed: the base that allowed it follows later (checked in `finish`).
   */
  #append(entry: Entry): void {
    const first = this.#entries[0];
    if (first !== undefined) {
      const at = entry.index - first.index;
      if (at < 0 || at > this.#entries.length) this.#entries = [];
      else this.#entries.length = at;
    }
    this.#entries.push(entry);
  }

  #dropThrough(index: number): void {
    const first = this.#entries[0];
    if (first !== undefined && first.index <= index) this.#entries.splice(0, index - first.index + 1);
  }

  finish(tornBytes: number): RecoveredLog {
    const [identity, base, hardState, entries] = [this.#identity, this.#base, this.#hardState, this.#entries];
    if (identity === undefined || base === undefined || hardState === undefined) {
      throw new LogCorruptError('The log has no checkpoint');
    }
    const first = entries[0];
    if (first !== undefined && first.index !== base.index + 1) {
      throw new LogCorruptError(`The log begins with entry ${first.index}, but entry ${base.index + 1} is needed`);
    }
    return { identity, base, hardState, entries, tornBytes };
  }
}
