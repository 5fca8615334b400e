import { describe, expect, it } from 'vitest';
import { compile, failed } from './compile.js';
import { COMPATIBLE, kubernetesEnvironment } from './kubernetes.js';
import { BOOL, DYN } from './types.js';
import { fromJson, isError } from './values.js';

/** What expressions must not contain, with the texts of kube-apiserver 1.37. */

const env = kubernetesEnvironment(COMPATIBLE).extend({ object: DYN });
const object = fromJson({ data: { a: 'x' }, list: ['x'] });

function problem(text: string): string {
  const compiled = compile(text, env, [BOOL]);
  return failed(compiled) ? compiled.error : '';
}

function outcome(text: string): unknown {
  const compiled = compile(text, env);
  if (failed(compiled)) throw new Error(compiled.error);
  const { value } = compiled.program.run(() => object);
  return isError(value) ? `error: ${value.message}` : value;
}

describe('format strings', () => {
  it.each([
    ["'%s'.format([ip('1.1.1.1')])", '1:16', 'types, durations, and timestamps, was given net.IP'],
    ["'%s'.format([[[quantity('1')]]])", '1:24', 'was given kubernetes.Quantity'],
    ["'%s'.format([{'a': optional.of(1)}])", '1:31', 'was given optional_type'],
    ["'%s'.format([{ip('1.1.1.1'): 1}])", '1:17', 'was given net.IP'],
    ["'%s %d'.format([optional.of(1), 'a'])", '1:28', 'string clause'],
    [
      "'%d'.format([duration('1s')])",
      '1:22',
      'decimal clause can only be used on integers, was given google.protobuf.Duration',
    ],
    ["'%f'.format([1u])", '1:14', 'fixed-point clause can only be used on doubles, was given uint'],
    ["'%X'.format([[1]])", '1:14', 'only integers, byte buffers, and strings can be formatted as hex, was given list'],
  ])('%s does not fit its argument', (text, place, sentence) => {
    expect(problem(`${text} == ''`)).toContain(`ERROR: <input>:${place}: error during formatting: `);
    expect(problem(`${text} == ''`)).toContain(sentence);
  });

  it.each(["'%s'.format([[1].map(x, ip('1.1.1.1'))])", "'%s'.format([{1.5: 1}])", "'%d'.format([dyn('a')])"])(
    '%s is checked when it runs',
    (text) => expect(problem(`${text} == ''`)).toBe(''),
  );

  it.each([
    ["'%s'.format([[timestamp(0), duration('1.5s')]])", '[timestamp("1970-01-01T00:00:00Z"), duration("1.5s")]'],
    ["'%s'.format([['\\u0001']])", '["\\x01"]'],
    ["'%s'.format([[dyn(ip('1.1.1.1'))]])", 'error: error during formatting: no formatting function for net.IP'],
    [
      "'%s'.format([[b'\\xff']])",
      'error: error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    ],
  ])('%s', (text, shown) => expect(outcome(text)).toBe(shown));
});

describe('syntax', () => {
  it.each([
    ['[1,,2] == []', "1:4: Syntax error: mismatched input ',' expecting ']'"],
    ['[1,', "1:4: Syntax error: missing ']' at '<EOF>'"],
    ["{'a':1,,} == {}", "1:8: Syntax error: extraneous input ',' expecting '}'"],
    ['.a == 1', "1:2: undeclared reference to '.a'"],
    ["'\\U00110000' == ''", '1:1: invalid unicode code point'],
    ["b'\\u0041' == b''", '1:1: invalid bytes literal'],
    ["'a\nb' == ''", "1:1: Syntax error: token recognition error at: ''a\n'"],
    ['[1].existsOne(x, true)', "1:14: undeclared reference to 'existsOne'"],
  ])('%s', (text, sentence) => expect(problem(text)).toContain(`ERROR: <input>:${sentence}`));

  it('has one error for an unknown type, whose fields are not read', () => {
    expect(problem('Foo{a: bar, c: Other{}} == 1').match(/ERROR/g)).toHaveLength(1);
  });

  it.each([
    ['null', 'null_type'],
    ["{'a': timestamp(0)}", 'map(string, google.protobuf.Timestamp)'],
    ['optional.of(null)', 'optional_type(null_type)'],
  ])('the type of %s has its name of run time', (text, type) =>
    expect(problem(text)).toBe(`must evaluate to bool but got ${type}`),
  );
});

describe('values', () => {
  const none = 'error: no such overload';
  it.each([
    ["ip('1.1.1.1') == dyn('x')", none],
    ["dyn('x') == ip('1.1.1.1')", false],
    ["ip('1.1.1.1') != dyn('x')", true],
    ["object.data == dyn('x')", none],
    ["object.list == dyn('x')", none],
    ['object.data == dyn(null)', false],
    ["object.data == {'a': 'x'}", true],
    ["[1] == dyn('x')", false],
    ["{'a': 1} == dyn('x')", false],
    ['-dyn([1])', `${none}: -_`],
    ["-dyn('a')", none],
    ['1 in dyn(object)', 'error: unsupported map key type: types.Int'],
    ['object.data[1.5]', 'error: unsupported map key type: types.Double'],
    ['object.list.foo', "error: unsupported index type 'string' in list"],
    ['has(object.list.foo)', "error: unsupported index type 'string' in list"],
    ["timestamp(0).getHours('Local')", 0n],
    ["timestamp(0).getHours('Europe/Berlin')", 1n],
    ["timestamp(0).getHours('europe/berlin')", 'error: unknown time zone europe/berlin'],
    ["isIP('1.2.3.04')", false],
    ["isIP('::ffff:1.2.3.04')", false],
    ["isCIDR('10.0.0.0/08')", false],
  ])('%s', (text, value) => expect(outcome(text)).toEqual(value));

  it.each([
    ['1:2', 'address string too short'],
    ['12345::', 'each group must have 4 or less digits (at "12345::")'],
    ['x:1', 'each colon-separated field must have at least one digit (at "x:1")'],
    ['1:', 'colon must be followed by more characters (at ":")'],
    ['1::2::3', 'multiple :: in address (at ":3")'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['1:2.3.4.5', 'embedded IPv4 address must replace the final 2 fields of the address (at "2.3.4.5")'],
  ])('ip("%s") says what is wrong', (text, sentence) =>
    expect(outcome(`ip('${text}')`)).toBe(
      `error: IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${sentence}`,
    ),
  );
});
