import { Decoder, Encoder } from 'cbor-x';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson, type JsonValue } from '../../api/index.js';
import { kindNamed } from '../testing.js';
import { readCbor } from './read.js';
import { encodeCbor, halfValue } from './write.js';

const hex = (value: JsonValue): string => encodeCbor(undefined, value).subarray(3).toString('hex');
const read = (text: string): JsonValue => {
  const result = readCbor(Buffer.from(text, 'hex'));
  if (!result.ok) throw new Error(result.message);
  return result.value;
};
const message = (text: string): string | undefined => {
  const result = readCbor(Buffer.from(text, 'hex'));
  return result.ok ? undefined : result.message;
};

describe('CBOR', () => {
  it.each<[JsonValue, string]>([
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [1000000, '1a000f4240'],
    [-1, '20'],
    [-1000, '3903e7'],
    [9007199254740991, '1b001fffffffffffff'],
    [-9223372036854775808n, '3b7fffffffffffffff'],
    [1.5, 'f93e00'],
    [2 ** -24, 'f90001'],
    [0.00006103515625, 'f90400'],
    [100000.5, 'fa47c35040'],
    [1.1, 'fb3ff199999999999a'],
    [true, 'f5'],
    [null, 'f6'],
    ['ü', '42c3bc'],
    [[], '80'],
    [{ bb: 1, a: 2, c: [] }, 'a341610241638042626201'],
  ])('case %# is written deterministically', (value, expected) => {
    expect(hex(value)).toBe(expected);
    expect(equalJson(read(expected), value)).toBe(true);
  });

  it('begins with the self-describing tag and keeps byte fields raw', () => {
    const secret = kindNamed('Secret').schema;
    expect(encodeCbor(secret, { data: { k: 'AQI=' } }).toString('hex')).toBe(
      'd9d9f7' + 'a1' + '4464617461' + 'a1416b' + 'd6420102',
    );
    expect(read('d9d9f7a14464617461a1416bd6420102')).toEqual({ data: { k: 'AQI=' } });
  });

  it.each([
    ['7f61616162ff', 'ab'],
    ['9f01ff', [1]],
    ['bf6161f5ff', { a: true }],
    ['c074323032302d30312d30325430333a30343a30355a', '2020-01-02T03:04:05Z'],
    ['c11a5e0d5d25', '2020-01-02T03:01:57Z'],
    ['d542fbff', '-_8'],
    ['d742fbff', 'fbff'],
    ['a169' + '5f5f70726f746f5f5f' + '01', JSON.parse('{"__proto__":1}')],
  ])('reads %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['', 'EOF'],
    ['42', 'unexpected EOF'],
    ['9affffffff', 'unexpected EOF'],
    ['0001', 'cbor: 1 bytes of extraneous data starting at index 1'],
    ['a241610041' + '6101', 'cbor: found duplicate map key "a" at map element index 1'],
    ['a10102', 'cbor: cannot unmarshal a map key that is no string'],
    ['1b8000000000000000', 'cbor: cannot unmarshal 9223372036854775808 into Go value of type int64 (overflow)'],
    ['f97e00', 'cbor: floating-point NaN and infinity are not permitted'],
    ['f7', 'cbor: simple value 23 is not recognized'],
    ['c24101', 'cbor: cannot unmarshal tag 2: bignum'],
    ['61ff', 'cbor: invalid UTF-8 string'],
    ['ff', 'cbor: unexpected "break" code'],
    [`${'81'.repeat(1000)}00`, 'cbor: exceeded max nested level 256'],
  ])('refuses %s', (text, expected) => {
    expect(message(text)).toBe(expected);
  });

  it('any value survives a round trip', () => {
    const value = fc.letrec<{ v: JsonValue }>((tie) => ({
      v: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, false),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => Math.abs(n) < 2 ** 53 && !Object.is(n, -0)),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('v'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('v'), { maxKeys: 4 }) as fc.Arbitrary<JsonValue>,
      ),
    })).v;
    fc.assert(
      fc.property(value, (v) => {
        expect(equalJson(read(encodeCbor(undefined, v).toString('hex')), v)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('reads and writes every half-precision number', () => {
    for (let bits = 0; bits < 0x7c00; bits++) {
      const value = halfValue(bits);
      if (!Number.isInteger(value)) expect(hex(value)).toBe(`f9${bits.toString(16).padStart(4, '0')}`);
    }
  });

  it('survives random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        readCbor(Buffer.from(bytes));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('our CBOR and cbor-x', () => {
  const encoder = new Encoder({ useRecords: false });
  const decoder = new Decoder({ mapsAsObjects: false });
  const values = fc.jsonValue({ maxDepth: 4 }).map((v) => JSON.parse(JSON.stringify(v)) as JsonValue);

  /**
   * Keys and texts are byte strings in this encoding; cbor-x decodes 8-byte integers as bigint even if they are small.
   */
  function plain(v: unknown): JsonValue {
    if (typeof v === 'bigint') return Number(v);
    if (v instanceof Uint8Array) return Buffer.from(v).toString();
    if (Array.isArray(v)) return v.map(plain);
    if (!(v instanceof Map)) return v as JsonValue;
    const entries = [...v].map(([key, inner]) => [plain(key), plain(inner)]);
    return JSON.parse(`{${entries.map(([k, x]) => `${JSON.stringify(k)}:${JSON.stringify(x)}`).join()}}`) as JsonValue;
  }

  it("decode each other's output", () => {
    fc.assert(
      fc.property(values, (value) => {
        const theirs = readCbor(Buffer.from(encoder.encode(value)));
        expect(theirs.ok && equalJson(theirs.value, value)).toBe(true);
        expect(equalJson(plain(decoder.decode(encodeCbor(undefined, value).subarray(3))), value)).toBe(true);
      }),
      { numRuns: 500, examples: [[{ '': { '': -2_097_973_166_504_963 } }]] },
    );
  });
});
