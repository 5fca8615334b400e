import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { compileStructuralSchema } from './compile.js';
import { textFormats } from './formats.js';
import { validateStructure } from './validate.js';

/** Values with several errors, and text formats. The answers are those of kube-apiserver 1.37. */

function problems(schema: JsonObject, value: JsonValue): readonly string[] {
  const whole = compileStructuralSchema({ type: 'object', properties: { a: schema } }, 'example.com/v1.Widget');
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, a: value };
  return validateStructure(object, whole).list.map((e) => e.message.replaceAll('a in body ', ''));
}

describe('a value with several errors', () => {
  const text = { type: 'string', minLength: 3, maxLength: 5, pattern: '^[a-z]+$' };
  const list = { type: 'array', minItems: 2, items: { type: 'string', minLength: 2 } };
  const number = { type: 'integer', minimum: 5, multipleOf: 2, enum: [6, 8] };
  const missing = (value: string) => `Unsupported value: ${value}: supported values: "6", "8"`;

  it.each<[string, JsonObject, JsonValue, readonly string[]]>([
    ['has one error of length or pattern', text, 'A', ['Invalid value: "A": should be at least 3 chars long']],
    ['has one error of length or pattern', text, 'ABCDEF', ['Too long: may not be more than 5 bytes']],
    ['has one error of length or pattern', text, 'ABC', [`Invalid value: "ABC": should match '^[a-z]+$'`]],
    [
      'has errors of its items before its own',
      list,
      ['x'],
      [
        'Invalid value: "x": a[0] in body should be at least 2 chars long',
        'Invalid value: 1: should have at least 2 items',
      ],
    ],
    [
      'is no multiple, as an integer that is not safe',
      { type: 'integer', multipleOf: 2, minimum: 5 },
      9223372036854775807n,
      ['Invalid value: 9223372036854775807: should be a multiple of 2'],
    ],
    [
      'is an integer, for which bounds are cut to integers',
      { type: 'number', maximum: 9223372036854775000, multipleOf: 2 ** 53 },
      9223372036854775807n,
      [
        'Invalid value: 9223372036854775807: should be a multiple of 9007199254740992',
        'Invalid value: 9223372036854775807: should be less than or equal to 9223372036854774784',
      ],
    ],
    [
      'is no multiple of something larger',
      { type: 'integer', multipleOf: 2 ** 53 },
      5,
      ['Invalid value: 5: should be a multiple of 9007199254740992'],
    ],
    [
      'is an integer, for which a factor below 1 is none',
      { type: 'number', multipleOf: 0.5 },
      5,
      ['Invalid value: 0: factor MultipleOf declared for a must be positive: 0'],
    ],
    [
      'is a double, and so are the bounds',
      { type: 'number', maximum: 1_000_000 },
      2_000_000.5,
      ['Invalid value: 2.0000005e+06: should be less than or equal to 1e+06'],
    ],
    [
      'has bounds that are no integers of its format',
      { type: 'integer', format: 'int32', minimum: 0.5, maximum: 2 ** 40 },
      0,
      [
        'Invalid value: "": Maximum boundary value must be of type integer with format int32 in a',
        'Invalid value: "": Minimum boundary value must be of type integer with format int32 in a',
        'Invalid value: 0: should be greater than or equal to 0.5',
      ],
    ],
    [
      'is none of an enumeration of large integers',
      { type: 'integer', enum: [9007199254740993n] },
      5,
      ['Unsupported value: 5: supported values: "9007199254740993"'],
    ],
    [
      'has errors of a number in order',
      number,
      3,
      [
        'Invalid value: 3: should be a multiple of 2',
        'Invalid value: 3: should be greater than or equal to 5',
        missing('3'),
      ],
    ],
    [
      'is none of an enumeration if its type is wrong',
      number,
      'x',
      ['Invalid value: "string": must be of type integer: "string"', missing('"x"')],
    ],
    [
      'is none of an enumeration if it is null',
      { type: 'string', nullable: true, enum: ['a', null] },
      null,
      ['Unsupported value: null: supported values: "a", "null"'],
    ],
    [
      'may be too large for its format and its maximum',
      { type: 'integer', format: 'int32', maximum: 10 },
      3_000_000_000,
      [
        'Invalid value: "": Checked value must be of type integer with format int32 in a',
        'Invalid value: 3000000000: should be less than or equal to 10',
      ],
    ],
    [
      'is named by the format of a string',
      { type: 'string', format: 'ipv4' },
      5,
      ['Invalid value: "int64": must be of type ipv4: "int64"'],
    ],
    [
      'is named by the format of a string',
      { type: 'string', format: 'date' },
      true,
      ['Invalid value: "": must be of type date: ""'],
    ],
  ])('%s', (_, schema, value, expected) => expect(problems(schema, value)).toEqual(expected));
});

describe('text formats', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'hostname',
      ['localhost', 'a-b', 'a-', 'a-b.com', '1.com', 'a--b.com', 'b\u00fc.de'],
      ['a-b-c', 'a.b', 'a.c1', '1.2.3.4', 'a_b.com', '-a.com', 'a.com.', ''],
    ],
    [
      'email',
      [
        'a@b',
        '"a b"@c.d',
        'A B <a@b.c>',
        '<a@b.c>',
        'a@b.c (x)',
        ' a@b.c ',
        '"A, B" <a@b.c>',
        "o'x@c.d",
        'a@[1.2.3.4]',
      ],
      ['a@b..c', '.a@b.c', 'a.@b.c', 'a@b.c,', 'a@b@c', '"a@b.c', 'A, B <a@b.c>', 'a b@c.d', ''],
    ],
    ['ipv4', ['1.2.3.4', '001.2.3.4', '::ffff:1.2.3.4'], ['1.2.3', '256.1.1.1', '::1']],
    ['ipv6', ['::1', '::ffff:1.2.3.4'], ['1.2.3.4', '::1%lo']],
    [
      'mac',
      ['00:11:22:33:44:55', Array(20).fill('00').join('-')],
      ['00:11:22-33:44:55', Array(19).fill('00').join(':')],
    ],
    [
      'uri',
      ['http://a', '/a/b', 'a:b', 'http://', 'http://a:99999', 'http://[::1]:80/'],
      ['a', 'http://a b', 'http://a/%zz', 'http://a:x', '?a=b', '1http://a'],
    ],
    ['duration', ['1h', '1w2d', '1h 5m', '1 D', 'P1D', ' 1h', '5 seconds', '1.5.5h'], ['1y', 'h', '1', '']],
    ['ssn', ['111-22-3333', '111 22 3333'], ['111223333']],
    ['rgbcolor', ['rgb(0,0,0)', 'rgb(255, 255, 255)'], ['rgb(00,0,0)', 'rgb(256,0,0)']],
  ])('%s', (format, valid, invalid) => {
    const check = textFormats.get(format)!;
    expect(valid.filter((text) => !check(text))).toEqual([]);
    expect(invalid.filter((text) => check(text))).toEqual([]);
  });
});
