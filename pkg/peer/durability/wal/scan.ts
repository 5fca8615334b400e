import type { LogFile } from './disk.js';
import {
  FRAME_HEADER,
  frameExtent,
  frameIsWhole,
  isZero,
  type Preamble,
  readHeader,
  SECTOR,
  writeWasInterrupted,
} from './frame.js';

/** The result of reading one segment. */
export interface SegmentScan {
  /** Offset after the last whole frame. */
  readonly end: number;
  /** Offset of the last whole frame; `end` when there is none. */
  readonly lastFrame: number;
  /** The number that the next frame of the log must have. */
  readonly nextFrame: number;
  readonly rest: /** No byte after the last whole frame was ever written. */
    | { readonly kind: 'clean' }
    /**
     * A write was interrupted here. It was never acknowledged and is cut. Bytes from `end` to `dirtyEnd` may be
     * nonzero.
     */
    | { readonly kind: 'torn'; readonly dirtyEnd: number }
    /** Durable data has changed. */
    | { readonly kind: 'damaged'; readonly offset: number; readonly why: string };
}

const WINDOW = 1024 * 1024;

/**
 * Reads the frames of a segment in order, and classifies what follows the last complete one.
 *
 * Worked example. Frames 1, 2, 3 of one sector each; the machine lost power. Possible content:
 *
 *     1 2 3 0 0    all three complete, then zeros: clean
 *     1 2 x 0 0    x a frame with a zero sector or no end: the write of 3 was interrupted: torn, cut
 *     1 x 3 0 0    3 was written only after 2 was synced (frame.ts, invariant 1), so 2 was damaged later: refuse
 *     1 2 X 0 0    X fully written with a wrong checksum: no interrupted write looks like that: refuse
 */
export function scanSegment(file: LogFile, preamble: Preamble, visit: (body: Buffer) => void): SegmentScan {
  const window = new Window(file);
  let at = SECTOR;
  let lastFrame = SECTOR;
  let next = preamble.firstFrame;
  for (;;) {
    const header = readHeader(window.at(at, FRAME_HEADER), preamble.nonce);
    if (header === undefined || header.number !== next) break;
    const frame = window.at(at, frameExtent(header.bodyLength));
    if (!frameIsWhole(frame, header, preamble.nonce)) break;
    visit(frame.subarray(FRAME_HEADER, FRAME_HEADER + header.bodyLength));
    lastFrame = at;
    at += frame.length;
    next++;
  }
  return { end: at, lastFrame, nextFrame: next, rest: judgeRest(file, window, preamble, at, next) };
}

function judgeRest(
  file: LogFile,
  window: Window,
  { nonce }: Preamble,
  end: number,
  expected: number,
): SegmentScan['rest'] {
  let dirtyEnd = end;
  for (let at = end; at < file.size; at += SECTOR) {
    const sector = window.at(at, SECTOR);
    if (isZero(sector, 0, sector.length)) continue;
    const header = readHeader(sector, nonce);
    if (header !== undefined && header.number !== expected) {
      const why = `frame ${expected} is missing or damaged, but frame ${header.number} follows it at offset ${at}`;
      return { kind: 'damaged', offset: end, why };
    }
    dirtyEnd = at + SECTOR;
  }
  if (dirtyEnd === end) return { kind: 'clean' };

  const sector = window.at(end, SECTOR);
  const header = readHeader(sector, nonce);
  if (header !== undefined) {
    const frame = window.at(end, frameExtent(header.bodyLength));
    if (writeWasInterrupted(frame, header)) return { kind: 'torn', dirtyEnd };
    return { kind: 'damaged', offset: end, why: `frame ${expected} was written completely, but its checksum is wrong` };
  }
  // There is no header, but there are nonzero bytes. Either later sectors were written and the header's was not, or the
  // write ended inside the header.
  if (isZero(sector, 0, sector.length)) return { kind: 'torn', dirtyEnd };
  if (dirtyEnd === end + SECTOR && isZero(sector, FRAME_HEADER, sector.length)) return { kind: 'torn', dirtyEnd };
  return { kind: 'damaged', offset: end, why: `the header of frame ${expected} is damaged` };
}

/** A moving window over the file: a few large reads instead of many small ones. */
class Window {
  readonly #file: LogFile;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(file: LogFile) {
    this.#file = file;
  }

  /** Bytes [offset, offset + length), fewer at the end of the file. Valid until the next call. */
  at(offset: number, length: number): Buffer {
    const end = Math.min(offset + length, this.#file.size);
    if (offset < this.#start || end > this.#start + this.#bytes.length) {
      const bytes = this.#file.read(offset, Math.max(length, WINDOW));
      this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, Math.max(offset, end) - this.#start);
  }
}
