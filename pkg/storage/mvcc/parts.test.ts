import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInteger, writeInteger } from './bytes.js';
import { ChangeLog } from './changelog.js';
import { Expiries } from './expiries.js';
import { StateHash, Tally } from './hash.js';
import { emptyMeta, type Meta, readMeta, writeMeta } from './meta.js';
import { Pins } from './pins.js';
import { readRow, readRowKey, rowBytes, rowKey, rowKinds, rowRange, writeRow } from './row.js';
import { Versions } from './versions.js';

const at = fc.record({ revision: fc.maxSafeNat(), sequence: fc.nat(0xffff) });

describe('integers as bytes', () => {
  it('are unchanged by encoding, and sort like numbers', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
        const x = Buffer.alloc(8);
        const y = Buffer.alloc(8);
        writeInteger(x, a, 0);
        writeInteger(y, b, 0);
        expect(readInteger(x, 0)).toBe(a);
        expect(Math.sign(Buffer.compare(x, y))).toBe(Math.sign(a - b));
      }),
    );
    expect(readInteger(Buffer.alloc(8, 0xff), 0)).toBeNaN();
  });
});

describe('rows', () => {
  it('are unchanged by encoding, and refused under another key or with a changed byte', () => {
    const row = fc.record({
      kind: fc.constantFrom(rowKinds.put, rowKinds.delete),
      createRevision: fc.maxSafeNat(),
      previous: at,
      expiresAt: fc.maxSafeNat(),
      key: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 80 }),
      value: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(at, at, row, fc.nat(), fc.integer({ min: 1, max: 255 }), (place, other, r, where, x) => {
        const { bytes, crc } = writeRow(place, r.kind, r.createRevision, r.previous, r.expiresAt, r.key, r.value);
        const kept = Buffer.from(bytes);
        expect(readRow(place, kept)).toEqual({ ...r, crc });
        expect(kept.length + 11).toBe(rowBytes(r.key.length, r.value.length));
        if (other.revision >>> 0 !== place.revision >>> 0) expect(readRow(other, kept)).toBeUndefined();
        kept[where % kept.length]! ^= x;
        expect(readRow(place, kept)).toBeUndefined();
        expect(readRow(place, kept.subarray(0, where % kept.length))).toBeUndefined();
      }),
    );
  });

  it('accept values larger than the scratch buffer', () => {
    const value = Buffer.alloc(200_000, 7);
    const { bytes } = writeRow({ revision: 1, sequence: 0 }, 1, 1, { revision: 0, sequence: 0 }, 0, '/k', value);
    expect(readRow({ revision: 1, sequence: 0 }, bytes)?.value.equals(value)).toBe(true);
  });

  it('sort by revision, then sequence, and a range takes whole revisions', () => {
    fc.assert(
      fc.property(at, at, (a, b) => {
        const order = Math.sign(a.revision - b.revision) || Math.sign(a.sequence - b.sequence);
        const x = rowKey(a.revision, a.sequence);
        expect(Math.sign(Buffer.compare(x, rowKey(b.revision, b.sequence)))).toBe(order);
        expect(readRowKey(x)).toEqual(a);
      }),
    );
    const { gte, lt } = rowRange(5, 7);
    const inside = [5, 6, 7, 8].filter((r) => {
      const k = rowKey(r, 0xffff);
      return Buffer.compare(k, gte) >= 0 && Buffer.compare(k, lt) < 0;
    });
    expect(inside).toEqual([6, 7]);
    expect(readRowKey(Buffer.from('m'))).toBeUndefined();
    expect(readRowKey(Buffer.alloc(11, 0x76))).toBeUndefined();
  });
});

describe('the meta row', () => {
  const meta: Meta = {
    applied: 2 ** 40,
    compacted: 77,
    swept: 70,
    chain: '0123456789abcdef',
    rows: 3,
    bytes: 1000,
    tally: 'fedcba9876543210',
  };

  it('is unchanged by encoding, and reported as damaged or newer', () => {
    const bytes = writeMeta(meta);
    expect(readMeta(bytes)).toEqual(meta);
    for (let i = 1; i < bytes.length; i++) {
      const bad = Buffer.from(bytes);
      bad[i]! ^= 0x10;
      expect(readMeta(bad)).toBe('damaged');
      expect(readMeta(bytes.subarray(0, i))).toBe('damaged');
    }
    bytes[0] = 9;
    expect(readMeta(bytes)).toBe('newer');
    expect(readMeta(Buffer.alloc(0))).toBe('damaged');
  });
});

describe('the running hash and the tally', () => {
  const rows = fc.array(fc.record({ at, bytes: fc.nat(5000) }), { minLength: 2, maxLength: 20 });

  it('hash: depends on every step and on their order, and can be continued from its text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 2, maxLength: 30 }), fc.nat(), (steps, cut) => {
        const run = (list: readonly (readonly [number, number])[], from = emptyMeta.chain): string => {
          const hash = new StateHash(from);
          for (const [revision, word] of list) hash.add(revision, word);
          return hash.toString();
        };
        const i = cut % steps.length;
        const whole = run(steps);
        expect(whole).toMatch(/^[0-9a-f]{16}$/);
        expect(run(steps.slice(i), run(steps.slice(0, i)))).toBe(whole);
        expect(run(steps.map(([r, w], j) => (j === i ? [r, w ^ 1] : [r, w])))).not.toBe(whole);
        expect(run(steps.map(([r, w], j) => (j === i ? [r + 1, w] : [r, w])))).not.toBe(whole);
        const [a, b] = [steps[0]!, steps[1]!];
        if (a[0] !== b[0] || a[1] !== b[1]) expect(run([b, a, ...steps.slice(2)])).not.toBe(whole);
      }),
    );
  });

  it('tally: does not depend on order, and removed rows leave no trace', () => {
    fc.assert(
      fc.property(rows, rows, (kept, gone) => {
        const one = new Tally(emptyMeta);
        for (const r of [...kept, ...gone]) one.add(r.at, r.bytes);
        for (const r of gone.toReversed()) one.remove(r.at, r.bytes);
        const two = new Tally(emptyMeta);
        for (const r of kept.toReversed()) two.add(r.at, r.bytes);
        expect([one.rows, one.bytes, one.toString()]).toEqual([two.rows, two.bytes, two.toString()]);
        const missing = new Tally(emptyMeta);
        for (const r of kept.slice(1)) missing.add(r.at, r.bytes);
        expect(missing.toString()).not.toBe(two.toString());
      }),
    );
  });
});

describe('the change log', () => {
  it('is a queue with stable places', () => {
    const log = new ChangeLog();
    const change = (n: number) => ({
      slot: n % 1000,
      kind: n % 2 === 0 ? rowKinds.put : rowKinds.delete,
      revision: 2 ** 40 + n,
      sequence: n % 7,
      previous: { revision: n, sequence: n % 5 },
      crc: (n * 2_654_435_761) % 2 ** 32,
      previousCrc: (n * 40_503) % 2 ** 32,
      previousBytes: n * 3,
      previousChange: n - 1,
    });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 2500; i++) expect(log.push(change(log.end))).toBe(log.end - 1);
      for (let i = 0; i < 2400; i++) log.dropFirst();
      expect(log.first).toBe((round + 1) * 2400);
      for (let place = log.first; place < log.end; place++) expect(log.at(place)).toEqual(change(place));
    }
  });
});

describe('the hash of the history', () => {
  it('is the same for any progress of the sweep, and empty if too many changes are unswept', () => {
    const made = (sweepTo: number): Versions => {
      const versions = new Versions();
      for (let n = 1; n <= 30; n++) {
        const kind = n % 7 === 0 ? rowKinds.delete : rowKinds.put;
        const row = { kind, key: `/${n % 3}`, createRevision: 1, expiresAt: 0, crc: n * 77 };
        if (kind === rowKinds.put || versions.modRevision(row.key) > 0) {
          versions.record({ revision: n, sequence: 0 }, row, 50);
        }
      }
      versions.sweep(sweepTo, 1000, () => {});
      return versions;
    };
    const hashes = [0, 1, 9, 19, 20].map((swept) => made(swept).history(20));
    expect(new Set(hashes).size).toBe(1);
    expect(made(0).history(21)).not.toBe(hashes[0]);
    expect([made(5).history(20, 14), made(6).history(20, 14)]).toEqual(['', hashes[0]]);
  });
});

describe('expiries', () => {
  it('return due slots by their current time', () => {
    const step = fc.record({ slot: fc.nat(20), time: fc.nat(100), look: fc.boolean(), now: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const expiries = new Expiries();
        const model = new Map<number, number>();
        for (const { slot, time, look, now } of steps) {
          expiries.set(slot, time);
          if (time === 0) model.delete(slot);
          else model.set(slot, time);
          if (!look) continue;
          const due = [...model].filter(([, t]) => t <= now).map(([s]) => s);
          const some = expiries.due(now, 3);
          expect(some.length).toBe(Math.min(3, due.length));
          expect(due).toEqual(expect.arrayContaining(some));
          if (slot % 2 === 0) expect(expiries.due(now, 1000).toSorted()).toEqual(due.toSorted());
        }
        expect(expiries.size).toBe(model.size);
      }),
      { numRuns: 60 },
    );
  });
});

describe('pins', () => {
  it('return the oldest one, or report that there is none', async () => {
    const pins = new Pins();
    await pins.idle();
    expect(pins.oldest).toBe(Number.POSITIVE_INFINITY);
    const five = pins.hold(5);
    const three = pins.hold(3);
    const alsoThree = pins.hold(3);
    expect(pins.oldest).toBe(3);
    three();
    three();
    expect(pins.oldest).toBe(3);
    alsoThree();
    expect(pins.oldest).toBe(5);
    let idle = false;
    const waiting = pins.idle().then(() => {
      idle = true;
    });
    await Promise.resolve();
    expect(idle).toBe(false);
    five();
    await waiting;
  });
});
