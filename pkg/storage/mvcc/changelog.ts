import type { RowAt, RowKind } from './row.js';

const chunkBits = 10;
const chunkSize = 1 << chunkBits;

/** One column for each field: 47 bytes per change, without an object for each. */
interface Chunk {
  readonly slot: Int32Array;
  readonly kind: Uint8Array;
  readonly revision: Float64Array;
  readonly sequence: Uint16Array;
  readonly crc: Uint32Array;
  readonly previousRevision: Float64Array;
  readonly previousSequence: Uint16Array;
  readonly previousBytes: Float64Array;
  readonly previousCrc: Uint32Array;
  readonly previousChange: Float64Array;
}

function newChunk(): Chunk {
  return {
    slot: new Int32Array(chunkSize),
    kind: new Uint8Array(chunkSize),
    revision: new Float64Array(chunkSize),
    sequence: new Uint16Array(chunkSize),
    crc: new Uint32Array(chunkSize),
    previousRevision: new Float64Array(chunkSize),
    previousSequence: new Uint16Array(chunkSize),
    previousBytes: new Float64Array(chunkSize),
    previousCrc: new Uint32Array(chunkSize),
    previousChange: new Float64Array(chunkSize),
  };
}

/** A change whose effect on the hash can still be subtracted: the row it wrote and the row it superseded. */
export interface LoggedChange {
  readonly slot: number;
  readonly kind: RowKind;
  readonly revision: number;
  readonly sequence: number;
  /** Checksum of the row that it wrote. */
  readonly crc: number;
  /** The version it superseded; revision 0: the key was absent. */
  readonly previous: RowAt;
  /** Bytes and checksum of that row. */
  readonly previousBytes: number;
  readonly previousCrc: number;
  /**
   * Place in the log of the previous change of the same key; -1: none since the log begins. It may have been dropped
   * meanwhile.
   */
  readonly previousChange: number;
}

/**
 * The changes above the swept revision, oldest first: a queue with random access. Places only increase and are never
 * reused. It has the information that reads at an older revision and compaction need, so that neither searches the
 * disk.
 */
export class ChangeLog {
  readonly #chunks: Chunk[] = [];
  /** Place of the first entry of the first chunk. */
  #base = 0;
  #first = 0;
  #end = 0;

  /** Place of the oldest change. */
  get first(): number {
    return this.#first;
  }

  /** Place that the next change will have. */
  get end(): number {
    return this.#end;
  }

  push(change: LoggedChange): number {
    const place = this.#end++;
    if ((place - this.#base) >> chunkBits === this.#chunks.length) this.#chunks.push(newChunk());
    const chunk = this.#chunkOf(place);
    const i = place & (chunkSize - 1);
    chunk.slot[i] = change.slot;
    chunk.kind[i] = change.kind;
    chunk.revision[i] = change.revision;
    chunk.sequence[i] = change.sequence;
    chunk.crc[i] = change.crc;
    chunk.previousRevision[i] = change.previous.revision;
    chunk.previousSequence[i] = change.previous.sequence;
    chunk.previousBytes[i] = change.previousBytes;
    chunk.previousCrc[i] = change.previousCrc;
    chunk.previousChange[i] = change.previousChange;
    return place;
  }

  revision(place: number): number {
    return this.#chunkOf(place).revision[place & (chunkSize - 1)]!;
  }

  previousChange(place: number): number {
    return this.#chunkOf(place).previousChange[place & (chunkSize - 1)]!;
  }

  /** `first <= place < end`. */
  at(place: number): LoggedChange {
    const chunk = this.#chunkOf(place);
    const i = place & (chunkSize - 1);
    return {
      slot: chunk.slot[i]!,
      kind: chunk.kind[i] as RowKind,
      revision: chunk.revision[i]!,
      sequence: chunk.sequence[i]!,
      crc: chunk.crc[i]!,
      previous: { revision: chunk.previousRevision[i]!, sequence: chunk.previousSequence[i]! },
      previousBytes: chunk.previousBytes[i]!,
      previousCrc: chunk.previousCrc[i]!,
      previousChange: chunk.previousChange[i]!,
    };
  }

  dropFirst(): void {
    this.#first++;
    if (this.#first - this.#base < chunkSize) return;
    this.#chunks.shift();
    this.#base += chunkSize;
  }

  #chunkOf(place: number): Chunk {
    // Chunks begin at multiples of their size, so the low bits of a place are its offset within the chunk.
    return this.#chunks[Math.floor((place - this.#base) / chunkSize)]!;
  }
}
