import { describe, expect, it } from 'vitest';
import { LEGACY_ISSUER } from './issuer.js';
import { membersOf, statedIssuer } from './members.js';
import { comparedSeconds, integerOf, timeText } from './numericdate.js';
import { payloadProblem } from './payload.js';

describe('members of a JSON object', () => {
  it('are all there, in order, with their text', () => {
    const text = ' { "a" : 1e400 , "\\u0062\\"":"x:,}" ,"c":[{"d":[1,2]},"]"], "a":{"e":{}} } ';
    expect(membersOf(text)).toEqual([
      { key: 'a', value: '1e400' },
      { key: 'b"', value: '"x:,}"' },
      { key: 'c', value: '[{"d":[1,2]},"]"]' },
      { key: 'a', value: '{"e":{}}' },
    ]);
    expect(membersOf('{}')).toEqual([]);
  });

  it.each(['', '[]', '1', 'null', '{"a":1}x', '{"a":01}', `{"a":${'['.repeat(10_001)}${']'.repeat(10_001)}}`])(
    'does not exist in other texts: %#',
    (text) => {
      expect(membersOf(text)).toBeUndefined();
    },
  );

  it('names the issuer in any case, the last one counts', () => {
    expect(statedIssuer('{"iss":"a","ISS":"b"}')).toBe('b');
    expect(statedIssuer('{"i\u017fs":"a","iss":null}')).toBe('a');
    expect(statedIssuer('{"sub":"a"}')).toBe('');
    expect(statedIssuer('{"iss":1}')).toBeUndefined();
    expect(statedIssuer('x')).toBeUndefined();
  });
});

const TIME = 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate';
const AUDIENCE = 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience';
const REF = '{"name":"a","uid":"b"}';

it.each([
  ['{"exp":1.5,"nbf":null,"aud":["a"],"x":1}', undefined],
  [`{"kubernetes.io":{"namespace":"n","serviceaccount":${REF},"pod":null,"other":1}}`, undefined],
  ['{"exp":1,"exp":1}', "json: duplicate key 'exp' in object"],
  ['{"x":1,"y":2,"x":3}', "json: duplicate key 'x' in object"],
  ['{"kubernetes.io":{"pod":{"uid":"a","uid":"a"}}}', "json: duplicate key 'uid' in object"],
  ['{"x":{"y":1,"y":2}}', undefined],
  ['{"exp":"1"}', TIME],
  ['{"iat":1e400}', TIME],
  ['{"kubernetes.io":{"warnafter":true}}', TIME],
  ['{"aud":null}', AUDIENCE],
  ['{"aud":["a",1]}', AUDIENCE],
  ['{"sub":1}', 'json: cannot unmarshal number into Go value of type string'],
  ['{"kubernetes.io":[]}', 'json: cannot unmarshal array into Go value of type serviceaccount.kubernetes'],
  ['{"kubernetes.io":{"pod":"p"}}', 'json: cannot unmarshal string into Go value of type serviceaccount.ref'],
  [
    `{"iss":"${LEGACY_ISSUER}","kubernetes.io/serviceaccount/namespace":true}`,
    'json: cannot unmarshal bool into Go value of type string',
  ],
])('the payload %s is refused as by kube-apiserver', (payload, problem) => {
  expect(payloadProblem(payload)).toBe(problem);
});

it.each([
  [0, 0, '1970-01-01 00:00:00 +0000 UTC'],
  [1.9, 1, '1970-01-01 00:00:01 +0000 UTC'],
  [-1, -1, '1969-12-31 23:59:59 +0000 UTC'],
  [253_402_300_800, 253_402_300_800, '10000-01-01 00:00:00 +0000 UTC'],
  [-62_135_596_800, -62_135_596_800, '0001-01-01 00:00:00 +0000 UTC'],
  // Beyond 64 bits is the smallest integer, which is before all times and printed as if it were after them.
  [1e300, Number.NEGATIVE_INFINITY, '292277026596-12-04 15:30:08 +0000 UTC'],
])('the time %d is compared as %d and printed as %s', (value, compared, text) => {
  const seconds = integerOf(value);
  expect(timeText(seconds)).toBe(text);
  if (Number.isFinite(compared)) expect(comparedSeconds(seconds)).toBe(compared);
  else expect(comparedSeconds(seconds)).toBeLessThan(-9e18);
});
