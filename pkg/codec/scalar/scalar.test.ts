import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBase64 } from './bytes.js';
import { canonicalQuantityText } from './quantity.js';
import { canonicalMicroTime, canonicalTime, timeOfParts, timeParts } from './time.js';

const text = (c: { ok: boolean; text?: string | null; message?: string }) => (c.ok ? c.text : c.message);

describe('quantities', () => {
  it.each([
    ['1k', '1k'],
    ['1000k', '1M'],
    ['1.5k', '1500'],
    ['1000000m', '1k'],
    ['0k', '0'],
    ['0m', '0'],
    ['00', '0'],
    ['1000n', '1u'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1e0', '1e0'],
    ['1e-3', '1e-3'],
    ['1.5e3', '1500'],
    ['1e2', '100'],
    ['100e1', '1e3'],
    ['1e+3', '1e+3'],
    ['1000e3', '1e6'],
    ['1e18', '1e18'],
    ['0.5', '500m'],
    ['1.0', '1'],
    ['1.500', '1.500'],
    [' 1 ', '1'],
    ['1024Mi', '1Gi'],
    ['9Gi', '9Gi'],
    ['8Gi', '8Gi'],
    ['1.5Gi', '1536Mi'],
    ['-1Gi', '-1Gi'],
    ['-0.5', '-500m'],
    ['0.1n', '1n'],
    ['100000000000000000000', '100E'],
    ['9Ei', '9223372036854775807'],
    ['9'.repeat(300), '9'.repeat(300)],
  ])('%s is written as %s', (written, canonical) => {
    expect(text(canonicalQuantityText(written))).toBe(canonical);
  });

  it.each([
    ['1e999999999', '1e999999999'],
    ['1E-999999999', '1e-9'],
    ['1e0000000000000000003', '1e0000000000000000003'],
    ['10e99999998', '1e99999999'],
    [`1${'0'.repeat(100_000)}e5`, '10e1023'],
  ])('case %# terminates, however large the exponent', (written, canonical) => {
    expect(text(canonicalQuantityText(written))).toBe(canonical);
  });

  // A loop over an exponent beyond 2^53 does not end, because adding one does not change it.
  it.each(['1E999999999999999999', '1e-999999999999999999', '1e9007199254740993', '1e1000000000', '1e+'])(
    'refuses the exponent of %s',
    (written) => {
      expect(canonicalQuantityText(written).ok).toBe(false);
    },
  );

  it.each(['1ki', '1K', '1e', '1Kii', '1KI', '1g', '1 Gi', '', 'true', '{}'])('refuses %j', (written) => {
    expect(canonicalQuantityText(written).ok).toBe(false);
  });
});

describe('times', () => {
  it.each([
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05Z'],
    ['2020-01-02T03:04:05.987Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05,5Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T3:04:05Z', '2020-01-02T03:04:05Z'],
    ['0001-01-01T00:00:00Z', null],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59Z'],
    ['2020-02-29T00:00:00-24:00', '2020-03-01T00:00:00Z'],
    ['x', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    ['2020-01-02', 'parsing time "2020-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    [
      '2020-01-02t03:04:05z',
      'parsing time "2020-01-02t03:04:05z" as "2006-01-02T15:04:05Z07:00": cannot parse "t03:04:05z" as "T"',
    ],
    [
      '2020-01-02T03:04:05+0200',
      'parsing time "2020-01-02T03:04:05+0200" as "2006-01-02T15:04:05Z07:00": cannot parse "+0200" as "Z07:00"',
    ],
    ['2020-01-02T03:04:05+25:00', 'parsing time "2020-01-02T03:04:05+25:00": time zone offset hour out of range'],
    [
      '10000-01-02T03:04:05Z',
      'parsing time "10000-01-02T03:04:05Z" as "2006-01-02T15:04:05Z07:00": cannot parse "0-01-02T03:04:05Z" as "-"',
    ],
    ['2021-02-29T03:04:05Z', 'parsing time "2021-02-29T03:04:05Z": day out of range'],
    ['2021-13-01T03:04:05Z', 'parsing time "2021-13-01T03:04:05Z": month out of range'],
    ['2021-12-01T24:04:05Z', 'parsing time "2021-12-01T24:04:05Z": hour out of range'],
    ['2021-12-01T23:04:05Zx', 'parsing time "2021-12-01T23:04:05Zx": extra text: "x"'],
  ])('%s', (written, expected) => {
    expect(text(canonicalTime(written))).toBe(expected);
  });

  it.each([
    ['2020-01-02T03:04:05.987650Z', '2020-01-02T03:04:05.987650Z'],
    ['2020-01-02T03:04:05.987650-01:00', '2020-01-02T04:04:05.987650Z'],
    ['0001-01-01T00:00:00.000000Z', null],
    [
      '2020-01-02T03:04:05Z',
      'parsing time "2020-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      '2020-01-02T03:04:05.9876543Z',
      'parsing time "2020-01-02T03:04:05.9876543Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "3Z" as "Z07:00"',
    ],
  ])('micro time %s', (written, expected) => {
    expect(text(canonicalMicroTime(written))).toBe(expected);
  });

  it('have the same canonical text and the same seconds in UTC and with an offset of zero', () => {
    const digits = (n: number, length: number): string => String(n).padStart(length, '0');
    const part = (max: number, length = 2) => fc.nat(max).map((n) => digits(n, length));
    const day = fc.tuple(part(9999, 4), part(13), part(32)).map((parts) => parts.join('-'));
    const clock = fc.tuple(part(24), part(60), part(60)).map((parts) => parts.join(':'));
    const fraction = fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^[.,:][0-9x]{0,9}$/),
      part(999_999, 6).map((d) => `.${d}`),
    );
    fc.assert(
      fc.property(day, clock, fraction, (date, time, rest) => {
        for (const canonical of [canonicalTime, canonicalMicroTime]) {
          const plain = canonical(`${date}T${time}${rest}Z`);
          const parsed = canonical(`${date}T${time}${rest}+00:00`);
          expect(plain.ok).toBe(parsed.ok);
          if (!plain.ok || !parsed.ok) continue;
          expect(plain.text).toBe(parsed.text);
          if (plain.text === null) continue;
          expect(timeParts(plain.text).seconds).toBe(Math.floor(Date.parse(plain.text) / 1000));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('survive a round trip through seconds and nanoseconds', () => {
    expect(timeParts('1969-12-31T23:59:59Z')).toEqual({ seconds: -1, nanos: 0 });
    expect(timeOfParts(-1, 0, false)).toBe('1969-12-31T23:59:59Z');
    expect(timeParts('2020-01-02T03:04:05.000007Z').nanos).toBe(7000);
    expect(timeOfParts(0, 7999, true)).toBe('1970-01-01T00:00:00.000007Z');
    expect(timeOfParts(0, 2_000_000_000, false)).toBe('1970-01-01T00:00:00Z');
    expect(timeOfParts(0, 2_000_001_000, true)).toBe('1970-01-01T00:00:02.000001Z');
    expect(timeOfParts(0, -1999, true)).toBe('1969-12-31T23:59:59.999999Z');
    expect(timeOfParts(1e18, 0, false)).toBeUndefined();
  });
});

describe('bytes', () => {
  it.each([
    ['', ''],
    ['MQ==', 'MQ=='],
    ['/x==', '/w=='],
    ['MT\r\nIz\n', 'MTIz'],
    ['***', 'illegal base64 data at input byte 0'],
    ['MQ', 'illegal base64 data at input byte 0'],
    ['MTIzMQ', 'illegal base64 data at input byte 4'],
    ['MQ=', 'illegal base64 data at input byte 3'],
    ['MQ=x', 'illegal base64 data at input byte 2'],
    ['MQ==x', 'illegal base64 data at input byte 4'],
    ['M===', 'illegal base64 data at input byte 1'],
    ['_-__', 'illegal base64 data at input byte 0'],
  ])('%j', (written, expected) => {
    expect(text(canonicalBase64(written))).toBe(expected);
  });
});
