import type { JsonObject, JsonValue } from '../../../pkg/api/index.js';

/**
 * The expression language in the fields of the API (specification document 3): each row is the schema of a field of a custom
 * resource with one rule, a value that the rule accepts, and one that it refuses. All are fields of one definition.
 */
export interface Expression {
  readonly section: string;
  readonly text: string;
  readonly schema: JsonObject;
  readonly rule: string;
  readonly accepted: JsonValue;
  readonly refused: JsonValue;
}

const string: JsonObject = { type: 'string', maxLength: 100 };
const integer: JsonObject = { type: 'integer' };
const numbers: JsonObject = { type: 'array', maxItems: 10, items: integer };
const strings: JsonObject = { type: 'array', maxItems: 10, items: string };

type Row = readonly [text: string, schema: JsonObject, rule: string, accepted: JsonValue, refused: JsonValue];
const expressionsOf = (section: string, ...rows: readonly Row[]): readonly Expression[] =>
  rows.map(([text, schema, rule, accepted, refused]) => ({ section, text, schema, rule, accepted, refused }));

const object = (properties: Readonly<Record<string, JsonObject>>, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

export const expressions: readonly Expression[] = [
  ...expressionsOf(
    'Macros',
    ['has', object({ a: string }), 'has(self.a)', { a: 'x' }, {}],
    ['all', numbers, 'self.all(x, x > 0)', [1, 2], [1, 0]],
    ['exists', numbers, 'self.exists(x, x > 5)', [1, 6], [1, 2]],
    ['exists_one', numbers, 'self.exists_one(x, x > 5)', [1, 6], [6, 7]],
    ['map', numbers, 'self.map(x, x * 2) == [2, 4]', [1, 2], [1, 3]],
    ['map with a condition', numbers, 'self.map(x, x > 1, x * 2) == [4]', [1, 2], [2, 3]],
    ['filter', numbers, 'self.filter(x, x > 1).size() == 1', [1, 2], [2, 3]],
  ),
  ...expressionsOf(
    'Strings',
    ['charAt', string, "self.charAt(1) == 'b'", 'abc', 'acb'],
    ['indexOf', string, "self.indexOf('b') == 1", 'abb', 'bab'],
    ['indexOf from a position', string, "self.indexOf('b', 2) == 2", 'abb', 'aba'],
    ['lastIndexOf', string, "self.lastIndexOf('b') == 2", 'abb', 'aba'],
    ['lowerAscii', string, "self.lowerAscii() == 'ab'", 'aB', 'aC'],
    ['upperAscii', string, "self.upperAscii() == 'AB'", 'aB', 'aC'],
    ['replace', string, "self.replace('a', 'b') == 'bb'", 'ab', 'ac'],
    ['replace a number of times', string, "self.replace('a', 'b', 1) == 'ba'", 'aa', 'ab'],
    ['split', string, "self.split(',') == ['a', 'b']", 'a,b', 'a,c'],
    ['split in a number of parts', string, "self.split(',', 2) == ['a', 'b,c']", 'a,b,c', 'a,b'],
    ['join', strings, "self.join('-') == 'a-b'", ['a', 'b'], ['ab']],
    ['substring', string, "self.substring(1, 3) == 'bc'", 'abcd', 'acbd'],
    ['substring to the end', string, "self.substring(1) == 'bc'", 'abc', 'ab'],
    ['trim', string, "self.trim() == 'a'", ' a ', ' b '],
    ['positions are characters', string, "self.charAt(1) == 'b' && self.size() == 2", '😀b', '😀c'],
    ['an index out of range is an error', string, "self.charAt(3) == ''", 'abc', 'ab'],
  ),
  ...expressionsOf(
    'Lists',
    ['indexOf', numbers, 'self.indexOf(2) == 1', [1, 2, 2], [2, 1]],
    ['lastIndexOf', numbers, 'self.lastIndexOf(2) == 2', [1, 2, 2], [2, 1]],
    ['min', numbers, 'self.min() == 1', [2, 1], [2, 3]],
    ['max', numbers, 'self.max() == 3', [2, 3], [2, 1]],
    ['sum', numbers, 'self.sum() == 5', [2, 3], [2, 2]],
    [
      'sum of durations',
      { type: 'array', maxItems: 5, items: { type: 'string', format: 'duration', maxLength: 20 } },
      "self.sum() == duration('90s')",
      ['1m', '30s'],
      ['1m'],
    ],
    ['isSorted', numbers, 'self.isSorted()', [1, 2, 2], [2, 1]],
    ['the least of an empty list is an error', numbers, 'self.min() >= 0', [0], []],
  ),
  ...expressionsOf(
    'Regular expressions',
    ['matches', string, "self.matches('^a+$')", 'aa', 'ab'],
    ['find', string, "self.find('[0-9]+') == '12'", 'ab12c3', 'ab1'],
    ['find without a match', string, "self.find('[0-9]+') == ''", 'ab', 'a1'],
    ['findAll', string, "self.findAll('[0-9]+') == ['12', '3']", 'ab12c3', 'ab12'],
    ['findAll with a limit', string, "self.findAll('[0-9]', 2) == ['1', '2']", '123', '1'],
  ),
  ...expressionsOf(
    'URLs',
    ['isURL', string, 'isURL(self)', 'https://a.example/x', '../x'],
    ['getScheme', string, "url(self).getScheme() == 'https'", 'https://a', 'http://a'],
    ['getHost', string, "url(self).getHost() == 'a:80'", 'https://a:80', 'https://a'],
    ['getHostname', string, "url(self).getHostname() == '::1'", 'https://[::1]:80', 'https://a:80'],
    ['getPort', string, "url(self).getPort() == '80'", 'https://a:80', 'https://a'],
    ['getEscapedPath', string, "url(self).getEscapedPath() == '/a%20b'", 'https://a/a b', 'https://a/a'],
    ['getQuery', string, "url(self).getQuery() == {'k': ['a', 'b']}", 'https://a/?k=a&k=b', 'https://a/?k=a'],
    ['an invalid URL is an error', string, "url(self).getHost() == ''", 'file:///x', 'x'],
  ),
  ...expressionsOf(
    'Quantities',
    ['isQuantity', string, 'isQuantity(self)', '1.5Gi', '1.5G i'],
    ['isInteger', string, 'quantity(self).isInteger()', '1k', '1.5'],
    ['asInteger', string, 'quantity(self).asInteger() == 1000', '1k', '1'],
    ['asInteger is an error with loss', string, 'quantity(self).asInteger() >= 0', '0', '1.5'],
    ['asApproximateFloat', string, 'quantity(self).asApproximateFloat() == 1.5', '1500m', '1'],
    // The document has a method; kube-apiserver 1.37.2 declares a function only, as the recordings show.
    ['sign is a function', string, 'sign(quantity(self)) == -1', '-5', '0'],
    ['add a quantity', string, "quantity(self).add(quantity('1k')).compareTo(quantity('2k')) == 0", '1000', '1'],
    ['add a number', string, "quantity(self).add(5).compareTo(quantity('6')) == 0", '1', '2'],
    ['sub a quantity', string, "sign(quantity(self).sub(quantity('1k'))) == 0", '1000', '1'],
    ['sub a number', string, 'sign(quantity(self).sub(5)) == 1', '6', '5'],
    ['isLessThan', string, "quantity(self).isLessThan(quantity('1Gi'))", '1G', '1Gi'],
    ['isGreaterThan', string, "quantity(self).isGreaterThan(quantity('1G'))", '1Gi', '1G'],
    [
      'compareTo is 0, 1 or -1',
      string,
      "[quantity(self).compareTo(quantity('1')), quantity('2').compareTo(quantity(self)), quantity('0').compareTo(quantity(self))] == [0, 1, -1]",
      '1000m',
      '2',
    ],
  ),
  ...expressionsOf(
    'Types',
    ['numbers of two types compare', { type: 'number' }, 'self > 1', 1.5, 1],
    ['optional fields', object({ a: string }), "self.?a.orValue('x') == 'x'", {}, { a: 'y' }],
    ['optional values', object({ a: string }), "self.?a.hasValue() && self.?a.value() == 'x'", { a: 'x' }, {}],
    [
      'an object with additionalProperties is a map',
      { type: 'object', maxProperties: 5, additionalProperties: integer },
      "self['a'] == 1 && 'b' in self",
      { a: 1, b: 2 },
      { a: 1 },
    ],
    [
      'an embedded object has its names',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      "self.apiVersion == 'v1' && self.kind == 'Odd' && self.metadata.name == 'n'",
      { apiVersion: 'v1', kind: 'Odd', metadata: { name: 'n' } },
      { apiVersion: 'v1', kind: 'Odd', metadata: { name: 'm' } },
    ],
    [
      'int-or-string is one of both',
      { 'x-kubernetes-int-or-string': true, maxLength: 10 },
      "type(self) == int ? self > 1 : self == 'a'",
      2,
      'b',
    ],
    [
      'a list of the type set ignores the order',
      { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: string },
      "self == ['b', 'a']",
      ['a', 'b'],
      ['a', 'c'],
    ],
    [
      'a sum of sets is their union',
      { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: string },
      "self + ['b', 'c'] == ['a', 'b', 'c']",
      ['a', 'b'],
      ['a', 'd'],
    ],
    [
      'a list of the type map ignores the order',
      {
        type: 'array',
        maxItems: 5,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: object({ k: string, v: integer }, { required: ['k'] }),
      },
      "self == self.map(x, x) && self.exists(x, x.k == 'a' && x.v == 1)",
      [{ k: 'b' }, { k: 'a', v: 1 }],
      [{ k: 'a', v: 2 }],
    ],
    ['a boolean is boolean', { type: 'boolean' }, 'self', true, false],
    ['an integer is an int of 64 bits', { type: 'integer', format: 'int64' }, 'self + 1 > 0', 4611686018427000, -5],
    ['a number is a double', { type: 'number' }, 'self / 2.0 == 0.75', 1.5, 1],
    ['the format byte is bytes', { type: 'string', format: 'byte', maxLength: 20 }, "self == b'ab'", 'YWI=', 'YWM='],
    [
      'the format date is a timestamp',
      { type: 'string', format: 'date', maxLength: 20 },
      'self.getFullYear() == 2026',
      '2026-01-02',
      '2025-01-02',
    ],
    [
      'the format datetime is a timestamp',
      { type: 'string', format: 'date-time', maxLength: 40 },
      'self.getHours() == 3',
      '2026-01-02T03:00:00Z',
      '2026-01-02T04:00:00Z',
    ],
    [
      'the zone of times is UTC',
      { type: 'string', format: 'date-time', maxLength: 40 },
      'self.getHours() == 1',
      '2026-01-02T03:00:00+02:00',
      '2026-01-02T01:00:00+02:00',
    ],
    [
      'the format duration is a duration',
      { type: 'string', format: 'duration', maxLength: 20 },
      "self > duration('1m')",
      '90s',
      '30s',
    ],
  ),
  ...expressionsOf(
    'Names',
    ['a double underscore', object({ a__b: integer }), 'self.a__underscores__b == 1', { a__b: 1 }, { a__b: 2 }],
    ['a dot', object({ 'a.b': integer }), 'self.a__dot__b == 1', { 'a.b': 1 }, { 'a.b': 2 }],
    ['a dash', object({ 'a-b': integer }), 'self.a__dash__b == 1', { 'a-b': 1 }, { 'a-b': 2 }],
    ['a slash', object({ 'a/b': integer }), 'self.a__slash__b == 1', { 'a/b': 1 }, { 'a/b': 2 }],
    [
      'a keyword',
      object({ in: integer, namespace: integer }),
      'self.__in__ == 1 && self.__namespace__ == 1',
      { in: 1, namespace: 1 },
      { in: 1, namespace: 2 },
    ],
    ['a part of a name is no keyword', object({ inner: integer }), 'self.inner == 1', { inner: 1 }, { inner: 2 }],
  ),
];

/** Rules with which a definition is refused. */
export const refusedRules: readonly (readonly [text: string, schema: JsonObject, rule: string])[] = [
  ['a rule is boolean', string, "'a'"],
  ['a rule is a single expression', string, 'true; true'],
  ['types are checked', string, 'self > 1'],
  [
    'fields that preserve-unknown-fields hides are not accessible',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    "self.a == 'b'",
  ],
  ['a name that is no identifier is not accessible', object({ 'a b': integer }), 'self.a b == 1'],
  ['an unescaped name is not accessible', object({ 'a-b': integer }), 'self.a-b == 1'],
  ['a field that the schema does not have is not accessible', object({ a: integer }), 'self.b == 1'],
  ['the literals of a list have one type', string, "[1, 'a'].size() == 2"],
  [
    'a rule over its estimated cost',
    { type: 'array', items: { type: 'array', items: { type: 'string' } } },
    'self.all(x, self.all(y, x.all(a, y.all(b, a == b))))',
  ],
  ['a regular expression compiles', string, "self.matches('(')"],
  [
    'the old value needs a value that can be found again',
    { type: 'array', maxItems: 3, items: { ...string } },
    'self.oldSelf == 1',
  ],
  ['a nullable string does not compare with null', { ...string, nullable: true }, 'self == null'],
  ['other variables are unknown', string, 'request.name == self'],
];
