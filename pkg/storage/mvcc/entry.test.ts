import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Revision } from '../../base/index.js';
import { decodeEntry, type Entry, encodeEntry, entryBytes } from './entry.js';

const key = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 300 });
const rev = fc.maxSafeNat() as fc.Arbitrary<Revision>;
const value = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
const op = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key, value }),
  fc.record({ kind: fc.constant('put' as const), key, value, expiresAt: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('delete' as const), key }),
);
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    kind: fc.constant('txn' as const),
    txn: fc.record({
      compares: fc.array(fc.record({ key, modRevision: rev }), { maxLength: 5 }),
      ops: fc.uniqueArray(op, { selector: (o) => o.key, maxLength: 5 }),
    }),
  }),
  fc.record({ kind: fc.constant('compact' as const), revision: rev }),
  fc.constant({ kind: 'check' as const }),
);

describe('log entries', () => {
  it('are unchanged by encoding and decoding, in exactly the announced bytes', () => {
    fc.assert(
      fc.property(entry, (e) => {
        const bytes = encodeEntry(e);
        expect(bytes.length).toBe(entryBytes(e));
        expect(decodeEntry(bytes)).toEqual(e);
      }),
      { numRuns: 300 },
    );
  });

  it('keep their encoding: these bytes are in logs', () => {
    const txn: Entry = {
      kind: 'txn',
      txn: {
        compares: [{ key: '/a', modRevision: 300 as Revision }],
        ops: [
          { kind: 'put', key: '/b', value: Buffer.from('v') },
          { kind: 'put', key: '/c', value: Buffer.alloc(0), expiresAt: 128 },
          { kind: 'delete', key: '/d' },
        ],
      },
    };
    expect(encodeEntry(txn).toString('hex')).toBe(
      '0101' + '01' + '022f61ac02' + '03' + '01022f620176' + '02022f63800100' + '03022f64',
    );
    expect(encodeEntry({ kind: 'compact', revision: 5 as Revision }).toString('hex')).toBe('010205');
    expect(encodeEntry({ kind: 'check' }).toString('hex')).toBe('0103');
  });

  it('are refused without an exception when they are cut, changed or random', () => {
    fc.assert(
      fc.property(
        entry,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.uint8Array({ maxLength: 60 }),
        (e, at, x, junk) => {
          const bytes = encodeEntry(e);
          const cut = bytes.subarray(0, at % bytes.length);
          expect(decodeEntry(cut).kind).toBe('malformed');
          expect(decodeEntry(Buffer.concat([bytes, Buffer.of(x)])).kind).toBe('malformed');
          const flipped = Buffer.from(bytes);
          flipped[at % bytes.length]! ^= x;
          const read = decodeEntry(flipped);
          // Accepted bytes have only one form, so they encode to the same bytes again.
          if (read.kind !== 'malformed') expect(encodeEntry(read)).toEqual(flipped);
          const made = decodeEntry(Buffer.from(junk));
          if (made.kind !== 'malformed') expect(encodeEntry(made)).toEqual(Buffer.from(junk));
          const headed = Buffer.concat([Buffer.of(1, 1), junk]);
          const guessed = decodeEntry(headed);
          if (guessed.kind !== 'malformed') expect(encodeEntry(guessed)).toEqual(headed);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('report what is wrong', () => {
    const why = (...bytes: number[]): string => {
      const read = decodeEntry(Buffer.from(bytes));
      return read.kind === 'malformed' ? read.message : 'fine';
    };
    expect(why()).toBe('the entry is cut short');
    expect(why(2, 1)).toBe('unknown entry version');
    expect(why(1, 9)).toBe('unknown entry kind');
    expect(why(1, 3, 0)).toBe('bytes after the end of the entry');
    expect(why(1, 2, 0x85, 0)).toBe('a number is not in its shortest form or too large');
    expect(why(1, 2, ...Array(9).fill(0xff))).toBe('a number is not in its shortest form or too large');
    expect(why(1, 1, 0, 1, 3, 0)).toBe('a key is empty or too long');
    expect(why(1, 1, 0, 1, 3, 1, 0x80)).toBe('a key is not ASCII');
    expect(why(1, 1, 0, 1, 4, 1, 0x61)).toBe('unknown operation');
    expect(why(1, 1, 0, 2, 3, 1, 0x61, 3, 1, 0x61)).toBe('a key occurs in two operations');
    expect(why(1, 1, 0x7f)).toBe('the entry is cut short');
    expect(why(1, 1, 0, 1, 3, 1, 0x61)).toBe('fine');
  });

  it('cannot be encoded from an invalid transaction', () => {
    const put = (...keys: string[]): Entry => ({
      kind: 'txn',
      txn: { compares: [], ops: keys.map((k) => ({ kind: 'put', key: k, value: Buffer.alloc(0) })) },
    });
    expect(() => encodeEntry(put(''))).toThrow('empty');
    expect(() => encodeEntry(put('\u00e4'))).toThrow('ASCII');
    expect(() => encodeEntry(put('\u4e2d'))).toThrow('ASCII');
    expect(() => encodeEntry(put('/a', '/b', '/a'))).toThrow('two operations');
    expect(() => encodeEntry({ kind: 'compact', revision: 1.5 as Revision })).toThrow('safe');
  });
});
