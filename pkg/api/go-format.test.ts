import { describe, expect, it } from 'vitest';
import {
  compareText,
  goFormat,
  goJson,
  goJsonString,
  goQuote,
  goStringVerb,
  goSyntax,
  goTypeName,
  whyNotInt64,
} from './go-format.js';
import type { JsonValue } from './json.js';

describe('values in error texts of kube-apiserver', () => {
  it.each<[JsonValue, string, string, string]>([
    ['x', 'x', '"x"', 'string'],
    [1, '1', '1', 'int64'],
    [1.5, '1.5', '1.5', 'float64'],
    [9007199254740993n, '9007199254740993', '9007199254740993', 'int64'],
    [true, 'true', 'true', 'bool'],
    [null, '<nil>', 'interface {}(nil)', '<nil>'],
    [['a', 1], '[a 1]', '[]interface {}{"a", 1}', '[]interface {}'],
    [
      { b: 1, a: { c: [] } },
      'map[a:map[c:[]] b:1]',
      'map[string]interface {}{"a":map[string]interface {}{"c":[]interface {}{}}, "b":1}',
      'map[string]interface {}',
    ],
  ])('row %#', (v, plain, syntax, type) => {
    expect(goFormat(v)).toBe(plain);
    expect(goSyntax(v)).toBe(syntax);
    expect(goTypeName(v)).toBe(type);
  });

  it.each<[JsonValue, string]>([
    ['s', 's'],
    [1, '%!s(int64=1)'],
    [null, '%!s(<nil>)'],
    [{ a: true }, 'map[a:%!s(bool=true)]'],
    [[1.5, 'x'], '[%!s(float64=1.5) x]'],
  ])('text of row %#', (v, out) => expect(goStringVerb(v)).toBe(out));

  it('quotes', () => {
    expect(goQuote('a"b\\c\n\t\u0001\u007f é \u{1f600} \u200b')).toBe('"a\\"b\\\\c\\n\\t\\x01\\x7f é 😀 \\u200b"');
  });

  it('writes JSON with its escapes and sorted keys', () => {
    expect(goJsonString('a<b>&"\\\b\f\n\u2028é')).toBe('"a\\u003cb\\u003e\\u0026\\"\\\\\\u0008\\u000c\\n\\u2028é"');
    expect(goJsonString('\\b')).toBe('"\\\\b"');
    expect(goJson({ b: [1, null, 2n], a: '<' })).toBe('{"a":"\\u003c","b":[1,null,2]}');
    expect(JSON.parse(goJsonString('a<b>&"\\\b\f\n\u2028é'))).toBe('a<b>&"\\\b\f\n\u2028é');
  });

  it('orders text by bytes', () => {
    const texts = ['', 'Z', 'a', 'aa', 'é', '\uffee', '\u{1f600}', '\u{1f600}a'];
    const bytes = (s: string) => Buffer.from(s);
    for (const a of texts) {
      for (const b of texts) expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(bytes(a), bytes(b)));
    }
  });
});

describe('signed integers of 64 bits', () => {
  it.each(['0', '-0', '+1', '0'.repeat(40), '9223372036854775807', '-9223372036854775808', `+${'0'.repeat(30)}7`])(
    '%s is valid',
    (text) => expect(whyNotInt64(text)).toBeUndefined(),
  );

  it.each([
    ['', 'invalid syntax'],
    ['+', 'invalid syntax'],
    ['1_0', 'invalid syntax'],
    ['9223372036854775808', 'value out of range'],
    ['-9223372036854775809', 'value out of range'],
    ['9'.repeat(100), 'value out of range'],
  ])('%s is not valid', (text, why) => expect(whyNotInt64(text)).toBe(`strconv.ParseInt: parsing "${text}": ${why}`));
});
