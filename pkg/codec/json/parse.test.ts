import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goQuote } from '../../api/index.js';
import { codecLimits } from '../limits.js';
import { jsonOf } from './node.js';
import { parseJson } from './parse.js';
import { countMembers, NEEDS_EXACT_READER } from './scan.js';

const parse = (text: string | Buffer) => parseJson(Buffer.from(text as string));
const message = (text: string | Buffer) => {
  const parsed = parse(text);
  return parsed.ok ? undefined : parsed.message;
};
const value = (text: string | Buffer) => {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return jsonOf(parsed.node);
};

describe('exact JSON reader', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    [' \n\t ', 'unexpected end of JSON input'],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":+1}', "invalid character '+' looking for beginning of value"],
    ['{"a":.5}', "invalid character '.' looking for beginning of value"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":0x10}', "invalid character 'x' after object key:value pair"],
    ['{"a":NaN}', "invalid character 'N' looking for beginning of value"],
    ['{"a":1_000}', "invalid character '_' after object key:value pair"],
    ['{"a":"x\ny"}', "invalid character '\\n' in string literal"],
    ['{"a":"\\x41"}', "invalid character 'x' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"a":{},}', "invalid character '}' looking for beginning of object key string"],
    ['{"a":{}/* x */}', "invalid character '/' after object key:value pair"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['metadata:', "invalid character 'm' looking for beginning of value"],
    ['tru ', "invalid character ' ' in literal true (expecting 'e')"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['{"a', 'unexpected end of JSON input'],
    ['{"a":"\\', "invalid character ' ' in string escape code"],
    ['"a\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
    ['nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['{"a":-', "invalid character ' ' in numeric literal"],
    ['[1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ["['", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ])('refuses %j', (text, expected) => {
    expect(message(text)).toBe(expected);
    expect(() => JSON.parse(text)).toThrow();
  });

  it('replaces each byte that is not UTF-8, and each lone surrogate', () => {
    expect(value(Buffer.from([0x22, 0x78, 0xff, 0xc3, 0x79, 0x22]))).toBe('x\ufffd\ufffdy');
    expect(value(Buffer.from([0x22, 0xe2, 0x82, 0x22]))).toBe('\ufffd\ufffd');
    expect(value(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe('\ufffd\ufffd\ufffd');
    expect(value('["x\\ud800y","\\udc00","\\ud800\\ud800","\\ud83dx\\ude00","\\ud83d\\ude00"]')).toEqual([
      'x\ufffdy',
      '\ufffd',
      '\ufffd\ufffd',
      '\ufffdx\ufffd',
      '😀',
    ]);
  });

  it('keeps every digit of an int64', () => {
    expect(value('[9007199254740993,-9223372036854775808,9223372036854775808,1.0,1e3]')).toEqual([
      9007199254740993n,
      -9223372036854775808n,
      2 ** 63,
      1,
      1000,
    ]);
  });

  it('refuses deep nesting quickly', () => {
    const deep = codecLimits.textDepthMax;
    expect(message('['.repeat(deep) + ']'.repeat(deep))).toBeUndefined();
    expect(message('['.repeat(deep + 1))).toBe("invalid character '[' exceeded max depth");
    expect(message('{"a":'.repeat(deep + 1))).toBe("invalid character '{' exceeded max depth");
  });

  it('agrees with JSON.parse on every text', () => {
    const fragment = fc.oneof(
      fc.json(),
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '1',
        '-',
        '.',
        'e',
        'true',
        'null',
        ' ',
        '\u0001',
        '"a"',
      ),
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(message(text)).toMatch(/^(invalid character|unexpected end)/);
          return;
        }
        // Infinity is not valid JSON: this reader keeps the largest double.
        const plain = (_: string, v: unknown) =>
          typeof v === 'bigint' ? Number(v) : v === Infinity || v === -Infinity ? Math.sign(v) * Number.MAX_VALUE : v;
        expect(JSON.stringify(value(text), plain)).toBe(JSON.stringify(expected, plain));
      }),
      { numRuns: 500 },
    );
  });

  it('survives random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        parseJson(Buffer.from(bytes));
      }),
      { numRuns: 500 },
    );
  });
});

describe('member count', () => {
  const members = (v: unknown): number =>
    typeof v !== 'object' || v === null
      ? 0
      : Object.values(v).reduce((n: number, x) => n + members(x), Array.isArray(v) ? 0 : Object.keys(v).length);

  it('equals the number of keys if no key repeats', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, ' ', '\t'), (text, indent) => {
        const parsed = JSON.parse(text);
        const counted = countMembers(Buffer.from(JSON.stringify(parsed, null, indent)));
        if (counted !== NEEDS_EXACT_READER) expect(counted).toBe(members(parsed));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', 2],
    ['{"a":":","b":"\\":"}', 2],
    [`{"${'x'.repeat(100)}":"${':'.repeat(100)}"}`, 1],
    ['{"a":1.5}', NEEDS_EXACT_READER],
    ['{"a":1e3}', NEEDS_EXACT_READER],
    ['[123456789012345]', 0],
    ['[1234567890123456]', NEEDS_EXACT_READER],
    ['["\\ud83d\\ude00"]', NEEDS_EXACT_READER],
    ['["\\u00e9"]', 0],
    ['["x', NEEDS_EXACT_READER],
  ])('of %j is %d', (text, expected) => {
    expect(countMembers(Buffer.from(text))).toBe(expected);
  });
});

describe('quoting', () => {
  it.each([
    ['metadata.x', '"metadata.x"'],
    ['x\ny"\\', '"x\\ny\\"\\\\"'],
    ['\u0000\u007f', '"\\x00\\x7f"'],
    ['é\u2029\u00a0', '"é\\u2029\\u00a0"'],
  ])('%j', (text, expected) => {
    expect(goQuote(text)).toBe(expected);
  });
});
