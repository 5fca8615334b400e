import { invariant, type Revision } from '../../base/index.js';
import { crc32 } from '../checksum.js';
import type { Engine, EngineHome, EnginePage, EngineScan } from '../engine/engine.js';
import { corrupt, StoreError } from '../errors.js';
import { batchBytesMax, batchOpsMax, snapshotBlockBytes, snapshotBlockBytesMax } from '../limits.js';
import { Tally } from './hash.js';
import { emptyMeta, type Meta, metaKey, readMeta, writeMeta } from './meta.js';
import { readRow, readRowKey, rowBytes, rowKeyBytes, rowRange, rowsEnd } from './row.js';

/**
 * A snapshot is the whole state at one applied index as a stream of bytes, for a peer that is too far behind and
 * for backups.
 *
 *     stream  = block*         one header, any number of rows, any number of times (rows and an update), one end
 *     block   = type(1) length(4) body crc32(4)      the checksum goes over type, length and body
 *     header  = 'H'  "trireme snapshot\n" meta row
 *     rows    = 'R'  (row key(11) length(4) row)*
 *     update  = 'U'  meta row: with the rows since the last one the state is now that of this meta row
 *     end     = 'E'  crc32 over the checksums of all blocks before (4)
 *
 * Like any byte stream, blocks may be split and joined in transit.
 *
 * Updates let a slowly sent snapshot end near the current state. A row is a change, and rows are in the order of changes, so changes
 * that were applied while the first rows were sent are further rows after the last one; then those applied while these were sent;
 * fewer each time. A worked example, with a meta row written as applied/swept:
 *
 *     H 1000/400, rows up to 1000      taken at 1000; meanwhile 200 more entries are applied
 *     rows 1001 to 1200, U 1200/400    meanwhile 10 more
 *     rows 1201 to 1210, U 1210/400, E
 *
 * Meanwhile the sender does not sweep rows above 1000. Rows below that it sweeps stay in the copy, so the copy records the swept
 * revision of the first rows: each peer sweeps independently.
 */
const magic = Buffer.from('trireme snapshot\n');
const blockTypes = { header: 0x48, rows: 0x52, update: 0x55, end: 0x45 } as const;
const blockOverhead = 9;

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

export interface InstallRequest {
  readonly home: EngineHome;
  /** In pieces of any size. The next one is requested after the last one is written. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Cancels between two pieces; the written data is removed. */
  readonly signal?: AbortSignal;
  /**
   * Called with the metadata of the snapshot before it replaces the current engine. If it throws, the snapshot is
   * removed.
   */
  check?(content: Meta): void;
  /** Bytes after which the written data is synced; all of it at the end if absent. */
  readonly syncEvery?: number;
}

export interface Installed {
  /** Now the home's current engine, synced. Open a state machine on it; close the old one, then call the home's `sweep`. */
  readonly engine: Engine;
  readonly index: Revision;
}

/**
 * Fills a fresh engine from a snapshot and replaces the current one atomically. Before that, any failure of this
 * process or of the stream leaves the old state unchanged. Rejects with a `StoreError`, `badSnapshot` when the bytes
 * are not a complete snapshot, or with the reason of `signal`.
 */
export async function installSnapshot(request: InstallRequest): Promise<Installed> {
  const { home, chunks } = request;
  const fresh = await home.fresh();
  try {
    const meta = await fill(fresh.engine, chunks, request);
    request.check?.(meta);
    await fresh.adopt();
    return { engine: fresh.engine, index: meta.applied as Revision };
  } catch (error) {
    await fresh.discard();
    throw error;
  }
}

/** Reads and checks a whole snapshot and returns its metadata. Rejects like `installSnapshot`. */
export async function inspectSnapshot(chunks: AsyncIterable<Buffer>): Promise<Meta> {
  return (await readSnapshot(chunks, undefined, async () => {})).meta;
}

async function fill(
  engine: Engine,
  chunks: AsyncIterable<Buffer>,
  { signal, syncEvery = Number.POSITIVE_INFINITY }: Pick<InstallRequest, 'signal' | 'syncEvery'>,
): Promise<Meta> {
  let batch = engine.batch();
  let unsynced = 0;
  const { meta, metaBytes } = await readSnapshot(chunks, signal, async (key, row) => {
    batch.put(key, row);
    if (batch.ops < batchOpsMax && batch.bytes < batchBytesMax) return;
    unsynced += batch.bytes;
    const sync = unsynced >= syncEvery;
    if (sync) unsynced = 0;
    await batch.write({ sync });
    batch = engine.batch();
  });
  // Written last and synced, which makes everything before it durable too.
  batch.put(metaKey, metaBytes);
  await batch.write({ sync: true });
  return meta;
}

interface Header {
  readonly meta: Meta;
  readonly metaBytes: Buffer;
}

/** Passes each row to `take` and awaits it, and checks that the snapshot is complete. */
async function readSnapshot(
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
  take: (key: Buffer, row: Buffer) => Promise<void>,
): Promise<Header> {
  const tally = new Tally(emptyMeta);
  let header: Header | undefined;
  let ended = false;
  let last: Buffer | undefined;
  let sum = 0;
  for await (const { type, body, crc } of blocksOf(chunks, signal)) {
    if (ended) throw bad('there is more after its end');
    if (header === undefined) {
      if (type !== blockTypes.header) throw bad('it does not begin as one');
      header = readHeader(body);
    } else if (type === blockTypes.rows) {
      last = await takeRows(body, last, tally, take);
    } else if (type === blockTypes.update) {
      header = readUpdate(body, header.meta);
    } else if (type === blockTypes.end && body.length === 4) {
      if (body.readUInt32BE(0) !== sum) throw bad('its parts do not belong together');
      ended = true;
    } else {
      throw bad(`it has a block of unknown type ${type}`);
    }
    sum = crc32(crc, sum);
  }
  if (header === undefined || !ended) throw bad('it is cut short');
  const { rows, bytes, tally: expected } = header.meta;
  if (tally.rows !== rows || tally.bytes !== bytes || tally.toString() !== expected) {
    throw bad(`it has ${tally.rows} rows of ${tally.bytes} bytes and should have ${rows} of ${bytes}`);
  }
  return header;
}

function readHeader(body: Buffer): Header {
  if (!body.subarray(0, magic.length).equals(magic)) throw bad('it does not begin as one');
  return readMetaRow(body.subarray(magic.length));
}

function readUpdate(body: Buffer, before: Meta): Header {
  const header = readMetaRow(body);
  const { applied, compacted, swept } = header.meta;
  if (applied < before.applied || compacted < before.compacted || swept !== before.swept) {
    throw bad(`it goes from ${before.applied} to ${applied}`);
  }
  return header;
}

function readMetaRow(metaBytes: Buffer): Header {
  const meta = readMeta(metaBytes);
  if (meta === 'newer') throw new StoreError('format', 'the snapshot was made by a newer version: use that version');
  if (meta === 'damaged') throw bad('its header fails its checksum');
  // The stream may reuse its buffer.
  return { meta, metaBytes: Buffer.from(metaBytes) };
}

/** Returns a copy of the last key. The first key of the next block must be above it. */
async function takeRows(
  body: Buffer,
  last: Buffer | undefined,
  tally: Tally,
  take: (key: Buffer, row: Buffer) => Promise<void>,
): Promise<Buffer | undefined> {
  let at = 0;
  while (at < body.length) {
    if (body.length - at < rowKeyBytes + 4) throw bad('a row is cut short');
    const key = body.subarray(at, at + rowKeyBytes);
    const start = at + rowKeyBytes + 4;
    const end = start + body.readUInt32BE(at + rowKeyBytes);
    const place = readRowKey(key);
    const bytes = body.subarray(start, end);
    const row = place === undefined || end > body.length ? undefined : readRow(place, bytes);
    if (place === undefined || row === undefined) throw bad('a row fails its checksum');
    if (last !== undefined && Buffer.compare(last, key) >= 0) throw bad('its rows are out of order');
    tally.add(place, rowBytes(row.key.length, row.value.length));
    await take(key, bytes);
    last = key;
    at = end;
  }
  return last && Buffer.from(last);
}

interface Block {
  readonly type: number;
  readonly body: Buffer;
  readonly crc: Buffer;
}

/** Splits the stream into blocks, whatever its pieces; holds one block and one piece at a time. */
async function* blocksOf(chunks: AsyncIterable<Buffer>, signal?: AbortSignal): AsyncGenerator<Block, void, void> {
  let parts: Buffer[] = [];
  let have = 0;
  let need = blockOverhead;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    parts.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      const length = all.readUInt32BE(1);
      if (length > snapshotBlockBytesMax) throw bad('a block claims to be larger than any may be');
      need = blockOverhead + length;
      parts = [all];
      if (have < need) break;
      const crc = all.subarray(need - 4, need);
      if (crc.readUInt32BE(0) !== crc32(all.subarray(0, need - 4), 0)) throw bad('a block fails its checksum');
      yield { type: all[0]!, body: all.subarray(5, need - 4), crc };
      parts = [all.subarray(need)];
      have -= need;
      need = blockOverhead;
    }
  }
  if (have > 0) throw bad('it is cut short');
}

function bad(why: string): StoreError {
  return new StoreError('badSnapshot', `the snapshot cannot be used (${why}): fetch or copy it again`);
}
