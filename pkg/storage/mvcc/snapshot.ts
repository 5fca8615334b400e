import { invariant, type Revision } from '../../base/index.js';
import { crc32 } from '../checksum.js';
import type { Engine, EngineHome } from '../engine/engine.js';
import { corrupt, StoreError } from '../errors.js';
import { batchBytesMax, batchOpsMax, snapshotBlockBytes, snapshotBlockBytesMax } from '../limits.js';
import { Tally } from './hash.js';
import { emptyMeta, type Meta, metaKey, readMeta } from './meta.js';
import { readRow, readRowKey, rowBytes, rowKeyBytes, rowsEnd } from './row.js';

/**
 * A snapshot is the whole state at one applied index as a stream of bytes, for a peer that is too far behind and
 * for backups.
 *
 *     stream  = block*         one header, any number of rows, one end
 *     block   = type(1) length(4) body crc32(4)      the checksum goes over type, length and body
 *     header  = 'H'  "trireme snapshot\n" meta row
 *     rows    = 'R'  (row key(11) length(4) row)*
 *     end     = 'E'  crc32 over the checksums of all blocks before (4)
 *
 * Blocks may be cut and joined on their way as any byte stream may.
 */
const magic = Buffer.from('trireme snapshot\n');
const blockTypes = { header: 0x48, rows: 0x52, end: 0x45 } as const;
const blockOverhead = 9;

export interface Snapshot {
  /** Index of the last entry it contains. */
  readonly index: Revision;
  /** The stream, in pieces of about 256 KiB (a larger value makes a larger piece). Once. Each piece is read when asked for. */
  chunks(): AsyncIterable<Buffer>;
  /** Lets go of the pinned state. Safe at any time, and twice. */
  close(): Promise<void>;
}

/** Pins the state as it is now. `release` is called when it is let go. */
export async function openSnapshot(engine: Engine, name: string, release: () => void): Promise<Snapshot> {
  // Key order puts the meta row first, so the scan itself says which state it has pinned.
  const scan = engine.scan({ gte: metaKey, lt: rowsEnd });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= scan.close().finally(release);
    return closing;
  };
  try {
    const first = await scan.next();
    const metaBytes = first?.keys[0]?.equals(metaKey) ? first.values[0]! : undefined;
    const meta = metaBytes === undefined ? 'damaged' : readMeta(metaBytes);
    if (first === undefined || metaBytes === undefined || typeof meta === 'string') {
      throw corrupt(name, 'it has no meta row');
    }
    let taken = false;
    return {
      index: meta.applied as Revision,
      chunks: () => {
        invariant(!taken, 'a snapshot is read once');
        taken = true;
        return stream();
      },
      close,
    };

    async function* stream(): AsyncGenerator<Buffer, void, void> {
      try {
        let sum = 0;
        const seal = (type: number, body: readonly Buffer[]): Buffer => {
          const block = sealBlock(type, body);
          sum = crc32(block.subarray(block.length - 4), sum);
          return block;
        };
        yield seal(blockTypes.header, [magic, metaBytes!]);
        let body: Buffer[] = [];
        let bytes = 0;
        let skip = 1;
        for (let page = first; page !== undefined; page = await scan.next()) {
          for (let i = skip; i < page.keys.length; i++) {
            const length = Buffer.allocUnsafe(4);
            length.writeUInt32BE(page.values[i]!.length);
            body.push(page.keys[i]!, length, page.values[i]!);
            bytes += rowKeyBytes + 4 + page.values[i]!.length;
            if (bytes < snapshotBlockBytes) continue;
            yield seal(blockTypes.rows, body);
            body = [];
            bytes = 0;
          }
          skip = 0;
        }
        if (body.length > 0) yield seal(blockTypes.rows, body);
        const end = Buffer.allocUnsafe(4);
        end.writeUInt32BE(sum);
        yield sealBlock(blockTypes.end, [end]);
      } finally {
        await close();
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
}

function sealBlock(type: number, body: readonly Buffer[]): Buffer {
  let length = 0;
  for (const part of body) length += part.length;
  const block = Buffer.allocUnsafeSlow(length + blockOverhead);
  block[0] = type;
  block.writeUInt32BE(length, 1);
  let at = 5;
  for (const part of body) at += part.copy(block, at);
  block.writeUInt32BE(crc32(block.subarray(0, at), 0), at);
  return block;
}

export interface InstallRequest {
  readonly home: EngineHome;
  /** In any pieces. The next one is asked for when the last one is written. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Gives up between two pieces; what was written is removed. */
  readonly signal?: AbortSignal;
}

export interface Installed {
  /** Now the home's current engine, synced. Open a state machine on it; close the old one, then call the home's `sweep`. */
  readonly engine: Engine;
  readonly index: Revision;
}

/**
 * Fills a fresh engine from a snapshot and puts it in the place of the current one, in one step: before that
 * step any failure, of this process or of the stream, leaves the old state as it was. Rejects with a
 * `StoreError`, `badSnapshot` where the bytes are not a whole snapshot, or with the reason of `signal`.
 */
export async function installSnapshot({ home, chunks, signal }: InstallRequest): Promise<Installed> {
  const fresh = await home.fresh();
  try {
    const meta = await fill(fresh.engine, chunks, signal);
    await fresh.adopt();
    return { engine: fresh.engine, index: meta.applied as Revision };
  } catch (error) {
    await fresh.discard();
    throw error;
  }
}

/** What a snapshot says of itself, having read and checked all of it. Rejects like `installSnapshot`. */
export async function inspectSnapshot(chunks: AsyncIterable<Buffer>): Promise<Meta> {
  return (await readSnapshot(chunks, undefined, async () => {})).meta;
}

async function fill(engine: Engine, chunks: AsyncIterable<Buffer>, signal: AbortSignal | undefined): Promise<Meta> {
  let batch = engine.batch();
  const { meta, metaBytes } = await readSnapshot(chunks, signal, async (key, row) => {
    batch.put(key, row);
    if (batch.ops < batchOpsMax && batch.bytes < batchBytesMax) return;
    await batch.write({ sync: false });
    batch = engine.batch();
  });
  // Last and synced: what was written before it is then safe too.
  batch.put(metaKey, metaBytes);
  await batch.write({ sync: true });
  return meta;
}

interface Header {
  readonly meta: Meta;
  readonly metaBytes: Buffer;
}

/** Hands each row to `take` as it comes, waiting for it, and checks that the whole is whole. */
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
  const metaBytes = body.subarray(magic.length);
  const meta = readMeta(metaBytes);
  if (meta === 'newer') throw new StoreError('format', 'the snapshot was made by a newer version: use that version');
  if (meta === 'damaged') throw bad('its header fails its checksum');
  return { meta, metaBytes };
}

/** Returns the last key, which the next block's first must be above. */
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
  return last;
}

interface Block {
  readonly type: number;
  readonly body: Buffer;
  readonly crc: Buffer;
}

/** Finds the blocks in the stream again, whatever pieces it comes in; holds one block and one piece at a time. */
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
