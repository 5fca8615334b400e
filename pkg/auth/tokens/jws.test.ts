import { describe, expect, it } from 'vitest';
import { readJws } from './jws.js';

const b64 = (text: string): string => Buffer.from(text).toString('base64url');
const read = (header: string) => readJws(`${b64(header)}.${b64('{}')}.c2ln`);

describe('a JSON Web Signature', () => {
  it('has one text for all spellings of its bytes', () => {
    const text = `${b64('{"alg":"RS256"}')}.${b64('{"a":1}')}.c2ln`;
    expect(readJws(text)).toMatchObject({ algorithm: 'RS256', keyId: '', payload: '{"a":1}', text });
    // The last character of `eyJhIjoxfQ` has bits that belong to no byte.
    for (const other of [`${text.slice(0, 5)}\n${text.slice(5)}\t`, text.replace('fQ.', 'fR.')])
      expect(readJws(other)).toMatchObject({ text });
  });

  it.each([
    ['a.b', 'go-jose/go-jose: compact JWS format must have three parts'],
    ['e30.e30.e30.e30', 'go-jose/go-jose: compact JWS format must have three parts'],
    ['e30=.e30.e30', 'illegal base64 data at input byte 3'],
    ['e30.e3+.e30', 'illegal base64 data at input byte 2'],
    ['e30.e30.e30ab', 'illegal base64 data at input byte 4'],
  ])('is malformed: %s', (text, problem) => {
    expect(readJws(text)).toBe(problem);
  });

  it.each([
    ['', undefined],
    ['null', undefined],
    ['{"typ":1,"kid":null,"foo":{"a":1,"a":2}}', undefined],
    ['{"a":1,"a":2}', "json: duplicate key 'a' in object"],
    ['[]', 'json: cannot unmarshal array into Go value of type jose.rawHeader'],
    ['{"kid":1}', 'failed to unmarshal key ID: json: cannot unmarshal number into Go value of type string: "1"'],
    [
      '{"jwk":1}',
      'failed to unmarshal JWK: json: cannot unmarshal number into Go value of type jose.rawJSONWebKey: "1"',
    ],
    ['{"x5c":["a"]}', 'failed to unmarshal x5c header: malformed certificate: "[\\"a\\"]"'],
  ])('has a header that is read as by kube-apiserver: %s', (header, problem) => {
    const jws = read(header);
    if (problem === undefined) expect(jws).toMatchObject({ keyId: '', extension: undefined });
    else expect(jws).toBe(problem);
  });

  it.each([
    ['{"crit":["b64"],"b64":true}', undefined],
    ['{"crit":[]}', undefined],
    ['{"crit":["exp"]}', 'go-jose/go-jose: error in cryptographic primitive'],
    ['{"crit":1}', 'json: cannot unmarshal number into Go value of type []string'],
    ['{"b64":false}', 'go-jose/go-jose: error in cryptographic primitive'],
  ])('has extensions that are not supported: %s', (header, extension) => {
    expect(read(header)).toMatchObject({ extension });
  });
});
