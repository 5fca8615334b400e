import type { HardState, SnapshotMeta, Write } from '../../../../raft/index.js';
import { invariant, type Random } from '../../../base/index.js';
import { WAL_LIMITS } from '../../common/index.js';
import type { LogFile } from './disk.js';
import { encodePreamble, FRAME_HEADER, frameExtent, SECTOR, sealFrame } from './frame.js';
import { type LogRecord, recordBytes, writeEntry, writeRecord } from './records.js';
import { type RecoveredLog, recover, type Segment, segmentName } from './recover.js';
import { type SegmentWish, Spare, type SpareWorld } from './spare.js';

export interface LogWorld extends SpareWorld {
  readonly random: Random;
  /** Called after each sync with its duration. */
  readonly clock: { monotonic(): number };
  readonly synced?: (milliseconds: number, bytes: number) => void;
  /** Sizes of segments: `WAL_LIMITS`, or smaller in tests. */
  readonly segments?: SegmentSizes;
}

export interface SegmentSizes {
  readonly firstSegmentBytes: number;
  readonly segmentBytesMax: number;
}

/** The owner of the log, and where it begins. */
export interface LogOrigin {
  readonly identity: Uint8Array;
  readonly base: SnapshotMeta;
  readonly hardState: HardState;
}

interface Waiting {
  readonly write: Write | undefined;
  readonly cut: SnapshotMeta | undefined;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The write-ahead log: one writer, one frame in flight. Writes that arrive while a frame is being written wait and form
 * the next frame, so batches grow with the load. After the first failed write or sync the log fails permanently: the
 * data of a failed sync is unknown, and a later successful sync proves nothing about it.
 */
export class WriteAheadLog {
  readonly #world: LogWorld;
  readonly #spare: Spare;
  readonly #segments: Segment[];
  #file: LogFile;
  #nonce: number;
  #end: number;
  #nextFrame: number;
  readonly #identity: Uint8Array;
  #base: SnapshotMeta;
  #hardState: HardState;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #closed = false;
  /** Reused for each frame. No frame of usual size is larger than a segment. */
  readonly #buffer: Buffer;

  private constructor(world: LogWorld, start: Start) {
    this.#world = world;
    const { segmentBytesMax } = world.segments ?? WAL_LIMITS;
    this.#buffer = Buffer.allocUnsafe(Math.min(WAL_LIMITS.frameBufferBytes, segmentBytesMax));
    this.#spare = new Spare(world);
    this.#segments = start.segments;
    this.#file = start.file;
    this.#nonce = start.nonce;
    this.#end = start.end;
    this.#nextFrame = start.nextFrame;
    this.#identity = start.origin.identity;
    this.#base = start.origin.base;
    this.#hardState = start.origin.hardState;
  }

  /** Creates a log where there is none (`hasLog` is false). It is durable when the call resolves. */
  static async create(world: LogWorld, origin: LogOrigin): Promise<WriteAheadLog> {
    const spare = new Spare(world);
    const checkpoint = checkpointRecords(origin);
    const file = await spare.take(segmentWish(world, 1, checkpoint));
    const start = await beginSegment(world, file, { sequence: 1, firstFrame: 1, checkpoint });
    return new WriteAheadLog(world, {
      ...start,
      segments: [{ sequence: 1, lastIndex: 0, bytes: file.size }],
      nextFrame: 2,
      origin,
    });
  }

  /** Opens the log and cuts off an interrupted last write. Rejects with `LogCorruptError` on any other damage. */
  static async open(world: LogWorld): Promise<{ readonly log: WriteAheadLog; readonly recovered: RecoveredLog }> {
    const { log: recovered, file, preamble, segments, end, lastFrame, nextFrame, dirtyEnd } = recover(world.disk);
    // From now on the last frame counts as durable. It may be in the page cache only: the process was killed before the
    // sync, or the sync failed, after which the kernel marks the pages as clean and another sync does nothing. So it is
    // written again. Earlier frames were synced before the next one was written.
    const tail = Buffer.alloc(dirtyEnd - lastFrame);
    tail.set(file.read(lastFrame, end - lastFrame));
    await file.write(tail, lastFrame);
    await file.sync();
    await world.disk.syncDirectory();
    const start = { segments, file, nonce: preamble.nonce, end, nextFrame, origin: recovered };
    return { log: new WriteAheadLog(world, start), recovered };
  }

  /**
   * Reports whether there is space for another segment when this one is full. If not, accept only operations that free
   * space.
   */
  get hasRoom(): boolean {
    return !this.#spare.outOfSpace;
  }

  /** Why the log has failed, if it has. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Bytes of all segments, used or not. */
  get sizeBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** Resolves when the write and every earlier one is durable. Rejects when the log has failed or is closed. */
  append(write: Write): Promise<void> {
    let bytes = HARD_STATE_BYTES;
    for (const entry of write.entries) bytes += ENTRY_HEADER_BYTES + entry.data.length;
    if (write.snapshot !== undefined) bytes += recordBytes({ kind: 'base', mode: 'restore', base: write.snapshot });
    return this.#enqueue(write, undefined, bytes);
  }

  /**
   * Moves the base up to `base`: drops the entries up to it, and removes or reuses segments without newer ones. The
   * state at `base` must be durable before.
   */
  cut(base: SnapshotMeta): Promise<void> {
    return this.#enqueue(undefined, base, recordBytes({ kind: 'base', mode: 'cut', base }));
  }

  /** Writes what is queued, then closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#spare.close();
    await this.#running;
    await this.#spare.settled();
    this.#file.close();
  }

  #enqueue(write: Write | undefined, cut: SnapshotMeta | undefined, bytes: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#closed) return Promise.reject(new Error('the log is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, cut, bytes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    // Further writes of this turn of the event loop join the first frame.
    await null;
    try {
      while (this.#queue.length > 0) await this.#writeFrame(this.#takeBatch());
    } catch (error) {
      this.#die(error instanceof Error ? error : new Error(String(error)));
    }
    this.#running = undefined;
  }

  #takeBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const waiting of this.#queue) {
      if (count > 0 && bytes + waiting.bytes > WAL_LIMITS.frameBytesTarget) break;
      bytes += waiting.bytes;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #writeFrame(batch: readonly Waiting[]): Promise<void> {
    let bodyBytes = 0;
    for (const waiting of batch) bodyBytes += waiting.bytes;
    try {
      if (this.#end + frameExtent(bodyBytes) > this.#file.size) await this.#rotate(bodyBytes);
      const frame = this.#encode(batch, bodyBytes);
      const started = this.#world.clock.monotonic();
      await this.#file.writeDurably(frame, this.#end);
      this.#world.synced?.(this.#world.clock.monotonic() - started, frame.length);
      this.#end += frame.length;
      this.#nextFrame++;
    } catch (error) {
      this.#die(error instanceof Error ? error : new Error(String(error)), batch);
      return;
    }
    for (const waiting of batch) waiting.resolve();
    if (batch.some((waiting) => waiting.cut !== undefined || waiting.write?.snapshot !== undefined)) this.#release();
    if (this.#end >= this.#file.size * WAL_LIMITS.prepareAtShare)
      this.#spare.prepare(segmentWish(this.#world, this.#nextSequence()));
  }

  #encode(batch: readonly Waiting[], bodyBytes: number): Buffer {
    const extent = frameExtent(bodyBytes);
    const frame = extent <= this.#buffer.length ? this.#buffer.subarray(0, extent) : Buffer.allocUnsafe(extent);
    const segment = this.#segments.at(-1)!;
    let at = FRAME_HEADER;
    for (const { write, cut } of batch) {
      if (cut !== undefined) {
        this.#base = cut;
        at = writeRecord(frame, at, { kind: 'base', mode: 'cut', base: cut });
      }
      if (write === undefined) continue;
      if (write.snapshot !== undefined) {
        this.#base = write.snapshot;
        // No earlier entry is needed again, in any segment.
        for (const older of this.#segments) older.lastIndex = 0;
        at = writeRecord(frame, at, { kind: 'base', mode: 'restore', base: write.snapshot });
      }
      this.#hardState = write.hardState;
      at = writeRecord(frame, at, { kind: 'hardState', hardState: write.hardState });
      for (const entry of write.entries) at = writeEntry(frame, at, entry);
      segment.lastIndex = Math.max(segment.lastIndex, write.entries.at(-1)?.index ?? 0);
    }
    invariant(at === FRAME_HEADER + bodyBytes, 'a frame must be as long as it was measured');
    sealFrame(frame, bodyBytes, this.#nextFrame, this.#nonce);
    return frame;
  }

  #nextSequence(): number {
    return this.#segments.at(-1)!.sequence + 1;
  }

  /** Continues in a new segment. It begins with a checkpoint, so that all older ones can be removed later. */
  async #rotate(bodyBytes: number): Promise<void> {
    const sequence = this.#nextSequence();
    const checkpoint = checkpointRecords({ identity: this.#identity, base: this.#base, hardState: this.#hardState });
    const file = await this.#spare.take(segmentWish(this.#world, sequence, checkpoint, bodyBytes));
    const start = await beginSegment(this.#world, file, { sequence, firstFrame: this.#nextFrame, checkpoint });
    this.#file.close();
    this.#file = start.file;
    this.#nonce = start.nonce;
    this.#end = start.end;
    this.#nextFrame++;
    this.#segments.push({ sequence, lastIndex: 0, bytes: file.size });
  }

  /** Removes the oldest segments while all of their entries are at or below the base. */
  #release(): void {
    while (this.#segments.length > 1 && this.#segments[0]!.lastIndex <= this.#base.index) {
      const segment = this.#segments.shift()!;
      this.#spare.recycle(segmentName(segment.sequence));
    }
  }

  #die(error: Error, batch: readonly Waiting[] = []): void {
    this.#failure ??= error;
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const { reject } of waiting) reject(this.#failure);
  }
}

interface Start {
  readonly file: LogFile;
  readonly nonce: number;
  readonly end: number;
  readonly segments: Segment[];
  readonly nextFrame: number;
  readonly origin: LogOrigin;
}

const HARD_STATE_BYTES = recordBytes({ kind: 'hardState', hardState: { term: 0, vote: 0, commit: 0 } as HardState });
const ENTRY_HEADER_BYTES = 22;

function checkpointRecords({ identity, base, hardState }: LogOrigin): readonly LogRecord[] {
  return [
    { kind: 'identity', identity },
    { kind: 'base', mode: 'cut', base },
    { kind: 'hardState', hardState },
  ];
}

const bodyOf = (records: readonly LogRecord[]): number => records.reduce((sum, record) => sum + recordBytes(record), 0);

function nominalBytes({ segments = WAL_LIMITS }: LogWorld, sequence: number): number {
  return Math.min(segments.segmentBytesMax, segments.firstSegmentBytes * 2 ** Math.min(sequence - 1, 16));
}

/** The size of a segment with space for its checkpoint and a first frame with a body of `bodyBytes`. */
function segmentWish(
  world: LogWorld,
  sequence: number,
  checkpoint: readonly LogRecord[] = [],
  bodyBytes = 0,
): SegmentWish {
  const { firstSegmentBytes } = world.segments ?? WAL_LIMITS;
  const needed = SECTOR + frameExtent(bodyOf(checkpoint)) + frameExtent(bodyBytes);
  const bytesMin = Math.max(needed, Math.min(firstSegmentBytes, nominalBytes(world, sequence)));
  return { bytes: Math.max(nominalBytes(world, sequence), needed), bytesMin };
}

/** Turns a zeroed spare file into a segment: preamble and checkpoint are durable before it gets its name. */
async function beginSegment(
  world: LogWorld,
  file: LogFile,
  { sequence, firstFrame, checkpoint }: { sequence: number; firstFrame: number; checkpoint: readonly LogRecord[] },
): Promise<{ readonly file: LogFile; readonly nonce: number; readonly end: number }> {
  const nonce = Buffer.from(world.random.bytes(4)).readUInt32LE(0);
  const bodyBytes = bodyOf(checkpoint);
  const head = Buffer.alloc(SECTOR + frameExtent(bodyBytes));
  head.set(encodePreamble({ sequence, nonce, firstFrame }));
  const frame = head.subarray(SECTOR);
  let at = FRAME_HEADER;
  for (const record of checkpoint) at = writeRecord(frame, at, record);
  sealFrame(frame, bodyBytes, firstFrame, nonce);
  await file.write(head, 0);
  await file.sync();
  world.disk.rename(Spare.NAME, segmentName(sequence));
  await world.disk.syncDirectory();
  return { file, nonce, end: head.length };
}
