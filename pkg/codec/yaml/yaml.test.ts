import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Document, parseDocument } from 'yaml';
import { equalJson, type JsonValue } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { fixtures } from '../testing.js';
import { parseYaml } from './parser.js';
import { readYaml, yamlSteps } from './read.js';
import { Source } from './source.js';
import { encodeYaml } from './write.js';

function read(text: string | Buffer): JsonValue {
  const result = readYaml(Buffer.from(text as string));
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

function duplicates(text: string): readonly string[] {
  const result = readYaml(Buffer.from(text));
  if (!result.ok) throw new Error(result.message);
  return result.duplicates;
}

function message(text: string | Buffer): string | undefined {
  const result = readYaml(Buffer.from(text as string));
  return result.ok ? undefined : result.message;
}

describe('reading YAML', () => {
  it.each<[string, JsonValue]>([
    ['immutable: yes', { immutable: true }],
    ['[y, on, TRUE, off, n, No, "true", ~, null, ""]', [true, true, true, false, false, false, 'true', null, null, '']],
    ['[0x10, 010, 0o10, 0b11, 1_000, -5, +5, 08, 1e3, .5, 5., 1.5]', [16, 8, 8, 3, 1000, -5, 5, 8, 1000, 0.5, 5, 1.5]],
    [
      '[9007199254740993, 18446744073709551615, 18446744073709551616]',
      [9007199254740993n, 18446744073709551615n, 2 ** 64],
    ],
    ['[2020-01-02, 12:30:45, 1.2.3, 0x, 1e, -, .]', ['2020-01-02', '12:30:45', '1.2.3', '0x', '1e', '-', '.']],
    [
      '{k: !!str 5, i: !!int "5", b: !!binary MQ==, l: !foo bar, f: !!float 5, o: ! 5}',
      { b: '1', f: 5, i: 5, k: '5', l: 'bar', o: '5' },
    ],
    ['{1: a, true: b, 1.5: c, yes: d, 0x10: e}', { '1': 'a', true: 'd', '1.5': 'c', '16': 'e' }],
    ['', null],
    ['# nothing\n', null],
    ['---\na: 1\n---\nb: 2\n', { a: 1 }],
    ['# x\n---\n# y\n---\na: 1\n', null],
    ['a: 1\n...\n', { a: 1 }],
    ['%YAML 1.1\n---\na: 1\n', { a: 1 }],
    ['a:\n- 1\n- b: 2\n  c: 3\n-\n  - x\n', { a: [1, { b: 2, c: 3 }, ['x']] }],
    ['- - a\n  - b\n- c', [['a', 'b'], 'c']],
    ['a: {b: c, "d":e, f: [g, h: i], }', { a: { b: 'c', d: 'e', f: ['g', { h: 'i' }] } }],
    ['{a:b, c}', { 'a:b': null, c: null }],
    ['? a\n: b\n? c\n', { a: 'b', c: null }],
    ['a: "x\\ty\\\n  z\\x41\\u00e9\\U0001F600\\/"', { a: 'x\tyzA\u00e9😀/' }],
    ['a: "one\n  two\n\n  three "', { a: 'one two\nthree ' }],
    ["a: 'it''s\n  so'", { a: "it's so" }],
    ['a: one\n  two\n\n  three # comment\nb: c#d', { a: 'one two\nthree', b: 'c#d' }],
    ['a: &x {b: 1}\nc: *x\n', { a: { b: 1 }, c: { b: 1 } }],
    ['<<: {a: 1}\na: 2\nb: 3\n', { a: 2, b: 3 }],
    ['a: 2\n<<: [{a: 1, c: 1}, {a: 3, d: 4}]\n', { a: 1, c: 1, d: 4 }],
    ['{"a":1,"b":[true,null,"\\u00e9"]}', { a: 1, b: [true, null, 'é'] }],
    ['\ufeffa: 1', { a: 1 }],
    ['a: 1\r\nb: |\r\n  x\r\n  y\r\n', { a: 1, b: 'x\ny\n' }],
    ['a:    \n  b: c', { a: { b: 'c' } }],
    ['!!map {a: !!seq [1]}', { a: [1] }],
    ['http://example.com/x?y=z', 'http://example.com/x?y=z'],
  ])('%j', (text, expected) => {
    expect(equalJson(read(text), expected)).toBe(true);
  });

  it('reads block scalars of all styles', () => {
    const text =
      'a: |\n  one\n  two\n\nb: >\n  one\n  two\n\n  three\nc: |-\n  x\nd: |+\n  x\n\ne: |2\n    x\nf: >-\n  a\n   b\n  c\n\n\n  d\ng: |\n\n  x\nh: >\n\nz: 1\n';
    expect(read(text)).toEqual({
      a: 'one\ntwo\n',
      b: 'one two\nthree\n',
      c: 'x',
      d: 'x\n\n',
      e: '  x\n',
      f: 'a\n b\nc\n\nd',
      g: '\nx\n',
      h: '',
      z: 1,
    });
  });

  it('keeps keys named like inherited properties', () => {
    const value = read('__proto__: {x: 1}\nconstructor: 2');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  });

  it('reports duplicates with the line of the value, and the last one wins', () => {
    expect(duplicates('metadata:\n  name: a\n  foo: 1\nbar: 1\nbar: 2\n')).toEqual([
      'line 5: key "bar" already set in map',
    ]);
    expect(read('bar: {a: 1}\nbar: {b: 2}\n')).toEqual({ bar: { b: 2 } });
    expect(duplicates('l: &l {x: "1", z: "2"}\nn:\n  <<: *l\n  z: "3"\n')).toEqual([
      'line 4: key "z" already set in map',
    ]);
    expect(duplicates('{"a":1,"a":2}')).toEqual(['line 1: key "a" already set in map']);
    expect(duplicates('1: a\n"1": b\n1: c\n')).toEqual(['line 3: key 1 already set in map']);
  });

  it.each([
    ['metadata:\n\tname: a\n', 'yaml: line 2: found character that cannot start any token'],
    ['metadata: {name: a\n', "yaml: line 1: did not find expected ',' or '}'"],
    ['metadata:\n  name: a\n labels: {}\n', 'yaml: line 2: did not find expected key'],
    ['a: b: c\n', 'yaml: mapping values are not allowed in this context'],
    ['x: 1\na: b: c\n', 'yaml: line 2: mapping values are not allowed in this context'],
    ['metadata: "a\n', 'yaml: line 2: found unexpected end of stream'],
    ['@x: 1\n', 'yaml: found character that cannot start any token'],
    ['k: `x`\n', 'yaml: found character that cannot start any token'],
    ['{', 'yaml: line 1: did not find expected node content'],
    ['\tx: 1', 'yaml: found character that cannot start any token'],
    ['? [a]\n: b\n', 'yaml: invalid map key: []interface {}{"a"}'],
    ['{a: b}: one\n', 'yaml: invalid map key: map[interface {}]interface {}{"a":"b"}'],
    ['~: one\n', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "one"'],
    ['18446744073709551615: one\n', 'unsupported map key of type: uint64, key: 0xffffffffffffffff, value: "one"'],
    ['a: *none\n', "yaml: unknown anchor 'none' referenced"],
    ['a: &x [*x]\n', "yaml: anchor 'x' value contains itself"],
    ['&x {? *x : 1}\n', "yaml: anchor 'x' value contains itself"],
    ['- &x {a: 1}\n- {? *x : 1}\n', 'yaml: invalid map key: map[interface {}]interface {}{"a":1}'],
    ['a: !!int x\n', 'yaml: cannot decode !!str `x` as a !!int'],
    ['a: !!binary "*"\n', 'yaml: !!binary value contains invalid base64 data'],
    ['<<: 1\n', 'yaml: map merge requires map or sequence of maps as the value'],
    ['a: .nan', 'json: unsupported value: NaN'],
    ['%YAML 1.2\n---\na: 1', 'yaml: found incompatible YAML document'],
    ['%YAML 1.1', 'yaml: line 1: did not find expected <document start>'],
    ['%YAML 1.1\n# x\n', 'yaml: line 2: did not find expected <document start>'],
    ['%YAML 1.1 x\n---\na: 1', 'yaml: did not find expected comment or line break'],
    ['%YAML x\n---\na: 1', 'yaml: did not find expected version number'],
    ['%YAML 1\n---\na: 1', "yaml: did not find expected digit or '.' character"],
    ['%YAML 1.1\n%YAML 1.1\n---\na: 1', 'yaml: line 1: found duplicate %YAML directive'],
    ['%YAML1.1\n---\na: 1', 'yaml: found unexpected non-alphabetical character'],
    ['% YAML 1.1\n---\na: 1', 'yaml: could not find expected directive name'],
    ['%TAG !\n---\na: 1', 'yaml: did not find expected whitespace'],
    ['%TAG x y\n---\na: 1', "yaml: did not find expected '!'"],
    ['%TAG !e! tag:x\n%TAG !e! tag:y\n---\na: 1', 'yaml: line 1: found duplicate %TAG directive'],
    ['\n\n%FOO\n---\na: 1', 'yaml: line 3: found unknown directive name'],
    ['a: "\\q"', 'yaml: found unknown escape character'],
    ['a: |0\n  x', 'yaml: found an indentation indicator equal to 0'],
    ['a\nb: 1\n', 'yaml: line 2: mapping values are not allowed in this context'],
    ['- a\nb: 1\n', "yaml: line 1: did not find expected '-' indicator"],
    ['a: 1\nb\n', "yaml: line 3: could not find expected ':'"],
    ['a: 1\nb', "yaml: line 3: could not find expected ':'"],
    ['a: &\n', 'yaml: did not find expected alphabetic or numeric character'],
    ['a: !x!y z\n', 'yaml: found undefined tag handle'],
    ['a: \u0001', 'yaml: control characters are not allowed'],
    ['['.repeat(20000), 'yaml: exceeded max depth of 10000'],
    ['- '.repeat(20000), 'yaml: exceeded max depth of 10000'],
    ['{a: '.repeat(20000), 'yaml: exceeded max depth of 10000'],
  ])('refuses case %#', (text, expected) => {
    expect(message(text)).toBe(expected);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(message(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toBe('yaml: invalid leading UTF-8 octet');
  });

  it('bounds the expansion of aliases', () => {
    const levels = ['x0: &x0 [a,a,a,a,a,a,a,a,a,a]'];
    for (let i = 1; i < 9; i++)
      levels.push(
        `x${i}: &x${i} [${Array(10)
          .fill(`*x${i - 1}`)
          .join(',')}]`,
      );
    expect(message(levels.join('\n'))).toBe('yaml: document contains excessive aliasing');
  });

  it.each([
    ['values', '- *a\n'],
    ['keys', '- {*a : 1}\n'],
    ['members of a map', '- *m\n'],
    ['merged members', '- <<: *m\n'],
  ])('bounds the text that aliases expand to in %s', (_, use) => {
    const long = 'x'.repeat(300_000);
    const text = (times: number): string => `- &a "${long}"\n- &m {k: "${long}"}\n${use.repeat(times)}`;
    expect(message(text(10))).toBeUndefined();
    expect(message(text(20))).toBe('yaml: document contains excessive aliasing');
  });

  it.each([
    ['lists', '[', ']'],
    ['maps', '{a: ', '}'],
  ])('bounds the nesting of aliases of %s', (_, open, close) => {
    const nested = (inner: string): string => open.repeat(400) + inner + close.repeat(400);
    const chain = (length: number): string =>
      Array.from({ length }, (_x, i) => `- &a${i} ${nested(i === 0 ? '1' : `*a${i - 1}`)}\n`).join('');
    expect(message(chain(2))).toBeUndefined();
    expect(message(chain(30))).toBe('yaml: exceeded max depth of 10000');
  });

  it('resolves tags with long prefixes in bounded memory', () => {
    const prefix = `%TAG !a! ${'x'.repeat(10_000)}\n%TAG !b! tag:yaml.org,2002:\n---\n`;
    const text = `${prefix}[!a!x 1, !b!str 1, ! 1, !<tag:yaml.org,2002:int> 1]`;
    const root = finish(parseYaml(new Source(Buffer.from(text))));
    const tags = root?.kind === 'list' ? root.items.map((item) => (item.kind === 'scalar' ? item.tag : '')) : [];
    expect(tags).toEqual(['!?', '!!str', '!', '!!int']);
  });

  it('agrees with another parser on documents common to both dialects', () => {
    const word = fc.stringMatching(/^[a-z][a-z :#'"-]{0,12}$/);
    const value = fc.letrec<{ v: unknown }>((tie) => ({
      v: fc.oneof(
        { depthSize: 'small' },
        word,
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.integer(),
        fc.constantFrom('a\nb\n', 'a\n\n  b', ' x\n', '\n\nx', 'x\n\n', 'long words '.repeat(15)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('v'), { maxLength: 4 }),
        fc.dictionary(word, tie('v'), { maxKeys: 4 }),
      ),
    })).v;
    fc.assert(
      fc.property(
        value,
        fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_FOLDED', 'BLOCK_LITERAL'),
        fc.boolean(),
        (v, style, flow) => {
          const text = new Document({ v }, { version: '1.1' }).toString({
            defaultStringType: style as 'PLAIN',
            collectionStyle: flow ? 'flow' : 'any',
          });
          expect(equalJson(read(text), JSON.parse(JSON.stringify({ v })) as JsonValue), text).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('handles random text in bounded time', () => {
    const fragment = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      ', ',
      '? ',
      '"',
      "'",
      '|',
      '>',
      '&x ',
      '*x',
      '!t ',
      '#',
      '---\n',
      '...\n',
      '%',
      '\t',
      '<<',
      '1',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (parts) => {
        readYaml(Buffer.from(parts.join('')));
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fragment, fragment, (a, b) => {
        readYaml(Buffer.from((a + b).repeat(5_000)));
      }),
      { numRuns: 40 },
    );
  });
});

describe('writing YAML', () => {
  it('has the layout of kube-apiserver', () => {
    const value = {
      kind: 'APIGroup',
      apiVersion: 'v1',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      empty: {},
      none: [],
      nested: { a: { b: [] as JsonValue[], c: [[1, 2], ['x']] } },
      words: [
        'yes',
        'true',
        '1',
        '1e3',
        '',
        ' x',
        'a: b',
        'a #b',
        '- a',
        '#',
        '~',
        '0x1',
        '12:30',
        '2020-01-02',
        '@x',
        "it's",
        'é',
        'x\ty',
        '<<',
      ],
      text: 'one\ntwo\n',
      stripped: 'one\ntwo',
      kept: 'x\n\n',
      led: '  x\ny',
      trailing: 'x \ny',
      k10: 1,
      k9: 2,
      true: null,
      number: 1.5,
      big: 9007199254740993n,
    };
    expect(encodeYaml(value as unknown as JsonValue).toString()).toBe(`apiVersion: v1
big: 9007199254740993
empty: {}
k9: 2
k10: 1
kept: |+
  x

kind: APIGroup
led: |2-
    x
  y
nested:
  a:
    b: []
    c:
    - - 1
      - 2
    - - x
none: []
number: 1.5
stripped: |-
  one
  two
text: |
  one
  two
trailing: "x \\ny"
"true": null
versions:
- groupVersion: apps/v1
  version: v1
words:
- "yes"
- "true"
- "1"
- "1e3"
- ""
- ' x'
- 'a: b'
- 'a #b'
- '- a'
- '#'
- "~"
- "0x1"
- "12:30"
- "2020-01-02"
- '@x'
- it's
- é
- "x\\ty"
- "<<"
`);
  });

  it('folds long lines at single spaces', () => {
    const words = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 93324Ki. ';
    expect(encodeYaml({ a: { message: words } }).toString()).toBe(
      "a:\n  message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available:\n    93324Ki. '\n",
    );
  });

  it('keeps line breaks of every kind, as kube-apiserver does', () => {
    const text = (value: JsonValue): string => encodeYaml({ a: value, b: 1 }).toString();
    expect(text('x\u0085y')).toBe('a: "x\\Ny"\nb: 1\n');
    expect(text('x\u2028y')).toBe("a: 'x\u2028  y'\nb: 1\n");
    expect(text('x\n\u2028y')).toBe('a: |-\n  x\n\u2028  y\nb: 1\n');
    expect(text('x\ny\u2029')).toBe('a: |\n  x\n  y\u2029b: 1\n');
    expect(text('x\u2029\n')).toBe('a: |+\n  x\u2029\nb: 1\n');
    expect(text('\u2028x\n')).toBe('a: |2\n\u2028  x\nb: 1\n');
    for (const value of ['x\u0085y', 'x\u2028y', 'x\n\u2028y', 'x\ny\u2029', 'x\u2029\n', '\u2028x\n', '\n', '\n\n'])
      expect(read(text(value))).toEqual({ a: value, b: 1 });
    // Other parsers do not know these line breaks.
    const unit = fc.constantFrom(' ', 'a', '\n', '\r', '\u0085', '\u2028', '\u2029', '\ufeff', "'");
    const any = fc.string({ unit, maxLength: 8 });
    fc.assert(
      fc.property(any, any, (key, value) => {
        const written = encodeYaml({ [key]: [value, { k: value }], '~': 1 });
        expect(read(written), written.toString()).toEqual({ [key]: [value, { k: value }], '~': 1 });
      }),
      { numRuns: 1000 },
    );
  });

  it('is parsed to the same value, by this parser and another', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(' ', 'a', ':', '\n', '#', '-', "'", '"', '1', '.', '\t'), maxLength: 12 }),
      fc.array(fc.stringMatching(/^[a-z'":]{1,12}$/), { minLength: 10, maxLength: 30 }).map((w) => w.join(' ')),
      fc.constantFrom(
        '1:20',
        '1e3',
        'null',
        '0o7',
        '1_0',
        '=',
        '%x',
        '---',
        '...',
        '? x',
        '!x',
        '&x',
        '*x',
        'x:',
        ':x',
      ),
    );
    const value = fc.letrec<{ v: JsonValue }>((tie) => ({
      v: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.constantFrom(true, false, null),
        fc.array(tie('v'), { maxLength: 4 }),
        fc.dictionary(text, tie('v'), { maxKeys: 4 }) as fc.Arbitrary<JsonValue>,
      ),
    })).v;
    fc.assert(
      fc.property(value, (v) => {
        const written = encodeYaml(v).toString();
        expect(equalJson(read(written), v), written).toBe(true);
        const other = parseDocument(written, { version: '1.1', schema: 'yaml-1.1', logLevel: 'error' });
        expect(other.errors, written).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });
});

describe('YAML fixtures', () => {
  it.each(fixtures())('$name has the value of its JSON form, and is written identically', ({ yaml, value }) => {
    expect(equalJson(read(yaml), value)).toBe(true);
    expect(encodeYaml(value).toString()).toBe(yaml.toString());
  });
});

it('refuses documents with more values than the limit', () => {
  const read = readYaml(Buffer.from(`a: [${'x,'.repeat(300_000)}]`));
  expect(read).toMatchObject({ ok: false, message: expect.stringContaining('more than 100000 values') });
});

describe('a long text', () => {
  const items = (n: number, f: (i: number) => string): string => Array.from({ length: n }, (_x, i) => f(i)).join('');
  const texts = {
    'a flow list': [`a: [${items(3000, (i) => `x${i},`)}]`, { a: Array.from({ length: 3000 }, (_x, i) => `x${i}`) }],
    'block lists in a block list': [
      items(40, () => `- b:\n${items(50, (i) => `  - c: ${i}\n    d: [e: f, ? g]\n`)}`),
      Array.from({ length: 40 }, () => ({
        b: Array.from({ length: 50 }, (_x, i) => ({ c: i, d: [{ e: 'f' }, { g: null }] })),
      })),
    ],
    'a map with an alias and merge keys': [
      `x: &x {m: merged, z: 1}\n${items(2000, (i) => `k${i}: v\n`)}<<: *x\nlast: *x\n`,
      {
        x: { m: 'merged', z: 1 },
        ...Object.fromEntries(Array.from({ length: 2000 }, (_x, i) => [`k${i}`, 'v'])),
        z: 1,
        last: { m: 'merged', z: 1 },
        m: 'merged',
      },
    ],
  } as const;

  it.each(Object.entries(texts))('is read in steps: %s', (_name, [text, wanted]) => {
    const read = readYaml(Buffer.from(text));
    expect(read).toEqual({ ok: true, value: wanted, duplicates: [] });
    expect([...yamlSteps(Buffer.from(text))].length).toBeGreaterThanOrEqual(8);
  });

  it('pauses before it is refused', () => {
    const text = `a: [${'x,'.repeat(200_000)}]`;
    const steps = yamlSteps(Buffer.from(text));
    let pauses = 0;
    for (let step = steps.next(); ; step = steps.next(), pauses++) {
      if (step.done !== true) continue;
      expect(step.value).toEqual({ ok: false, message: 'yaml: the document has more than 100000 values' });
      break;
    }
    expect(pauses).toBeGreaterThanOrEqual(199);
  });
});
