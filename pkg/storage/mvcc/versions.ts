import { invariant, OrderedMap } from '../../base/index.js';
import { historyChangesMax } from '../limits.js';
import { ChangeLog } from './changelog.js';
import { Expiries } from './expiries.js';
import { ContentSum } from './hash.js';
import { type Row, type RowAt, rowBytes, rowKinds } from './row.js';

const chunkBits = 10;
const chunkSize = 1 << chunkBits;
const noChange = -1;
const nowhere: RowAt = { revision: 0, sequence: 0 };

/**
 * The newest version of each key of a thousand slots, one column for each field: 46 bytes per key in addition to the
 * key itself.
 */
interface Chunk {
  readonly keys: (string | undefined)[];
  readonly revision: Float64Array;
  readonly sequence: Uint16Array;
  /** 0: the newest version is a deletion. */
  readonly createRevision: Float64Array;
  readonly bytes: Float64Array;
  readonly crc: Uint32Array;
  /** Place of the newest version in the change log, or -1 if it has been swept. */
  readonly change: Float64Array;
}

/** An existing version: the place and the size of its row. */
export interface Version extends RowAt {
  readonly bytes: number;
}

/** The version that a change superseded, and the revision that created the key. */
export interface Recorded {
  readonly previous: RowAt;
  readonly createRevision: number;
}

/** The properties of a row that are needed to record it as the newest of its key. */
export type NewRow = Pick<Row, 'kind' | 'key' | 'createRevision' | 'expiresAt' | 'crc'>;

/** Called for each row that a step of the sweep drops. */
export type Drop = (at: RowAt, bytes: number) => void;

/**
 * Everything about the keyspace except its values, in memory: the keys, the revision of the last write of each, and the
 * version that each change of the kept history superseded. All lookups are synchronous, so a decision is still valid
 * when it is executed.
 *
 * A key keeps its slot while it exists and, once deleted, until the deletion is swept.
 */
export class Versions {
  readonly #slots = new OrderedMap<number>();
  readonly #chunks: Chunk[] = [];
  readonly #free: number[] = [];
  readonly #log = new ChangeLog();
  readonly #expiries = new Expiries();
  readonly #content = new ContentSum();
  /** Bytes of all rows, including older versions and deletions. */
  readonly #all = new ContentSum();
  #slotsMade = 0;
  /**
   * The last key that was looked up: a transaction compares and writes the same key, and each lookup takes 20
   * comparisons.
   */
  #lastKey = '';
  #lastSlot: number | undefined;

  /** Keys that exist or whose deletion is still kept. */
  get keys(): number {
    return this.#slots.size;
  }

  /** Changes kept. */
  get changes(): number {
    return this.#log.end - this.#log.first;
  }

  /** Hash over the newest version of every key that exists, as 16 hexadecimal digits. */
  get content(): string {
    return this.#content.toString();
  }

  /**
   * Hash over every row that a read at `compacted` or above can reach, as 16 hexadecimal digits. The same on every peer, however far each has
   * swept: rows that a sweep up to there would drop are subtracted. Empty when there are too many of those.
   */
  history(compacted: number, changesMax: number = historyChangesMax): string {
    const sum = new ContentSum(this.#all);
    for (let place = this.#log.first; place < this.#log.end; place++) {
      const change = this.#log.at(place);
      if (change.revision > compacted) break;
      if (place - this.#log.first >= changesMax) return '';
      if (change.previous.revision > 0) sum.remove(change.previous, change.previousCrc);
      if (change.kind === rowKinds.delete) sum.remove(change, change.crc);
    }
    return sum.toString();
  }

  /** Revision of the newest put of a key that exists, else 0. */
  modRevision(key: string): number {
    const slot = this.#slotOf(key);
    if (slot === undefined) return 0;
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    return chunk.createRevision[i] === 0 ? 0 : chunk.revision[i]!;
  }

  /** Returns the version that a change of `key` at `revision` would supersede. */
  before(key: string, revision: number): Recorded {
    const slot = this.#slotOf(key);
    const createRevision = slot === undefined ? 0 : this.#chunk(slot).createRevision[slot & (chunkSize - 1)]!;
    if (slot === undefined || createRevision === 0) return { previous: nowhere, createRevision: revision };
    return { previous: this.#newest(slot), createRevision };
  }

  /** Makes `at`, a row of `bytes`, the newest version of its key. It follows every version recorded before. */
  record(at: RowAt, { kind, key, createRevision, expiresAt, crc }: NewRow, bytes: number): void {
    const slot = this.#slotOf(key) ?? this.#add(key);
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    const previous = chunk.createRevision[i] === 0 ? nowhere : this.#newest(slot);
    chunk.change[i] = this.#log.push({
      slot,
      kind,
      revision: at.revision,
      sequence: at.sequence,
      crc,
      previous,
      previousBytes: previous === nowhere ? 0 : chunk.bytes[i]!,
      previousCrc: previous === nowhere ? 0 : chunk.crc[i]!,
      previousChange: chunk.change[i]!,
    });
    if (previous !== nowhere) this.#content.remove(previous, chunk.crc[i]!);
    if (kind === rowKinds.put) this.#content.add(at, crc);
    this.#all.add(at, crc);
    chunk.revision[i] = at.revision;
    chunk.sequence[i] = at.sequence;
    chunk.createRevision[i] = kind === rowKinds.put ? createRevision : 0;
    chunk.bytes[i] = bytes;
    chunk.crc[i] = crc;
    this.#expiries.set(slot, kind === rowKinds.put ? expiresAt : 0);
  }

  /** For loading: a put whose history was swept when the store was written. False if the key has a version. */
  load(at: RowAt, { key, createRevision, expiresAt, crc }: NewRow, bytes: number): boolean {
    if (this.#slotOf(key) !== undefined) return false;
    const slot = this.#add(key);
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    this.#content.add(at, crc);
    this.#all.add(at, crc);
    chunk.revision[i] = at.revision;
    chunk.sequence[i] = at.sequence;
    chunk.createRevision[i] = createRevision;
    chunk.bytes[i] = bytes;
    chunk.crc[i] = crc;
    this.#expiries.set(slot, expiresAt);
    return true;
  }

  /**
   * Visits the keys in [start, end) in order, each with its version at `revision` if it had one, until `visit` returns
   * false.
   */
  scan(
    start: string,
    end: string,
    revision: number,
    visit: (key: string, version: Version | undefined) => boolean,
  ): void {
    this.#slots.scan(start, end, (key, slot) => visit(key, this.#versionAt(slot, revision)));
  }

  /** Keys whose expiry is not above `now`, with the revision to compare with; at most `limit`. */
  expired(now: number, limit: number): { readonly key: string; readonly modRevision: number }[] {
    return this.#expiries.due(now, limit).map((slot) => {
      const chunk = this.#chunk(slot);
      const i = slot & (chunkSize - 1);
      return { key: chunk.keys[i]!, modRevision: chunk.revision[i]! };
    });
  }

  /** Whether a change up to `through` waits to be swept. */
  canSweep(through: number): boolean {
    return this.#log.first < this.#log.end && this.#log.revision(this.#log.first) <= through;
  }

  /**
   * Drops the versions that the oldest changes superseded, whole revisions at a time: at least one, then until
   * `rowsMax` rows were dropped or `through` is reached. Returns the revision up to which everything is swept.
   */
  sweep(through: number, rowsMax: number, drop: Drop): number {
    let dropped = 0;
    let swept = 0;
    while (this.canSweep(through)) {
      const change = this.#log.at(this.#log.first);
      if (change.revision !== swept && dropped >= rowsMax) return swept;
      swept = change.revision;
      if (change.previous.revision > 0) {
        drop(change.previous, change.previousBytes);
        this.#all.remove(change.previous, change.previousCrc);
        dropped++;
      }
      if (change.kind === rowKinds.delete) {
        dropped++;
        this.#sweepDeletion(change.slot, change, drop);
        this.#all.remove(change, change.crc);
      }
      this.#log.dropFirst();
    }
    return through;
  }

  /** A deletion that no read can reach needs no row, and no slot unless the key was created again. */
  #sweepDeletion(slot: number, at: RowAt, drop: Drop): void {
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    const key = chunk.keys[i]!;
    drop(at, rowBytes(key.length, 0));
    if (chunk.revision[i] !== at.revision) return;
    this.#slots.delete(key);
    if (key === this.#lastKey) this.#lastSlot = undefined;
    chunk.keys[i] = undefined;
    this.#free.push(slot);
  }

  /** Walks from the newest version back to the one that was newest at `revision`. */
  #versionAt(slot: number, revision: number): Version | undefined {
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    if (chunk.revision[i]! <= revision) {
      if (chunk.createRevision[i] === 0) return undefined;
      return { revision: chunk.revision[i]!, sequence: chunk.sequence[i]!, bytes: chunk.bytes[i]! };
    }
    // The newest change is above `revision`. Find the oldest change that still is: it superseded the wanted version.
    let place = chunk.change[i]!;
    invariant(place >= this.#log.first, 'a version above the swept revision is in the change log');
    for (;;) {
      const earlier = this.#log.previousChange(place);
      if (earlier < this.#log.first || this.#log.revision(earlier) <= revision) break;
      place = earlier;
    }
    const { previous, previousBytes } = this.#log.at(place);
    if (previous.revision === 0) return undefined;
    return { revision: previous.revision, sequence: previous.sequence, bytes: previousBytes };
  }

  #slotOf(key: string): number | undefined {
    if (key !== this.#lastKey) {
      this.#lastSlot = this.#slots.get(key);
      this.#lastKey = key;
    }
    return this.#lastSlot;
  }

  #newest(slot: number): RowAt {
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    return { revision: chunk.revision[i]!, sequence: chunk.sequence[i]! };
  }

  #add(key: string): number {
    let slot = this.#free.pop();
    if (slot === undefined) {
      slot = this.#slotsMade++;
      if (slot >> chunkBits === this.#chunks.length) {
        this.#chunks.push({
          keys: new Array<string | undefined>(chunkSize).fill(undefined),
          revision: new Float64Array(chunkSize),
          sequence: new Uint16Array(chunkSize),
          createRevision: new Float64Array(chunkSize),
          bytes: new Float64Array(chunkSize),
          crc: new Uint32Array(chunkSize),
          change: new Float64Array(chunkSize),
        });
      }
    }
    const chunk = this.#chunk(slot);
    const i = slot & (chunkSize - 1);
    chunk.keys[i] = key;
    chunk.revision[i] = 0;
    chunk.createRevision[i] = 0;
    chunk.change[i] = noChange;
    this.#slots.set(key, slot);
    this.#lastKey = key;
    this.#lastSlot = slot;
    return slot;
  }

  #chunk(slot: number): Chunk {
    return this.#chunks[slot >> chunkBits]!;
  }
}
