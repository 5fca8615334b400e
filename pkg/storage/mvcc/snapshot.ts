import { invariant, type Revision } from '../../base/index.js';
import { crc32 } from '../checksum.js';
import type { Engine, EnginePage, EngineScan } from '../engine/engine.js';
import { corrupt, StoreError } from '../errors.js';
import { snapshotBlockBytes } from '../limits.js';
import { Tally } from './hash.js';
import { type Meta, metaKey, readMeta, writeMeta } from './meta.js';
import { readRow, readRowKey, rowBytes, rowKeyBytes, rowRange, rowsEnd } from './row.js';
import { blockOverhead, blockTypes, type Header, magic } from './snapshotformat.js';

export interface Snapshot {
  /** Index of the last entry in it, known when `chunks` was read to its end. */
  readonly index: Revision;
  /**
   * The stream, in pieces of about 256 KiB (a larger value makes a larger piece). May be read once. Each piece is read on demand and valid until
   * the next one: all share one buffer, because memory outside of the heap makes V8 collect garbage, which would delay other work of this
   * thread. `again` is called each time all rows up to `index` have been read, with the index that is applied by then; true continues up to
   * there. Only for a snapshot that was opened to follow.
   */
  chunks(again?: (next: Revision) => boolean): AsyncIterable<Buffer>;
  /** Releases the pinned state. May be called at any time, and twice. */
  close(): Promise<void>;
}

export interface SnapshotSource {
  readonly engine: Engine;
  readonly name: string;
  /** Returns the meta row of the last written batch. */
  latest(): Meta;
  /** Called once when the state is pinned at its index; returns a function that is called at the release. */
  hold(index: number): () => void;
}

/** Pins the state as it is now. */
export async function openSnapshot(source: SnapshotSource): Promise<Snapshot> {
  const { engine, name, latest, hold } = source;
  const release = hold(latest().applied);
  // Key order puts the meta row first, so the scan itself says which state it has pinned.
  const scan = engine.scan({ gte: metaKey, lt: rowsEnd });
  try {
    const first = await scan.next();
    const metaBytes = first?.keys[0]?.equals(metaKey) ? first.values[0]! : undefined;
    const meta = metaBytes === undefined ? 'damaged' : readMeta(metaBytes);
    if (first === undefined || metaBytes === undefined || typeof meta === 'string') {
      throw corrupt(name, 'it has no meta row');
    }
    return new PinnedState(source, release, scan, { meta, metaBytes, page: withoutFirst(first) });
  } catch (error) {
    await scan.close().finally(release);
    throw error;
  }
}

/** The first page of a scan: the meta row, and the rows after it. */
type First = Header & { readonly page: EnginePage };

/** A snapshot as its sender has it: what is pinned in the engine, read once. */
class PinnedState implements Snapshot {
  readonly #source: SnapshotSource;
  readonly #release: () => void;
  readonly #first: First;
  /** The rows being read: at first those of the pinned state, then those of each update. */
  #scan: EngineScan;
  #index: Revision;
  #taken = false;
  #closing: Promise<void> | undefined;

  constructor(source: SnapshotSource, release: () => void, scan: EngineScan, first: First) {
    this.#source = source;
    this.#release = release;
    this.#scan = scan;
    this.#first = first;
    this.#index = first.meta.applied as Revision;
  }

  get index(): Revision {
    return this.#index;
  }

  chunks(again: (next: Revision) => boolean = () => false): AsyncIterable<Buffer> {
    invariant(!this.#taken, 'a snapshot is read once');
    this.#taken = true;
    return this.#stream(again);
  }

  close(): Promise<void> {
    this.#closing ??= this.#scan.close().finally(this.#release);
    return this.#closing;
  }

  async *#stream(again: (next: Revision) => boolean): AsyncGenerator<Buffer, void, void> {
    const { latest } = this.#source;
    const { meta, metaBytes, page } = this.#first;
    const sealer = new Sealer();
    try {
      yield sealer.seal(blockTypes.header, [magic, metaBytes]);
      yield* this.#rows(sealer, page);
      const tally = new Tally(meta);
      for (let next = latest(); again(next.applied as Revision); next = latest()) {
        yield* this.#update(sealer, next, tally);
      }
      yield sealer.end();
    } finally {
      await this.close();
    }
  }

  /** The rows after the last one, up to those of `next`, and the meta row that counts them. */
  async *#update(sealer: Sealer, next: Meta, tally: Tally): AsyncGenerator<Buffer, void, void> {
    const { engine, name } = this.#source;
    invariant(next.applied >= this.#index, `a snapshot of ${this.#index} cannot go back to ${next.applied}`);
    await this.#scan.close();
    if (this.#closing !== undefined) throw new StoreError('closed', `the snapshot of ${name} is closed`);
    this.#scan = engine.scan(rowRange(this.#index, next.applied));
    yield* this.#rows(sealer, await this.#scan.next(), tally);
    const { swept } = this.#first.meta;
    const { rows, bytes } = tally;
    yield sealer.seal(blockTypes.update, [writeMeta({ ...next, swept, rows, bytes, tally: tally.toString() })]);
    this.#index = next.applied as Revision;
  }

  /** The rows of the scan from `page` on, each added to `tally`. */
  async *#rows(sealer: Sealer, page: EnginePage | undefined, tally?: Tally): AsyncGenerator<Buffer, void, void> {
    let body: Buffer[] = [];
    let bytes = 0;
    for (let next = page; next !== undefined; next = await this.#scan.next()) {
      for (const [i, key] of next.keys.entries()) {
        const value = next.values[i]!;
        if (tally !== undefined) count(this.#source.name, tally, key, value);
        const length = Buffer.allocUnsafe(4);
        length.writeUInt32BE(value.length);
        body.push(key, length, value);
        bytes += rowKeyBytes + 4 + value.length;
        if (bytes < snapshotBlockBytes) continue;
        yield sealer.seal(blockTypes.rows, body);
        body = [];
        bytes = 0;
      }
    }
    if (body.length > 0) yield sealer.seal(blockTypes.rows, body);
  }
}

const withoutFirst = ({ keys, values }: EnginePage): EnginePage => ({ keys: keys.slice(1), values: values.slice(1) });

function count(name: string, tally: Tally, key: Buffer, value: Buffer): void {
  const at = readRowKey(key);
  const row = at === undefined ? undefined : readRow(at, value);
  if (at === undefined || row === undefined) throw corrupt(name, `row ${key.toString('hex')} fails its checksum`);
  tally.add(at, rowBytes(row.key.length, row.value.length));
}

/** Builds blocks one after another in the same buffer, and the end block that covers all of them. */
class Sealer {
  #sum = 0;
  #space = Buffer.allocUnsafeSlow(snapshotBlockBytes + (64 << 10));

  seal(type: number, body: readonly Buffer[]): Buffer {
    const block = this.#block(type, body);
    this.#sum = crc32(block.subarray(block.length - 4), this.#sum);
    return block;
  }

  end(): Buffer {
    const end = Buffer.allocUnsafe(4);
    end.writeUInt32BE(this.#sum);
    return this.#block(blockTypes.end, [end]);
  }

  #block(type: number, body: readonly Buffer[]): Buffer {
    let length = blockOverhead;
    for (const part of body) length += part.length;
    if (length > this.#space.length) this.#space = Buffer.allocUnsafeSlow(length);
    const block = this.#space.subarray(0, length);
    block[0] = type;
    block.writeUInt32BE(length - blockOverhead, 1);
    let at = 5;
    for (const part of body) at += part.copy(block, at);
    block.writeUInt32BE(crc32(block.subarray(0, at), 0), at);
    return block;
  }
}
