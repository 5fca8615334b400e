import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuantity, formatQuantity, parseQuantity, readQuantity, roundUpToMilli } from './quantity.js';
import { canonicalMicroTime, canonicalTime, formatDuration, parseDuration } from './time.js';

describe('quantities', () => {
  it.each([
    ['0', '0'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1.5Ki', '1536'],
    ['100Ki', '100Ki'],
    ['1000', '1k'],
    ['1e3', '1e3'],
    ['12e6', '12e6'],
    ['1E', '1E'],
    ['1500m', '1500m'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['.5', '500m'],
    ['5.', '5'],
    ['9Ei', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['10E', '10E'],
    ['1e30', '1e30'],
    ['1000000E', '1e24'],
    ['-1e30', '-1e30'],
    ['-9Ei', '-9223372036854775807'],
    ['1e1000000', '10e1023'],
    ['1e-1000000', '1e-9'],
    ['0.5Ki', '512'],
    ['0.0001Ki', '102400u'],
  ])('%s is written as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it('report why a text is invalid', () => {
    expect(readQuantity('')).toEqual({ error: expect.stringContaining('regular expression') });
    expect(readQuantity('1 Gi')).toEqual({ error: expect.stringContaining('regular expression') });
    expect(readQuantity('1GiB')).toEqual({ error: expect.stringContaining('regular expression') });
    expect(readQuantity('1Kii')).toEqual({ error: "unable to parse quantity's suffix" });
  });

  it('do not change once canonical, and take bounded time on hostile text', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'e-3'), (n, s) => {
        const once = canonicalQuantity(`${n}${s}`)!;
        expect(canonicalQuantity(once)).toBe(once);
        expect(parseQuantity(once)!.nanos).toBe(parseQuantity(`${n}${s}`)!.nanos);
      }),
    );
    expect(canonicalQuantity('9'.repeat(1_000_000))).toBe('10e1023');
    expect(canonicalQuantity(`0.${'1'.repeat(1_000_000)}`)).toBe('111111112n');
    // Refused in one pass: backtracking over the digits would take days here.
    for (const text of ['9', '9.', 'E', '-1'])
      expect(readQuantity(`${text.repeat(1_000_000)}!`)).toEqual({
        error: expect.stringContaining('regular expression'),
      });
    expect(parseDuration('9'.repeat(1_000_000))).toBeUndefined();
  });

  it('are rounded up to thousandths in resource lists', () => {
    expect(formatQuantity(roundUpToMilli(parseQuantity('1.0001')!))).toBe('1001m');
  });
});

describe('times', () => {
  it('are written in UTC', () => {
    expect(canonicalTime('2024-02-29T10:00:00.5+02:00')).toBe('2024-02-29T08:00:00Z');
    expect(canonicalTime('2023-02-29T10:00:00Z')).toBeUndefined();
    expect(canonicalTime('0001-01-01T00:00:00Z')).toBe('0001-01-01T00:00:00Z');
    expect(canonicalMicroTime('2024-01-01T00:00:00.123456Z')).toBe('2024-01-01T00:00:00.123456Z');
    expect(canonicalMicroTime('2024-01-01T00:00:00Z')).toBeUndefined();
  });

  it('has durations', () => {
    for (const [text, canonical] of [
      ['1h', '1h0m0s'],
      ['90s', '1m30s'],
      ['1.5ms', '1.5ms'],
      ['0', '0s'],
      ['-2m', '-2m0s'],
      ['1500us', '1.5ms'],
    ] as const)
      expect(formatDuration(parseDuration(text)!)).toBe(canonical);
    expect(parseDuration('1x')).toBeUndefined();
    expect(parseDuration('')).toBeUndefined();
  });
});
