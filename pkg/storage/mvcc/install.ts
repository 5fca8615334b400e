import type { Revision } from '../../base/index.js';
import { crc32 } from '../checksum.js';
import type { Engine, EngineHome } from '../engine/engine.js';
import { StoreError } from '../errors.js';
import { batchBytesMax, batchOpsMax, snapshotBlockBytesMax } from '../limits.js';
import { Tally } from './hash.js';
import { emptyMeta, type Meta, metaKey, readMeta } from './meta.js';
import { readRow, readRowKey, rowBytes, rowKeyBytes } from './row.js';
import { blockOverhead, blockTypes, type Header, magic } from './snapshotformat.js';

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
