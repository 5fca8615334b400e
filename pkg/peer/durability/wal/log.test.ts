import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Entry,
  type HardState,
  initialConfiguration,
  type SnapshotMeta,
  toPeerId,
  type Write,
} from '../../../../raft/index.js';
import { crc32c } from './crc32c.js';
import { SECTOR } from './frame.js';
import { type LogWorld, WriteAheadLog } from './log.js';
import { hasLog, LogCorruptError, type RecoveredLog } from './recover.js';
import { type SectorFate, SimulatedDisk } from './simdisk.js';

const config = initialConfiguration([toPeerId(1)]);
const origin = {
  identity: Buffer.from('peer one'),
  base: { index: 0, term: 0, config } as SnapshotMeta,
  hardState: { term: 0, vote: 0, commit: 0 } as HardState,
};

function timers(later: (f: () => void) => void): LogWorld['timers'] {
  const after = (_ms: number, f: () => void): (() => void) => {
    later(f);
    return () => {};
  };
  return { after, every: () => () => {}, immediate: setImmediate };
}

function world(disk: SimulatedDisk): LogWorld {
  let draws = 0;
  return {
    disk,
    clock: { monotonic: () => 0 },
    timers: timers(queueMicrotask),
    random: { float: () => 0.5, uuid: () => '', bytes: (n) => Buffer.alloc(n, ++draws) },
    segments: { firstSegmentBytes: 8 * SECTOR, segmentBytesMax: 32 * SECTOR },
  };
}

let numbers = 0;
function write(entries: readonly Entry[], hardState = { term: 1, vote: 1, commit: 0 }, snapshot?: SnapshotMeta): Write {
  return { number: ++numbers, hardState: hardState as HardState, snapshot, entries };
}

const entry = (index: number, term = 1, bytes = 20): Entry =>
  ({ index, term, kind: 'normal', data: Buffer.alloc(bytes, (index % 255) + 1) }) as unknown as Entry;

const shape = (log: RecoveredLog) => log.entries.map((e) => [e.index, e.term, e.data.length]);

describe('crc32c', () => {
  it('gives the check value of RFC 3720 and continues from a seed', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    const text = Buffer.from('the quick brown fox jumps over the lazy dog');
    expect(crc32c(text.subarray(7), crc32c(text.subarray(0, 7)))).toBe(crc32c(text));
  });
});

describe('the write-ahead log', () => {
  it('returns what was written, across segments and restarts', async () => {
    const disk = new SimulatedDisk();
    let log = await WriteAheadLog.create(world(disk), origin);
    for (let i = 1; i <= 40; i++) {
      await log.append(write([entry(i, 1, 300)], { term: 1, vote: 1, commit: i - 1 }));
      if (i % 15 !== 0) continue;
      await log.close();
      ({ log } = await WriteAheadLog.open(world(disk)));
    }
    await log.close();
    const { recovered } = await WriteAheadLog.open(world(disk));
    expect(disk.list().filter((name) => name.endsWith('.wal')).length).toBeGreaterThan(2);
    expect(recovered.entries.map((e) => e.index)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(recovered.entries[7]!.data).toEqual(entry(8, 1, 300).data);
    expect(recovered.hardState).toEqual({ term: 1, vote: 1, commit: 39 });
    expect(Buffer.from(recovered.identity).toString()).toBe('peer one');
    expect(recovered.tornBytes).toBe(0);
  });

  it('joins waiting writes into one frame with one sync', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    let syncs = 0;
    disk.onSync = (name) => {
      if (name.endsWith('.wal')) syncs++;
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => log.append(write([entry(i + 1)]))));
    expect(syncs).toBe(1);
    await log.close();
  });

  it('lets later entries replace a conflicting suffix (paper 5.3)', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    await log.append(write([entry(1), entry(2), entry(3)]));
    await log.append(write([entry(2, 2)], { term: 2, vote: 2, commit: 1 }));
    await log.close();
    const { recovered } = await WriteAheadLog.open(world(disk));
    expect(shape(recovered)).toEqual([
      [1, 1, 20],
      [2, 2, 20],
    ]);
  });

  it('removes segments below the base, reuses one, and starts from the rest', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    for (let i = 1; i <= 60; i++) await log.append(write([entry(i, 1, 600)]));
    const before = disk.list().length;
    await log.cut({ index: 50, term: 1, config } as SnapshotMeta);
    expect(disk.list().length).toBeLessThan(before);
    for (let i = 61; i <= 90; i++) await log.append(write([entry(i, 1, 600)]));
    await log.close();
    const { recovered } = await WriteAheadLog.open(world(disk));
    expect(recovered.base).toEqual({ index: 50, term: 1, config });
    expect(recovered.entries.map((e) => e.index)).toEqual(Array.from({ length: 40 }, (_, i) => i + 51));
  });

  it('begins again above an installed snapshot', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    for (let i = 1; i <= 30; i++) await log.append(write([entry(i, 1, 600)]));
    const snapshot = { index: 1000, term: 7, config } as SnapshotMeta;
    await log.append(write([], { term: 7, vote: 0, commit: 1000 }, snapshot));
    await log.append(write([entry(1001, 7)], { term: 7, vote: 0, commit: 1000 }));
    await log.close();
    const { recovered } = await WriteAheadLog.open(world(disk));
    expect(recovered.base).toEqual(snapshot);
    expect(shape(recovered)).toEqual([[1001, 7, 20]]);
    expect(disk.list().filter((name) => name.endsWith('.wal')).length).toBe(1);
  });

  it('accepts a write that is larger than any segment', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    await log.append(write([entry(1, 1, 100 * SECTOR)]));
    await log.append(write([entry(2)]));
    await log.close();
    const { recovered } = await WriteAheadLog.open(world(disk));
    expect(shape(recovered)).toEqual([
      [1, 1, 100 * SECTOR],
      [2, 1, 20],
    ]);
  });
});

/** A log with `synced` acknowledged writes and one whose sync the power cut overtook. */
async function interrupted(synced: number, lastWrite: Write): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const roomy = { ...world(disk), segments: { firstSegmentBytes: 64 * SECTOR, segmentBytesMax: 64 * SECTOR } };
  const log = await WriteAheadLog.create(roomy, origin);
  for (let i = 1; i <= synced; i++) await log.append(write([entry(i)]));
  disk.onSync = () => new Promise(() => {});
  void log.append(lastWrite);
  await new Promise((resolve) => setImmediate(resolve));
  return disk;
}

describe('after a failed sync and a restart of the process', () => {
  it('what is read back is on the disk before it counts as durable', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    for (let i = 1; i <= 3; i++) await log.append(write([entry(i)]));
    disk.onSync = () => {
      throw new Error('EIO: the disk failed');
    };
    await expect(log.append(write([entry(4)]))).rejects.toThrow('EIO');
    await log.close();
    disk.onSync = () => {};
    const { log: again, recovered } = await WriteAheadLog.open(world(disk));
    expect(recovered.entries.length).toBe(4);
    await again.close();
    const after = await WriteAheadLog.open(world(disk.crash(() => 'lost')));
    expect(after.recovered.entries.length).toBe(4);
  });
});

describe('after a crash', () => {
  it('an interrupted write is cut or complete, wherever it stopped', async () => {
    const last = write([entry(4, 1, 400), entry(5, 1, 900)]);
    const whole = await interrupted(3, last);
    const name = whole.list().find((n) => n.endsWith('.wal'))!;
    const full = Buffer.from(whole.bytes(name));
    const synced = whole.crash(() => 'lost').bytes(name);
    const start = full.findIndex((byte, at) => byte !== synced[at]!);
    const first = start - (start % SECTOR);
    for (let end = first; end <= first + 3 * SECTOR; end++) {
      const disk = whole.crash(() => 'lost');
      full.copy(disk.bytes(name), first, first, end);
      const { log, recovered } = await WriteAheadLog.open(world(disk));
      expect(recovered.entries.length).toBe(end === first + 3 * SECTOR ? 5 : 3);
      await log.append(write([entry(recovered.entries.length + 1)]));
      await log.close();
      const again = await WriteAheadLog.open(world(disk));
      expect(again.recovered.entries.length).toBe(recovered.entries.length + 1);
    }
  });

  it('recovers a prefix with everything acknowledged, whatever sectors survive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            entries: fc.integer({ min: 0, max: 4 }),
            bytes: fc.integer({ min: 0, max: 1500 }),
            back: fc.integer({ min: 0, max: 2 }),
          }),
          {
            minLength: 1,
            maxLength: 25,
          },
        ),
        fc.integer({ min: 1, max: 60 }),
        fc.infiniteStream(fc.boolean()),
        async (plan, syncsUntilCut, coins) => {
          const disk = new SimulatedDisk();
          let syncs = 0;
          disk.onSync = () => (++syncs > syncsUntilCut ? new Promise<void>(() => {}) : undefined);
          // states[n] is the log after n writes; acknowledged counts the writes whose promise resolved.
          const states: Entry[][] = [[]];
          let acknowledged = 0;
          let created = false;
          void (async () => {
            const log = await WriteAheadLog.create(world(disk), origin);
            created = true;
            for (const [n, step] of plan.entries()) {
              const before = states.at(-1)!;
              const kept = before.slice(0, Math.max(0, before.length - step.back));
              const added = Array.from({ length: step.entries }, (_, i) =>
                entry(kept.length + i + 1, n + 1, step.bytes),
              );
              states.push(step.entries === 0 ? before : [...kept, ...added]);
              const done = log.append(write(added, { term: n + 1, vote: 1, commit: 0 })).then(() => {
                acknowledged++;
              });
              if (step.bytes % 3 !== 0) await done;
            }
          })();
          await new Promise((resolve) => setTimeout(resolve, 0));
          for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
          const fate: SectorFate = () => (coins.next().value ? 'written' : 'lost');
          const after = disk.crash(fate);
          if (!hasLog(after)) {
            expect(created).toBe(false);
            return;
          }
          const { recovered } = await WriteAheadLog.open(world(after));
          const candidates = states
            .slice(acknowledged)
            .map((state) => state.map((e) => [e.index, e.term, e.data.length]));
          expect(candidates).toContainEqual(shape(recovered));
          expect(recovered.hardState.term).toBeGreaterThanOrEqual(acknowledged);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is complete although a segment was being wiped for reuse and the power cut undid its rename', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    const found: { readonly disk: SimulatedDisk; readonly acknowledged: number }[] = [];
    let acknowledged = 0;
    disk.onSync = (name) => {
      if (name === 'spare.tmp') found.push({ disk: disk.crash(() => 'written'), acknowledged });
    };
    for (let i = 1; i <= 120; i++) {
      await log.append(write([entry(i, 1, 600)]));
      acknowledged = i;
      if (i % 10 === 0) await log.cut({ index: i - 5, term: 1, config } as SnapshotMeta);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await log.close();
    expect(found.length).toBeGreaterThan(10);
    for (const { disk: after, acknowledged: last } of found.slice(1)) {
      const { log: again, recovered } = await WriteAheadLog.open(world(after));
      expect(recovered.entries.at(-1)?.index ?? recovered.base.index).toBeGreaterThanOrEqual(last);
      await again.close();
    }
  });

  it('refuses a log in which any acknowledged byte was changed', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    for (let i = 1; i <= 12; i++) await log.append(write([entry(i, 1, 250)]));
    await log.close();
    const names = disk.list().filter((name) => name.endsWith('.wal'));
    expect(names.length).toBeGreaterThan(1);
    const expected = Array.from({ length: 12 }, (_, i) => [i + 1, 1, 250]);
    let refused = 0;
    for (const name of names) {
      for (let at = 0; at < disk.bytes(name).length; at += 7) {
        const damaged = disk.crash(() => 'written');
        const bytes = damaged.bytes(name);
        bytes[at]! ^= 1 << (at % 8);
        try {
          // A flip in space that carries no data (padding) may go unnoticed, but then nothing is lost.
          const { recovered } = await WriteAheadLog.open(world(damaged));
          expect(shape(recovered)).toEqual(expected);
        } catch (error) {
          expect(error).toBeInstanceOf(LogCorruptError);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(400);
  });

  it('refuses a log with a missing segment, with instructions', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    for (let i = 1; i <= 40; i++) await log.append(write([entry(i, 1, 600)]));
    await log.close();
    disk.remove('0000000002.wal');
    await expect(WriteAheadLog.open(world(disk))).rejects.toThrow(
      /0000000002\.wal is missing.*triremectl member remove/s,
    );
  });
});

describe('a failing disk', () => {
  it('fails the log permanently at the first failed sync', async () => {
    const disk = new SimulatedDisk();
    const log = await WriteAheadLog.create(world(disk), origin);
    await log.append(write([entry(1)]));
    disk.onSync = () => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    };
    await expect(log.append(write([entry(2)]))).rejects.toThrow('EIO');
    disk.onSync = () => {};
    await expect(log.append(write([entry(3)]))).rejects.toThrow('EIO');
    expect(log.failure).toBeDefined();
    await log.close();
  });

  it('makes smaller segments while space is short, and leaves the reserve free', async () => {
    const disk = new SimulatedDisk();
    const keepFree = 10 * SECTOR;
    const sizes = { firstSegmentBytes: 8 * SECTOR, segmentBytesMax: 32 * SECTOR };
    const stuck = timers(() => {});
    const short: LogWorld = { ...world(disk), timers: stuck, segments: sizes, keepFree: () => keepFree };
    const log = await WriteAheadLog.create(short, origin);
    disk.capacityBytes = 60 * SECTOR;
    let done = 0;
    void (async () => {
      for (let i = 1; i <= 40; i++) {
        await log.append(write([entry(i, 1, 600)]));
        done = i;
      }
    })().catch(() => {});
    for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(log.hasRoom).toBe(false);
    expect(done).toBeGreaterThan(10);
    expect(disk.room().freeBytes).toBeGreaterThanOrEqual(keepFree);
    await log.close();
  });

  it('reports that space is short, continues in the current segment, and recovers without help', async () => {
    const disk = new SimulatedDisk();
    const ticking: (() => void)[] = [];
    const slow: LogWorld = {
      ...world(disk),
      timers: timers((f) => ticking.push(f)),
    };
    const log = await WriteAheadLog.create(slow, origin);
    disk.capacityBytes = 20 * SECTOR;
    let done = 0;
    const writes = Array.from({ length: 12 }, (_, i) => i + 1);
    const all = (async () => {
      for (const i of writes) {
        await log.append(write([entry(i, 1, 600)]));
        done = i;
      }
    })();
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(log.hasRoom).toBe(false);
    expect(done).toBeGreaterThanOrEqual(2);
    expect(done).toBeLessThan(12);
    disk.capacityBytes = 1000 * SECTOR;
    for (let i = 0; i < 20; i++) {
      for (const tick of ticking.splice(0)) tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    expect(log.hasRoom).toBe(true);
    await log.close();
  });
});
